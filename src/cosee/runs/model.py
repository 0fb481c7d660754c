"""The client of a run's model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from cosee.models.base import VLMClient
from cosee.models.registry import load_models, open_client

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
    if name == EMBEDDED and not models_file.exists():
        return without_model()
    return open_client(name, load_models(models_file), without_model)
