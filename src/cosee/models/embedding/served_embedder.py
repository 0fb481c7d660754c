"""An embedder behind a server that speaks the OpenAI protocol."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.artifacts import files
from cosee.models.calls import ModelError
from cosee.models.embedding.embedders import Precision, unit_rows
from cosee.models.embedding.thresholds import TEXTS_OF_A_REQUEST
from cosee.models.registry import load_models, open_client
from cosee.models.served.embedding_client import EmbeddingClient

if TYPE_CHECKING:
    import numpy as np


class ServedEmbedder:
    """``POST /embeddings`` of an entry of ``config/models.yaml``, ``concurrency`` requests at a time.

    Its revision follows the model's name there and the entry's ``revision``, not the address. The number of dimensions
    is asked for when it is made.
    """

    precision: Precision | None = None

    def __init__(self, client: EmbeddingClient) -> None:
        self._client = client
        self.name = client.name
        self.revision = files.sha256_value([client.name, client.revision])[:16]
        self.dimensions = len(client.embeddings(["dimensions"])[0])

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """One unit-norm row a text.

        Raises:
            ModelError: the server fails, or its vectors are not all finite and of one length.
        """
        import numpy

        parts = [texts[start : start + TEXTS_OF_A_REQUEST] for start in range(0, len(texts), TEXTS_OF_A_REQUEST)]
        with ThreadPoolExecutor(self._client.options.concurrency) as pool:
            vectors = [vector for part in pool.map(self._client.embeddings, parts) for vector in part]
        if any(len(vector) != self.dimensions for vector in vectors):
            raise ModelError(f"{self.name}: vectors that have not the {self.dimensions} dimensions of its first one")
        return unit_rows(numpy.array(vectors, dtype=numpy.float32).reshape(-1, self.dimensions))


@lru_cache(maxsize=2)
def load_served_embedder(name: str, models_file: Path) -> ServedEmbedder:
    """The embedder of an entry of the model file, once a process.

    Raises:
        ModelError: no such entry, one of another protocol, its key is not set, or the server does not answer.
    """
    client = open_client(name, load_models(models_file))
    if not isinstance(client, EmbeddingClient):
        raise ModelError(f"the embedding_model {name!r} is not an entry of kind 'openai_embeddings'")
    return ServedEmbedder(client)
