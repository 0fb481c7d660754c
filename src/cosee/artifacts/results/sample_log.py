"""``results/<run>/samples.jsonl``: what became of each question under each method, a line each."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.results.metrics import Cause
from cosee.artifacts.results.prediction import Usage


class ScoreLine(Record):
    """A score and the rule that gave it."""

    value: float
    rule: str


class BoardCell(Record):
    """One cell of the board as it stood at the end; cells are never changed, so these are all that were written."""

    id: int
    author: str
    step: int
    """Round, from 1."""
    content: str
    tags: list[str] = Field(default_factory=list)
    view: dict[str, Any] | None = None
    """``page`` (1-based) and ``bbox`` in 0..1 of the page as seen."""


class SampleLine(Record):
    """One question under one method."""

    dataset: str
    question_id: str
    doc_id: str
    method: str
    seed: int | None = None
    question: str
    gold: str | list[str] | None = None
    answer: str | None = None
    """Null where there is no row of predictions."""
    status: str
    """As in predictions, or ``missing``."""
    abstained: bool
    correct: bool | None = None
    """Accuracy of at least 0.5; null without a gold answer."""
    cause: Cause | None = None
    """The first step that went wrong; null without a gold answer."""
    confidence: float | None = None
    scores: dict[str, ScoreLine] = Field(default_factory=dict)
    """``accuracy``, ``exact_match``, ``token_f1``, ``anls``, and each further measure."""
    official: dict[str, dict[str, ScoreLine]] = Field(default_factory=dict)
    """``<scorer>@<version> <measure>`` -> ``strict``, ``normalised``, ``corrected``."""
    usage: Usage | None = None
    cited_pages: list[int] = Field(default_factory=list)
    """1-based, in the order of the support."""
    gold_pages: list[int] = Field(default_factory=list)
    retrieved_pages: list[int] = Field(default_factory=list)
    cited_documents: list[str] = Field(default_factory=list)
    """Of a question over several documents: the document of each of ``cited_pages``; so of the other pages."""
    gold_documents: list[str] = Field(default_factory=list)
    retrieved_documents: list[str] = Field(default_factory=list)
    board: list[BoardCell] | None = None
    """Null where the method has no board, or no trace was kept."""
