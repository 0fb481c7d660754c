"""Where the published files of a benchmark are on this machine."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.yaml_file import parse_yaml

VARIABLE = "COSEE_DATA"
"""Environment variable: a folder with one folder a benchmark, or the folder of a benchmark itself."""
CONFIGURATION = Path("config/config.yaml")
SECTION = "benchmarks"
"""Section of the configuration: name of a benchmark -> folder of its published files."""


def benchmark_folder(name: str, *, path: Path | str | None = None, config: Path = CONFIGURATION) -> Path:
    """The folder with the published files of the benchmark ``name`` (``mp-docvqa`` ...).

    The first of these that is set counts, and the ones after it are not tried: ``path``; ``benchmarks.<name>`` of the
    configuration; ``COSEE_DATA`` (its folder ``<name>``, in any spelling, where it has one); ``data/<name>``.

    Raises:
        ArtifactError: it is not there; the message says what was set where.
    """
    said = []
    for source, value in _settings(name, path, config):
        if value is None:
            said.append(f"{source} is not set")
            continue
        folder = Path(value).expanduser()
        if source == VARIABLE:
            folder = _named(folder, name)
        if folder.is_dir():
            return folder
        said.append(f"{source}: no folder {value}")
        break
    raise ArtifactError(f"the files of {name} were not found: {'; '.join(said)}")


def _settings(name: str, path: Path | str | None, config: Path) -> Iterator[tuple[str, str | Path | None]]:
    yield "the argument path", path
    if path is None:
        yield f"{SECTION}.{name} in {config}", _configured(name, config)
        yield VARIABLE, os.environ.get(VARIABLE) or None
        yield "the default", Path("data") / name


def _configured(name: str, config: Path) -> str | None:
    if not config.is_file():
        return None
    value = parse_yaml(files.read_bytes(config), str(config))
    section = value.get(SECTION) if isinstance(value, dict) else None
    folder = section.get(name) if isinstance(section, dict) else None
    return str(folder) if folder else None


def _named(folder: Path, name: str) -> Path:
    """The folder of the benchmark inside ``folder``, or ``folder`` itself."""
    if folder.is_dir():
        for entry in sorted(folder.iterdir()):
            if entry.is_dir() and _plain(entry.name) == _plain(name):
                return entry
    return folder


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
