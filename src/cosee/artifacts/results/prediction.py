"""``predictions/<method>.jsonl``: one row per question, whatever happened."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import BBox, Record

Status = Literal["ok", "partial", "failed", "skipped"]
PageKey = tuple[str, int]
"""Document and 1-based page; the document is named where the question was asked of several, else empty."""


class Support(Record):
    """One piece of evidence. ``page`` is 1-based, ``bbox`` in 0..1 of the page as seen."""

    doc_id: str | None = None
    """Its document, where the question was asked of several."""
    node_id: str | None = None
    page: int
    page_label: str | None = None
    bbox: BBox | None = None
    quote: str = ""
    quote_verified: bool = False
    """Whether ``quote`` was found in the text of ``page``."""
    unverified: str | None = None
    """Why a place that was named could not be held against the document's text; None where it was, or had no need."""

    @property
    def quote_found(self) -> bool | None:
        """Whether the quote stands on its page; None where there is none, or it could not be held against the text."""
        return None if not self.quote or self.unverified is not None else self.quote_verified


class Retrieved(Record):
    """One ranked retrieval hit with the parts of its score."""

    doc_id: str | None = None
    """Its document, where the question was asked of several."""
    node_id: str
    page: int
    score: float
    parts: dict[str, float] = Field(default_factory=dict)
    reasons: list[str] = Field(default_factory=list)
    """Names of the features that fired."""
    path: list[str] = Field(default_factory=list)
    """Ids of the sections from the top down to the node."""


class Usage(Record):
    """What a question cost."""

    tokens_in: int = 0
    tokens_out: int = 0
    tokens_cached: int = 0
    images: int = 0
    calls: int = 0


class Prediction(Record):
    """One answer of one method. ``answer`` is the short scored answer; lists are Python-style string lists."""

    question_id: str
    doc_id: str
    """Empty for a question that was asked of several documents."""
    dataset: str
    method: str
    status: Status
    reason: str | None = None
    """Why the status is not ok."""
    exit_reason: str
    """Why the method stopped: ``answered``, ``abstained``, ``budget``, ``max_steps``, ``agreement`` ..."""
    answer: str
    abstained: bool
    answer_long: str = ""
    confidence: float | None = None
    support: list[Support] = Field(default_factory=list)
    retrieved: list[Retrieved] = Field(default_factory=list)
    retrieved_pages: list[int] = Field(default_factory=list)
    """1-based pages, best first."""
    read_pages: list[int] | None = None
    """1-based pages that were put before the model, as text or picture; null where no reading is told of."""
    documents: dict[str, float] = Field(default_factory=dict)
    """Documents that were searched for a question over several, with the chance of each that it holds the answer; one
    of another dataset than the question's as ``<dataset>/<doc_id>``."""
    retrieved_documents: list[str] = Field(default_factory=list)
    """Of a question over several: the document of each of ``retrieved_pages``."""
    read_documents: list[str] = Field(default_factory=list)
    """Of a question over several: the document of each of ``read_pages``."""
    unread: str | None = None
    """Pages of the document that could not be read, and documents of a collection that could not be searched, why, and
    what to do; an abstention is then ``partial``, for the reason ``unread_pages`` or ``missing_documents``, and has no
    confidence."""
    usage: Usage = Field(default_factory=Usage)
    measures: dict[str, float] = Field(default_factory=dict)
    """Method-specific measures, e.g. page coverage and redundancy of a board."""
    config_hash: str = ""
    model: str = ""
    model_revision: str = ""
    prompt_ids: list[str] = Field(default_factory=list)
    """``<name>@<sha256[:12]>`` of every prompt used."""
    seed: int = 0
    uses_gold: bool = False
    """The method was given gold fields of the question: for analysis, not for comparison with methods that were not."""

    @property
    def ranked(self) -> list[PageKey]:
        """``retrieved_pages`` with their documents."""
        return _with_documents(self.retrieved_pages, self.retrieved_documents)

    @property
    def read(self) -> list[PageKey] | None:
        """``read_pages`` with their documents."""
        return None if self.read_pages is None else _with_documents(self.read_pages, self.read_documents)

    @property
    def cited(self) -> list[PageKey]:
        """The pages of the support, each once, in its order."""
        return list(dict.fromkeys((piece.doc_id or "", piece.page) for piece in self.support))


def _with_documents(pages: list[int], documents: list[str]) -> list[PageKey]:
    return list(zip(documents or [""] * len(pages), pages, strict=True))


def failed_prediction(*, question_id: str, doc_id: str, dataset: str, method: str, reason: str) -> Prediction:
    """The row of a question without an answer: empty, which scores nothing anywhere, and flagged."""
    return Prediction(
        question_id=question_id,
        doc_id=doc_id,
        dataset=dataset,
        method=method,
        status="failed",
        reason=reason,
        exit_reason="failed",
        answer="",
        abstained=False,
    )
