"""The embedder that the settings of the index choose."""

from __future__ import annotations

from pathlib import Path

from cosee.artifacts.settings.index import IndexSettings
from cosee.models.embedding.embedders import Embedder, load_embedder


def configured_embedder(settings: IndexSettings, models_file: Path) -> Embedder | None:
    """The embedder of ``settings``, once a process; None for ``none`` or where the weights are absent.

    Raises:
        ModelError: a folder was named that holds no model, or a server that cannot be used.
    """
    if settings.embedding_model is None:
        return load_embedder(settings.embedder, settings.precision, settings.device)
    from cosee.models.embedding.served_embedder import load_served_embedder

    return load_served_embedder(settings.embedding_model, models_file)


def weights_advice(settings: IndexSettings) -> str:
    """What to do where ``configured_embedder`` finds no weights, as a clause."""
    name = settings.embedder
    return f"the weights of {name!r} are not here: fetch them with 'python -m cosee.models.weights --fetch {name}'"
