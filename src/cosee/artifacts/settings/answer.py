"""Settings of M3: a run with its retrieval, and what one answer job is given."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from pydantic import Field, model_validator

from cosee.artifacts.base import Record
from cosee.artifacts.documents.doctree import NodeType
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.methods import Method, MethodBase
from cosee.artifacts.settings.modules import CHANNELS, SEARCH_SWITCHES, Module
from cosee.registry import METHODS


class FusionWeights(Record):
    """Weights of the parts of a fused score."""

    dense: float = Field(0.45, ge=0, description="Cosine of question and node, 0..1.")
    bm25f: float = Field(0.35, ge=0, description="BM25F score, divided by the best of the query.")
    tree_prior: float = Field(0.10, ge=0, description="Same section, near page, depth.")
    intent_bonus: float = Field(0.10, ge=0, description="The kind of node that the question asks for.")


class Facets(Record):
    """What searches are restricted to; an empty facet does not restrict."""

    pages: tuple[int, int] | None = Field(None, description="First and last page, counted from 1.")
    levels: list[int] = Field([], description="Levels of the tree: 1 for the top sections.")
    roles: list[NodeType] = Field([], description="Kinds of nodes.")
    units: list[str] = Field([], description="Units that a node uses one of: '%', 'percent', 'kg', '$' ...")
    chart_types: list[str] = Field([], description="Kinds and forms of figures: 'statistical', 'bar', 'line' ...")

    @model_validator(mode="after")
    def _check(self) -> Facets:
        if self.pages is not None and not 1 <= self.pages[0] <= self.pages[1]:
            raise ValueError(f"pages {self.pages} are no range of pages counted from 1")
        return self


class RetrievalSettings(Record):
    """Question time: how pages and nodes are found."""

    channels: list[Literal["dense", "sparse", "page_images"]] = Field(
        ["dense", "sparse"],
        min_length=1,
        description="'dense' compares vectors, 'sparse' compares words, 'page_images' page pictures (late interaction; "
        "where index.page_embedder made no vectors it compares words with some tolerance, which lowers page recall).",
    )
    page_image_weight: float = Field(
        0.3, ge=0, description="Of the channel 'page_images' in a page's score, beside 1 for all the others together."
    )
    fusion: Literal["weighted", "rrf"] = Field(
        "weighted", description="Weighted sum of scores, or reciprocal rank fusion."
    )
    weights: FusionWeights = Field(FusionWeights(), description="Weights of the weighted sum.")
    recall_k: int = Field(200, ge=1, description="Hits a channel returns before fusion.")
    rerank_k: int = Field(40, ge=1, description="Hits kept after reranking.")
    rewriting: bool = Field(
        True, description="Leave out how to answer, and search misspelt words as the document's nearest too."
    )
    finance: bool = Field(
        True,
        description="Search a figure of accounting (quick ratio, ROE ...) with the line items that it is computed from "
        "too, and raise the pages headed by the statements that print these.",
    )
    named_places: bool = Field(
        True, description="Put the pages, figures, tables and sections first that the question names."
    )
    question_parts: bool = Field(
        False,
        description="Search both sides of a comparison by themselves too, and merge what is found; off, since it gains "
        "nothing (docs/measurements.md).",
    )
    page_views: bool = Field(
        True, description="Score whole pages, their tables and figures, word pairs and vectors; else by their best hit."
    )
    second_pages: bool = Field(
        True,
        description="Raise pages that the first ones lead to: those beside them, and those with a figure or table "
        "that they refer to.",
    )
    rerank: bool = Field(
        True,
        description="Order the fused hits again by titles, labels, units and pages, and the pages by what "
        "'index.reranker' said of them.",
    )
    expansion: bool = Field(
        True, description="Add children, siblings, captions and referring paragraphs of the best hits."
    )
    sections: bool = Field(True, description="Search sections (headings, gists) besides leaves, figures and tables.")
    section_variants: bool = Field(
        True,
        description="Compare every vector of a section that the index has; else that of its heading alone (see "
        "'index.vectors').",
    )
    documents: int = Field(
        8,
        ge=1,
        le=100,
        description="Documents that a question over a collection is searched in at most; fewer where these are sure.",
    )
    ocr: bool = Field(True, description="Search and read text that OCR made; else as if those places were blank.")
    facets: Facets = Field(Facets(), description="Searches find only nodes that pass, and the pages of these.")

    def without(self, modules: Collection[Module]) -> RetrievalSettings:
        """These settings with modules switched off; those that no search has are left alone.

        Raises:
            ValueError: no channel is left.
        """
        value: dict[str, Any] = self.model_dump()
        closed = {CHANNELS[module] for module in modules if module in CHANNELS}
        value["channels"] = [channel for channel in self.channels if channel not in closed]
        for module in modules:
            for name, switched in SEARCH_SWITCHES.get(module, {}).items():
                value[name] = {**value[name], **switched} if isinstance(switched, dict) else switched
        if not value["channels"]:
            raise ValueError(f"without {', '.join(modules)} no channel of {self.channels} is left to search with")
        return RetrievalSettings.model_validate(value)


def usual_methods() -> list[MethodBase]:
    """The methods of a run that names none: what to clear, what to beat, and ours."""
    return [METHODS.settings(name)() for name in ("constant", "page_rag", "cosee")]


class RunBudget(Record):
    """Bounds of a whole run; None means no bound. Shared out beforehand over methods and shards by their questions."""

    calls: int | None = Field(None, ge=0, description="Model calls.")
    tokens: int | None = Field(None, ge=0, description="Tokens, read and written.")
    money: float | None = Field(None, ge=0, description="In the currency of the model's price (config/models.yaml).")


class RunSettings(Record):
    """One run: one set of methods, model, budget and seed on one or more datasets."""

    datasets: list[str] = Field([], description="Datasets whose questions are answered; default: all.")
    methods: list[Method] = Field(
        default_factory=usual_methods,
        min_length=1,
        description="Ways to answer, each a strategy's name or a mapping with its settings.",
    )
    model: str = Field("embedded", description="A name in config/models.yaml; 'embedded' needs no model.")
    fallback_model: str | None = Field(
        None, description="Another name: asked where 'model' gave no usable reply after its retries."
    )
    retrieval: RetrievalSettings = RetrievalSettings()
    budget: Budget = Budget()
    run_budget: RunBudget | None = Field(
        None, description="What all answers of the run may cost together; 'budget' bounds each question."
    )
    extractor: bool = Field(
        False,
        description="Ask the model once more for the short answer in a method's words; by default rules cut it out.",
    )
    place_ocr: Literal["auto", "tesseract", "rapidocr", "none"] = Field(
        "auto",
        description="Recognise what a model which sees quotes and the page's text does not hold, in the box that it "
        "names, else on the page: where the words stand is the place, and it is verified. As 'adapt.ocr'; 'none' "
        "leaves the model's box, unverified.",
    )
    keep_trace: bool = Field(
        True,
        description="Write a trace for each question. Without one the report shows no steps and no board, and an "
        "answer cannot be replayed; rows, metrics and journal are the same.",
    )
    seed: int = Field(0, description="Seed of everything that samples.")

    @model_validator(mode="after")
    def _one_entry_a_seed(self) -> RunSettings:
        self.methods = [
            entry
            for method in self.methods
            for entry in (
                [method.model_copy(update={"seed": seed, "seeds": None}) for seed in method.seeds]
                if method.seeds
                else [method]
            )
        ]
        return self


class AnswerSettings(Record):
    """What one answer job is given: one method of one run."""

    run: str
    method: Method
    model: str
    fallback_model: str | None = None
    retrieval: RetrievalSettings
    budget: Budget
    extractor: bool = False
    place_ocr: Literal["auto", "tesseract", "rapidocr", "none"] = "auto"
    keep_trace: bool = True
    seed: int
