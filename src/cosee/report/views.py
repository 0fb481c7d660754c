"""What the site shows, gathered from artifacts: runs, documents, questions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from cosee.artifacts.datasets.names import document_of
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.estimate import Estimate
from cosee.artifacts.results.metrics import Cause, Metrics
from cosee.artifacts.results.prediction import PageKey
from cosee.artifacts.results.trace import TraceEvent
from cosee.evaluation.attribution import cause
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.thresholds import RIGHT_SCORE
from cosee.report.kept import DocumentKey, Kept
from cosee.report.thresholds import FIRST_PAGES_SHOWN, GOLD_PAGES_SHOWN

QuestionKey = tuple[str, str, str]
"""Dataset, doc_id and question id."""


@dataclass(frozen=True)
class RunView:
    """One run. ``results`` holds the questions of the documents that are written, in one order for every method."""

    metrics: Metrics
    order: Sequence[QuestionKey]
    """All questions of the run."""
    results: Mapping[str, Sequence[QuestionResult]]
    all_results: Callable[[], Mapping[str, Sequence[QuestionResult]]]
    """The results of all questions of the run, for pages that compare methods."""
    trace: Callable[[str, str, str], Sequence[TraceEvent] | str]
    """(method, dataset, question id) -> the trace's events, or a sentence that says why there are none."""
    gold: Collection[str] = ()
    """Methods that were given gold fields of the questions."""
    costs: Costs | None = None
    settings: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    """Method -> its settings as the run recorded them."""
    listed: bool = True
    """Whether the configuration lists the run; others are kept from earlier."""
    stale: Sequence[str] = ()
    """What changed since the figures were made."""
    estimate: Estimate | None = None
    """What its answers were expected to cost, where that was asked beforehand."""

    @property
    def name(self) -> str:
        """The run's name."""
        return self.metrics.run

    @property
    def questions(self) -> Sequence[QuestionResult]:
        """The questions of ``results``, with the results of the first method."""
        return next(iter(self.results.values()), ())


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
    """A page's picture, or a note that says why there is none."""

    picture: Path | None
    note: str = "This page was not rendered."


@dataclass(frozen=True)
class SiteInput:
    """Everything of a site."""

    runs: Sequence[RunView]
    present: Sequence[DocumentKey]
    """All documents of the runs' datasets."""
    digests: Mapping[DocumentKey, str]
    """Documents whose pages are written, and those that only questions name -> what decides their pages."""
    documents: Sequence[DocumentView]
    """The documents of ``digests`` that are present."""
    kept: Mapping[DocumentKey, Kept] = field(default_factory=dict)
    """Every other document: what an earlier site wrote stays."""
    pages: Mapping[tuple[str, str, int], PageFile] = field(default_factory=dict)
    """(dataset, doc_id, 1-based page) -> its picture."""


@dataclass(frozen=True)
class Outcome:
    """One method's outcome on one question, as the tables show it."""

    method: str
    kind: str
    """``right``, ``partly``, ``wrong``, ``abstained``, ``failed``, ``missing`` or ``unscored``."""
    score: float
    rule: str
    unverified: bool
    """A quote of its evidence does not stand on the page that it names."""
    wrong_evidence: bool
    """A right answer whose cited pages miss every gold page, by citing others or none."""
    cause: Cause | None
    """None for a question without a gold answer."""


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
    support = result.prediction.support if result.prediction else []
    return Outcome(
        method=method,
        kind=kind,
        score=value,
        rule=score.rule if score else "no gold answer",
        unverified=any(each.quote_found is False for each in support),
        # Where no gold page is among the cited ones, their recall is 0.
        wrong_evidence=value >= RIGHT_SCORE and result.cited is not None and result.cited[1] == 0.0,
        cause=cause(result) if result.scored else None,
    )


def gold_pages(question: Question) -> list[PageKey]:
    """The first gold pages of a question."""
    return sorted(set(question.gold_pages))[:GOLD_PAGES_SHOWN]


def shown_pages(results: Mapping[str, Sequence[QuestionResult]]) -> set[tuple[str, str, int]]:
    """(dataset, doc_id, page) of every page that a method cites, and of the first gold pages."""
    return {
        place_of(result, page)
        for rows in results.values()
        for result in rows
        for page in [*gold_pages(result.question), *(result.prediction.cited if result.prediction is not None else ())]
    }


def place_of(result: QuestionResult, page: PageKey) -> tuple[str, str, int]:
    """(dataset, doc_id, page) of a page that a result names."""
    name, number = page
    return (*document_of(name or result.question.doc_id, result.dataset), number)


def pages_of_document(document: DocumentView, *, all_of_it: bool) -> set[tuple[str, str, int]]:
    """(dataset, doc_id, page) of every page, as in a small report, else of the first ones.

    ``cosee serve`` renders the others when they are looked at.
    """
    count = len(document.tree.pages) if document.tree else 0
    shown = count if all_of_it else min(count, FIRST_PAGES_SHOWN)
    return {(document.dataset, document.doc_id, page + 1) for page in range(shown)}
