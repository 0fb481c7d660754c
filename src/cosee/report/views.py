"""What the site shows, gathered from artifacts: runs, documents, questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cosee.artifacts.doctree import DocTree
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.metrics import Costs, Metrics
from cosee.artifacts.questions import Question
from cosee.artifacts.trace import TraceEvent
from cosee.evaluation.results import QuestionResult


@dataclass(frozen=True)
class RunView:
    """One run. ``results`` holds the questions in one order for every method."""

    metrics: Metrics
    results: Mapping[str, Sequence[QuestionResult]]
    trace: Callable[[str, str, str], Sequence[TraceEvent] | str]
    """(method, dataset, question id) -> the trace's events, or a sentence that says why there are none."""
    costs: Costs | None = None

    @property
    def name(self) -> str:
        """The run's name."""
        return self.metrics.run


@dataclass(frozen=True)
class DocumentView:
    """One document: its tree, or why there is none, and what each stage said of it."""

    dataset: str
    doc_id: str
    tree: DocTree | None
    tree_note: str = "There is no tree of this document."
    statuses: Sequence[tuple[str, LedgerRow]] = ()
    """(stage, ledger row) in the order of the stages."""


@dataclass(frozen=True)
class PageFile:
    """A cited page: the rendered PNG, or a note that says why there is none."""

    png: Path | None
    note: str = "This page was not rendered."


@dataclass(frozen=True)
class SiteInput:
    """Everything of a site."""

    runs: Sequence[RunView]
    documents: Sequence[DocumentView]
    pages: Mapping[tuple[str, str, int], PageFile] = field(default_factory=dict)
    """(dataset, doc_id, 1-based page) -> its picture."""


@dataclass(frozen=True)
class Outcome:
    """One method's outcome on one question, as the tables show it."""

    method: str
    outcome: str
    """``right``, ``partly``, ``wrong``, ``abstained``, ``failed``, ``missing`` or ``unscored``."""
    score: float
    rule: str
    abstained: bool


def outcome_of(method: str, result: QuestionResult) -> Outcome:
    """The outcome of a result."""
    score = result.scores.get("accuracy")
    value = score.value if score else 0.0
    if result.status in ("failed", "skipped", "missing"):
        kind = "missing" if result.status == "missing" else "failed"
    elif score is None:
        kind = "unscored"
    elif value == 1.0:
        kind = "right"
    elif value > 0.0:
        kind = "partly"
    else:
        kind = "abstained" if result.abstained else "wrong"
    return Outcome(method, kind, value, score.rule if score else "no gold answer", result.abstained)


GOLD_PAGES_SHOWN = 4
"""Gold pages shown of one question; whole-document questions name dozens."""


def gold_pages(question: Question) -> list[int]:
    """The first gold pages of a question."""
    return sorted(set(question.evidence_pages))[:GOLD_PAGES_SHOWN]


def shown_pages(results: Mapping[str, Sequence[QuestionResult]]) -> set[tuple[str, str, int]]:
    """(dataset, doc_id, page) of every page that a method cites, and of the first gold pages."""
    gold = {
        (result.dataset, result.question.doc_id, page)
        for rows in results.values()
        for result in rows
        for page in gold_pages(result.question)
    }
    return gold | {
        (result.dataset, result.question.doc_id, support.page)
        for rows in results.values()
        for result in rows
        if result.prediction is not None
        for support in result.prediction.support
    }
