"""``config/models.yaml``: named models, each a typed entry, and the client that an entry opens."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from cosee.artifacts import files
from cosee.artifacts.faults import faults
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.yaml_file import parse_yaml
from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.client import Opening
from cosee.models.entries import Entry
from cosee.registry import CLIENTS
from cosee.text.likeness import did_you_mean, nearest_word

MODELS_FILE = Path("config/models.yaml")
"""Where a project names its models."""
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")


def load_models(path: Path) -> dict[str, Entry]:
    """The entries of ``models:`` by name, ``embedded`` always among them.

    ``${NAME}`` and ``${NAME:-default}`` stay as written until a model is opened.

    Raises:
        ArtifactError: the file is not YAML, or an entry is not one of the known kinds; names file, model and field.
    """
    content = parse_yaml(files.read_bytes(path), str(path))
    if not isinstance(content, dict) or not isinstance(content.get("models"), dict):
        raise ArtifactError(f"{path}: expected a mapping 'models:' from names to entries")
    entries = {str(name): _entry(value, f"{path}: models.{name}") for name, value in content["models"].items()}
    return {**_always(), **entries}


def known_models(path: Path) -> dict[str, Entry]:
    """As ``load_models``; ``embedded`` alone where there is no file."""
    return load_models(path) if path.exists() else _always()


def _always() -> dict[str, Entry]:
    return {"embedded": _entry({"kind": "embedded"}, "models.embedded")}


def _entry(value: Any, where: str) -> Entry:
    """A checked entry; the error names fields and never repeats values, which may be secrets."""
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if not isinstance(kind, str) or kind not in CLIENTS.names():
        hint = did_you_mean(kind, CLIENTS.names()) if isinstance(kind, str) else ""
        raise ArtifactError(f"{where}: kind: unknown kind{hint}; expected one of {', '.join(CLIENTS.names())}")
    try:
        entry: Entry = CLIENTS.settings(kind).model_validate(value)
    except ValidationError as error:
        known = CLIENTS.settings(kind).model_fields
        told = faults(error, values=False, nearest=nearest_word, keys=lambda place: () if place else known)
        raise ArtifactError(f"{where}: {'; '.join(told)}") from None
    return entry


def interpolate(value: Any, environment: Mapping[str, str], where: str) -> Any:
    """``value`` with ``${NAME}`` and ``${NAME:-default}`` in its strings replaced; ModelError names a missing one."""
    if isinstance(value, dict):
        return {key: interpolate(item, environment, f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, list):
        return [interpolate(item, environment, where) for item in value]
    if not isinstance(value, str):
        return value

    def replace(match: re.Match[str]) -> str:
        found = environment.get(match[1], match[2])
        if found is None:
            raise ModelError(f"{where}: the environment variable {match[1]} is not set")
        return found

    return _VARIABLE.sub(replace, value)


def known_entry(name: str, models: Mapping[str, Any]) -> None:
    """Raises ModelError for a name that is not among ``models``; the message names the nearest."""
    if name not in models:
        hint = did_you_mean(name, models)
        raise ModelError(f"there is no model {name!r}{hint} (known: {', '.join(sorted(models)) or 'none'})")


def open_client(
    name: str,
    models: Mapping[str, Entry],
    without_model: Callable[[], VLMClient] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
) -> VLMClient:
    """The client of a named model. ``without_model`` makes the client of an ``embedded`` entry.

    Raises:
        ModelError: no such model (the message names the nearest), a variable of its entry is not set, or the reader
            without a model cannot do this work.
    """
    known_entry(name, models)
    variables = os.environ if environment is None else environment
    entry = _entry(interpolate(models[name].model_dump(), variables, f"models.{name}"), f"models.{name}")
    client: VLMClient = CLIENTS.get(entry.kind).thing(entry, Opening(name, variables, without_model))
    client.entry = name
    client.thinking_tokens = getattr(entry, "thinking_tokens", 0)
    return client
