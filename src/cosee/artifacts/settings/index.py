"""Settings of M2: ``index:`` of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_validator

from cosee.artifacts.base import Record


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
    """The cross-encoder that reads each question with its best passages."""

    model_path: str | None = Field(None, description="Folder of a cross-encoder; absent: there are no such scores.")
    device: str = Field("cpu", description="'cpu', 'auto' (the first GPU, else the CPU), 'cuda:1' ...")
    candidates: int = Field(
        30, ge=1, le=500, description="Best passages of each channel that are read with a question."
    )


class IndexSettings(Record):
    """M2: summaries, dense and sparse views, edges."""

    embedder: str = Field(
        "minilm", description="'minilm', 'none' (sparse only), 'hashing' (offline test double) or a model folder."
    )
    precision: Literal["float32", "bfloat16"] = Field(
        "float32",
        description="Of the embedder: 'bfloat16' is about three times as fast where the CPU computes in it; vectors "
        "differ a little.",
    )
    summaries: Literal["mmr", "llm"] = Field(
        "mmr", description="How node summaries are made: chosen sentences of the node, or written by 'summary_model'."
    )
    summary_model: str | None = Field(None, description="A name in config/models.yaml, for 'summaries: llm'.")
    summary_limit: int = Field(
        200, ge=0, description="Nodes of one document that 'summary_model' is asked for; the others get 'mmr'."
    )
    summary_words: int = Field(75, ge=10, description="Upper bound of a summary; 75 words are about 100 tokens.")
    chunk_words: int = Field(110, ge=20, description="Words of a leaf chunk.")
    chunk_overlap: int = Field(20, ge=0, description="Words that neighbouring chunks share.")
    table_rows: int = Field(
        40, ge=0, description="Most row vectors of one table; in a longer one several rows share a vector. 0: none."
    )
    mmr_lambda: float = Field(0.72, ge=0, le=1, description="Relevance against novelty when sentences are chosen.")
    hnsw_above: int = Field(50_000, ge=1, description="Vectors above which a view is searched through HNSW.")
    page_embedder: PageEmbedderSettings = PageEmbedderSettings()
    reranker: RerankerSettings = RerankerSettings()

    @model_validator(mode="after")
    def _has_summary_model(self) -> IndexSettings:
        if self.summaries == "llm" and self.summary_model is None:
            raise ValueError("summaries: llm needs summary_model, a name in config/models.yaml")
        return self
