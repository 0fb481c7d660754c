"""The client of a run's model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

from cosee.artifacts import files
from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.entries import Entry, LocalEntry
from cosee.models.registry import known_models, load_models, open_client
from cosee.pipeline.stage import Part, StageFailure
from cosee.pipeline.stamps import ABSENT

EMBEDDED = "embedded"
"""Name of the model that is always there: the reader without one."""


def open_model(name: str, models_file: Path, without_model: Callable[[], VLMClient]) -> VLMClient:
    """The client of a model of ``models_file``, which may be absent where ``name`` is ``embedded``.

    ``without_model`` makes the reader that answers then. It is the caller's to import, when it is called and no
    sooner, so that a model's answers enter no file of the reader and a stage hangs on no more of it than it uses.

    Raises:
        ArtifactError: the file is absent or wrong.
        ModelError: no such model, or a variable of its entry is not set.
    """
    models = known_models(models_file) if name == EMBEDDED else load_models(models_file)
    return open_client(name, models, without_model)


@contextmanager
def openable(models_file: Path, *names: str | None) -> Iterator[None]:
    """Turn a model that cannot be opened into a failure of the document, which a folder of weights that is there later
    cures."""
    try:
        yield
    except ModelError as error:
        models = known_models(models_file)
        entries = [models[name] for name in names if name is not None and name in models]
        folders = [f"folder:{entry.model_path}" for entry in entries if isinstance(entry, LocalEntry)]
        raise StageFailure("model", str(error), folders) from error


def entry_parts(models_file: Path, names: Sequence[str | None]) -> list[Part]:
    """What decides the replies of the named models, of their entries in ``models_file`` alone; None names none.

    Raises:
        ArtifactError: the file is wrong.
    """
    status = models_file.stat() if models_file.exists() else None
    models = _entries(models_file, status and (status.st_size, status.st_mtime_ns))
    return [
        Part(f"{models_file}#{name}", files.sha256_value(models[name].deciding()) if name in models else ABSENT)
        for name in names
        if name is not None
    ]


@lru_cache(maxsize=8)
def _entries(models_file: Path, _age: object) -> dict[str, Entry]:
    return known_models(models_file)
