"""Settings of M2: ``index:`` of the configuration."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record


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
    summaries: Literal["mmr"] = Field("mmr", description="How node summaries are made.")
    summary_words: int = Field(75, ge=10, description="Upper bound of a summary; 75 words are about 100 tokens.")
    chunk_words: int = Field(110, ge=20, description="Words of a leaf chunk.")
    chunk_overlap: int = Field(20, ge=0, description="Words that neighbouring chunks share.")
    table_rows: int = Field(
        40, ge=0, description="Most row vectors of one table; in a longer one several rows share a vector. 0: none."
    )
    mmr_lambda: float = Field(0.72, ge=0, le=1, description="Relevance against novelty when sentences are chosen.")
    hnsw_above: int = Field(50_000, ge=1, description="Vectors above which a view is searched through HNSW.")
