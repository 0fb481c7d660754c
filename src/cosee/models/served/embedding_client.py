"""Models behind a server that make vectors, by the OpenAI protocol."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.models.served.faults import garbled
from cosee.models.served.openai_client import OpenAIClient


class EmbeddingClient(OpenAIClient):
    """``POST /embeddings``. The server is probed and waited for with that, since it need not chat."""

    def embeddings(self, texts: Sequence[str]) -> list[list[float]]:
        """A vector of each text, in order.

        Raises:
            ModelError: the server refuses these texts, or does not give each a vector.
            ServerFailure: it cannot be used, or went away and did not come back.
        """
        self.check()
        with self._slots:
            return self._until_answered(lambda: self._embedded(texts, self.options.timeout))

    def _small_call(self, *, picture: bool, timeout: float | None = None) -> None:
        self._embedded(["probe"], timeout or self.options.timeout)

    def _embedded(self, texts: Sequence[str], timeout: float) -> list[list[float]]:
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        reply: Any = self.posted("/embeddings", body, timeout)
        rows = reply.get("data") if isinstance(reply, dict) else None
        found = {row.get("index"): row.get("embedding") for row in rows or () if isinstance(row, dict)}
        vectors = [found.get(place) for place in range(len(texts))]
        if not all(isinstance(vector, list) and vector for vector in vectors):
            raise garbled(reply)
        return vectors  # type: ignore[return-value]
