"""Settings of M3: ``retrieval:``, ``answer:`` and the methods of the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.trace import Budget


class FusionWeights(Record):
    """Weights of the parts of a fused score (seed 002 section 10.4)."""

    dense: float = Field(0.45, ge=0)
    bm25f: float = Field(0.35, ge=0)
    tree_prior: float = Field(0.10, ge=0)
    intent_bonus: float = Field(0.10, ge=0)


class RetrievalSettings(Record):
    """Question time: how pages and nodes are found."""

    channels: list[Literal["dense", "sparse"]] = Field(["dense", "sparse"], min_length=1)
    fusion: Literal["weighted", "rrf"] = "weighted"
    weights: FusionWeights = FusionWeights()
    recall_k: int = Field(200, ge=1, description="Hits a channel returns before fusion.")
    rerank_k: int = Field(40, ge=1, description="Hits kept after reranking (30 to 50 in seed 002).")
    rerank: bool = True
    expansion: bool = True


class MethodBase(Record):
    """What every method has; ``name`` is its name in results, by default its strategy's."""

    name: str | None = Field(None, pattern=r"^[A-Za-z0-9_.-]{1,64}$")
    pages: int = Field(5, ge=1, description="Pages given to the reader, best first.")

    @property
    def label(self) -> str:
        """The method's name in files and reports."""
        return self.name or str(getattr(self, "strategy", ""))


class ConstantMethod(MethodBase):
    """Always 'Not answerable'."""

    strategy: Literal["constant"] = "constant"


class PageRagMethod(MethodBase):
    """Retrieve pages, read them once, answer."""

    strategy: Literal["page_rag"] = "page_rag"


class CoSeeMethod(MethodBase):
    """Three role agents over a shared board (seeds 000, 001)."""

    strategy: Literal["cosee"] = "cosee"
    agents: list[Literal["scanner", "detail_reader", "cross_checker"]] = Field(
        ["scanner", "detail_reader", "cross_checker"], min_length=1
    )
    max_steps: int = Field(2, ge=1, le=10, description="Rounds at most (T).")
    order: Literal["sequential", "parallel"] = "sequential"
    stop_confidence: float = Field(0.8, ge=0, le=1, description="A hypothesis at or above it ends the rounds.")
    stop_agreement: int = Field(2, ge=2, description="So many agents with the same answer end the rounds.")
    max_cells_per_page: int = Field(8, ge=1)
    max_total_chars: int = Field(2000, ge=200)


Method = Annotated[ConstantMethod | PageRagMethod | CoSeeMethod, Field(discriminator="strategy")]


class RunSettings(Record):
    """One run: one set of methods, model, budget and seed on one or more datasets."""

    datasets: list[str] = Field(min_length=1)
    methods: list[Method] = Field(default=[ConstantMethod(), PageRagMethod(), CoSeeMethod()], min_length=1)
    model: str = Field("embedded", description="A name in config/models.yaml; 'embedded' needs no model.")
    retrieval: RetrievalSettings = RetrievalSettings()
    budget: Budget = Budget()
    seed: int = 0


class AnswerSettings(Record):
    """What one answer job is given: one method of one run."""

    run: str
    method: Method
    model: str
    retrieval: RetrievalSettings
    budget: Budget
    seed: int
