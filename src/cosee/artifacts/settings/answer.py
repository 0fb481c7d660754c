"""Settings of M3: ``retrieval:``, ``answer:`` and the methods of the configuration."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.trace import Budget


class FusionWeights(Record):
    """Weights of the parts of a fused score (seed 002 section 10.4)."""

    dense: float = Field(0.45, ge=0, description="Cosine of question and node, 0..1.")
    bm25f: float = Field(0.35, ge=0, description="BM25F score, divided by the best of the query.")
    tree_prior: float = Field(0.10, ge=0, description="Same section, near page, depth.")
    intent_bonus: float = Field(0.10, ge=0, description="The kind of node that the question asks for.")


class RetrievalSettings(Record):
    """Question time: how pages and nodes are found."""

    channels: list[Literal["dense", "sparse"]] = Field(
        ["dense", "sparse"], min_length=1, description="'dense' compares vectors, 'sparse' compares words."
    )
    fusion: Literal["weighted", "rrf"] = Field(
        "weighted", description="Weighted sum of scores, or reciprocal rank fusion."
    )
    weights: FusionWeights = Field(FusionWeights(), description="Weights of the weighted sum.")
    recall_k: int = Field(200, ge=1, description="Hits a channel returns before fusion.")
    rerank_k: int = Field(40, ge=1, description="Hits kept after reranking (30 to 50 in seed 002).")
    rerank: bool = Field(True, description="Order the fused hits again by titles, labels, units and pages.")
    expansion: bool = Field(
        True, description="Add children, siblings, captions and referring paragraphs of the best hits."
    )


class MethodBase(Record):
    """What every method has; ``name`` is its name in results, by default its strategy's."""

    name: str | None = Field(
        None, pattern=r"^[A-Za-z0-9_.-]{1,64}$", description="Name in files and reports; default: the strategy's."
    )
    pages: int = Field(
        5, ge=1, description="Pages given to the reader, best first; text of twice as many without a model."
    )

    @property
    def label(self) -> str:
        """The method's name in files and reports."""
        return self.name or str(getattr(self, "strategy", ""))


class ConstantMethod(MethodBase):
    """Always 'Not answerable'."""

    strategy: Literal["constant"] = Field("constant", description="Selects this method.")


class PageRagMethod(MethodBase):
    """Retrieve pages, read them once, answer."""

    strategy: Literal["page_rag"] = Field("page_rag", description="Selects this method.")


class CoSeeMethod(MethodBase):
    """Three role agents over a shared board (seeds 000, 001)."""

    strategy: Literal["cosee"] = Field("cosee", description="Selects this method.")
    agents: list[Literal["scanner", "detail_reader", "cross_checker"]] = Field(
        ["scanner", "detail_reader", "cross_checker"], min_length=1, description="Who acts, in this order."
    )
    max_steps: int = Field(2, ge=1, le=10, description="Rounds at most (T).")
    order: Literal["sequential", "parallel"] = Field(
        "sequential", description="'parallel' shows every agent the board as the round began."
    )
    stop_confidence: float = Field(0.8, ge=0, le=1, description="A hypothesis at or above it ends the rounds.")
    stop_agreement: int = Field(2, ge=2, description="So many agents with the same answer end the rounds.")
    max_cells_per_page: int = Field(8, ge=1, description="Newest cells of a page that the board's text shows.")
    max_total_chars: int = Field(2000, ge=200, description="Bound of the board's text; the oldest cells go first.")


Method = Annotated[ConstantMethod | PageRagMethod | CoSeeMethod, Field(discriminator="strategy")]


class RunSettings(Record):
    """One run: one set of methods, model, budget and seed on one or more datasets."""

    datasets: list[str] = Field(min_length=1, description="Datasets whose questions are answered.")
    methods: list[Method] = Field(
        default=[ConstantMethod(), PageRagMethod(), CoSeeMethod()],
        min_length=1,
        description="Ways to answer, each a strategy's name or a mapping with its settings.",
    )
    model: str = Field("embedded", description="A name in config/models.yaml; 'embedded' needs no model.")
    fallback_model: str | None = Field(
        None, description="Another name: asked where 'model' gave no usable reply after its retries."
    )
    retrieval: RetrievalSettings = RetrievalSettings()
    budget: Budget = Budget()
    seed: int = Field(0, description="Seed of everything that samples.")


class AnswerSettings(Record):
    """What one answer job is given: one method of one run."""

    run: str
    method: Method
    model: str
    fallback_model: str | None = None
    retrieval: RetrievalSettings
    budget: Budget
    seed: int
