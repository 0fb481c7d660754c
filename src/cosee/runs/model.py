"""The client of a run's model. The reader without a model is imported only where it answers."""

from __future__ import annotations

from pathlib import Path

from cosee.models.base import VLMClient
from cosee.models.registry import load_models, open_client

EMBEDDED = "embedded"
"""Name of the model that is always there: the reader without one."""


def open_model(name: str, models_file: Path) -> VLMClient:
    """The client of a model of ``models_file``, which may be absent where ``name`` is ``embedded``.

    Raises:
        ArtifactError: the file is absent or wrong.
        ModelError: no such model, or a variable of its entry is not set.
    """
    if name == EMBEDDED and not models_file.exists():
        return _without_model()
    return open_client(name, load_models(models_file), _without_model)


def _without_model() -> VLMClient:
    from cosee.reader.client import embedded_client

    return embedded_client()
