"""chunk_rag: retrieval of chunks, and one reading."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import AskingMethod


class ChunkRagMethod(AskingMethod):
    """Retrieve chunks of text and tables, read them once, answer: retrieval without pages, tree or pictures."""

    MODULES = frozenset(("bm25f", "dense", "ocr"))

    strategy: Literal["chunk_rag"] = Field("chunk_rag", description="Selects this method.")
    retrieval: Literal["fused", "sparse", "dense"] = Field(
        "fused", description="BM25 over chunks, their vectors, or reciprocal rank fusion of both."
    )
    chunks: int = Field(10, ge=1, description="Chunks given to the reader, best first.")


@method(
    "chunk_rag",
    settings=ChunkRagMethod,
    order=50,
    calls="1",
    description="retrieved chunks of text and tables",
)
def chunk_rag(settings: ChunkRagMethod) -> Strategy:
    """Retrieved chunks, read once."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_chunks

    return ReadOnceStrategy(
        settings, lambda asked, context: read_chunks(asked, context, settings.chunks, settings.retrieval)
    )
