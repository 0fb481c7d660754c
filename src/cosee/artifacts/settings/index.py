"""Settings of M2: ``index:`` of the configuration."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field, model_validator

from cosee.artifacts.base import Record
from cosee.artifacts.documents.index import VectorKind

DEFAULT_VECTORS: list[VectorKind] = ["child", "media", "leaf_raw"]
"""Chosen by the recall of pages with and without each kind (docs/measurements.md)."""


NAMED_EMBEDDERS = ("minilm", "none", "served")
"""Values of ``embedder`` that are no folder."""


class PageEmbedderSettings(Record):
    """The model whose vectors of page pictures the page-image view compares."""

    model_path: str | None = Field(
        None, description="Folder of a ColQwen2 or ColQwen2.5; absent: the view compares the pages' words."
    )
    device: str = Field("auto", description="'auto' (the first GPU, else the CPU), 'cpu', 'cuda:1' ...")
    dtype: Literal["auto", "float32", "bfloat16", "float16"] = Field("auto", description="Of the weights.")
    batch: int = Field(4, ge=1, le=64, description="Pictures encoded at a time on a GPU; on a CPU it is one.")
    max_patches: int = Field(768, ge=16, le=4096, description="Vectors of a page at most, but for the prompt's tokens.")


class RerankerSettings(Record):
    """The model that reads each question with the pages that it may need."""

    model_path: str | None = Field(
        None,
        description="Folder of a cross-encoder (a sequence classifier) or of a language model (an instruction model, "
        "Qwen3-VL); absent: pages are ranked without.",
    )
    device: str = Field("cpu", description="'cpu', 'auto' (the first GPU, else the CPU), 'cuda:1' ...")


class IndexSettings(Record):
    """M2: summaries, dense and sparse views, edges."""

    embedder: str = Field(
        "minilm",
        description="'minilm', 'none' (sparse only), a model folder, or 'served'.",
    )
    embedding_model: str | None = Field(
        None,
        description="For 'embedder: served', a name in config/models.yaml of kind 'openai_embeddings': a server whose "
        "/embeddings makes the vectors.",
    )
    precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="Of the embedder: 'auto' is bfloat16 where the machine computes in it, which is about three times "
        "as fast, else float32; vectors differ a little, and each index says what it has.",
    )
    device: str = Field("cpu", description="Of the embedder: 'cpu', 'auto' (the first GPU, else the CPU), 'cuda:1' ...")
    vectors: Literal["all"] | list[VectorKind] = Field(
        DEFAULT_VECTORS,
        description="Which texts get vectors: of sections 'heading', 'gist', 'child' and 'path', of figures and tables "
        "'media', of chunks 'leaf' (their summaries) and 'leaf_raw', of tables 'rows'. 'all' is each of them, with "
        "FAISS files of the same vectors for other programs. Records have every text either way.",
    )
    int8: bool = Field(False, description="Write vectors in one byte a number instead of four.")
    summaries: Literal["mmr", "llm"] = Field(
        "mmr", description="How node summaries are made: chosen sentences of the node, or written by 'summary_model'."
    )
    summary_model: str | None = Field(None, description="A name in config/models.yaml, for 'summaries: llm'.")
    summary_limit: int = Field(
        200, ge=0, description="Nodes of one document that 'summary_model' is asked for; the others get 'mmr'."
    )
    summary_words: int = Field(75, ge=10, description="Upper bound of a summary; 75 words are about 100 tokens.")
    chunk_words: int = Field(110, ge=20, description="Words of a leaf chunk.")
    page_embedder: PageEmbedderSettings = PageEmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()

    @property
    def embedder_folder(self) -> str | None:
        """The folder that ``embedder`` names; None where it names no folder."""
        return None if self.embedder in NAMED_EMBEDDERS else self.embedder

    @property
    def vector_kinds(self) -> list[VectorKind]:
        """The kinds of ``vectors``."""
        return list(get_args(VectorKind)) if self.vectors == "all" else self.vectors

    @model_validator(mode="after")
    def _check(self) -> IndexSettings:
        if (self.summaries == "llm") != (self.summary_model is not None):
            raise ValueError("summaries 'llm' and a summary_model go together: give both or neither")
        if (self.embedder == "served") != (self.embedding_model is not None):
            raise ValueError("embedder 'served' and an embedding_model go together: give both or neither")
        return self
