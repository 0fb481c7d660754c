"""The questions of one document in an answer job: what they share, and each one's row and trace."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from cosee.agents.context import Context
from cosee.agents.method import Strategy
from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.artifacts.results.trace import BudgetExceeded, Trace, TraceEvent
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.imaging.page_workers import PageWorkers
from cosee.models.base import VLMClient
from cosee.models.blocks import PageImage
from cosee.models.metering import MeteredClient
from cosee.models.purse import BOUND, Purse
from cosee.pipeline.progress import log_question
from cosee.pipeline.stage import DocFolder, StageResult
from cosee.retrieval.collection.joined import CollectionRetriever
from cosee.retrieval.retriever import Retriever
from cosee.runs.allowance import Allowance
from cosee.runs.place_reading import PlaceReader
from cosee.runs.shown_pages import page_image

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Allowed:
    """What a question may spend of the job's allowance; no purse where nothing is left."""

    allowance: Allowance
    purse: Purse | None


@dataclass(frozen=True)
class Answered:
    """A question's row and trace, the seconds that it took apart from waiting, and those of its parts."""

    row: Prediction
    trace: Trace
    seconds: float
    parts: dict[str, list[float]]
    left_open: bool = False
    """The run's budget was used up before or while it was answered."""


@dataclass(frozen=True)
class Source:
    """What is read: a document, or several as one, with the folder of each."""

    retriever: Retriever
    folders: Sequence[DocFolder]

    def page(self, page: int) -> tuple[Path, DocTree, int]:
        """The PDF and the tree of a page (1-based), and its number there."""
        if not isinstance(self.retriever, CollectionRetriever):
            return self.folders[0].data / "full.pdf", self.retriever.tree, page
        number, own = self.retriever.pages.of_page(page) or (0, page)
        return self.folders[number].data / "full.pdf", self.retriever.pages.trees[number], own


class DocumentJob:
    """What the questions of one document share; several threads may answer them."""

    def __init__(
        self,
        doc: DocFolder,
        settings: AnswerSettings,
        source: Source,
        client: VLMClient,
        strategy: Strategy,
        listener: Callable[[TraceEvent], None] | None,
        workers: PageWorkers,
    ) -> None:
        self.doc, self.settings, self.source, self.retriever = doc, settings, source, source.retriever
        self.tree = source.retriever.tree
        self.client, self.strategy, self.listener, self.workers = client, strategy, listener, workers
        self.config_hash = files.sha256_value(settings.model_dump(mode="json"))
        self._pictures: dict[int, PageImage] = {}
        self.read_place = PlaceReader(settings.place_ocr, self.tree.pages, self.page_image)
        self._ended = count(1)

    def told(self, answered: Answered, total: int) -> Answered:
        """The same answer, of ``total`` of this document, when the log has a line about it."""
        log_question(self.doc.doc_id, next(self._ended), total, answered.row.status)
        return answered

    def answer(self, question: Question, allowed: Allowed | None = None) -> Answered:
        """One question, whatever happens to it alone."""
        if allowed is None:
            return self._answer(question, None)
        if allowed.purse is None:
            return self._left_open(question)
        answered: Answered | None = None
        try:
            answered = self._answer(question, allowed.purse)
        finally:
            allowed.allowance.settle(answered.row if answered is not None else None)
        return replace(answered, left_open=allowed.purse.emptied)

    def _left_open(self, question: Question) -> Answered:
        """The row of a question that was not asked."""
        trace = Trace(self.listener)
        row = self._failed(question, BudgetExceeded(BOUND)).model_copy(
            update={"reason": BOUND, "exit_reason": BOUND, "config_hash": self.config_hash}
        )
        trace.add("complete", message="the run's budget is used up", status="failed", exit_reason=BOUND)
        return Answered(row, trace, 0.0, {}, left_open=True)

    def _answer(self, question: Question, purse: Purse | None) -> Answered:
        started = time.monotonic()
        trace, parts = Trace(self.listener), dict[str, list[float]]()
        client = MeteredClient(self.client, self.settings.budget, trace, fallback=self.client.fallback, purse=purse)
        context = Context(
            dataset=self.doc.dataset,
            tree=self.tree,
            retriever=self.retriever,
            client=client,
            budget=self.settings.budget,
            trace=trace,
            page_image=self.page_image,
            read_place=self.read_place if client.sees_images else None,
            seed=self.settings.seed,
            measured=parts,
            extractor=self.settings.extractor,
            without=frozenset(self.settings.method.without),
        )
        several = self.retriever if isinstance(self.retriever, CollectionRetriever) else None
        if several is not None:
            trace.add("retrieval", message=question.question, **several.as_event())
        try:
            row = self.strategy.answer(several.placed(question) if several else question, context)
            row = several.to_documents(row) if several else row
        except Exception as error:  # a question must not take its document with it: the row and the log say why
            log.exception("%s, question %s: %s", self.doc.doc_id, question.question_id, self.strategy.name)
            row = self._failed(question, error)
            trace.add("error", message=f"{type(error).__name__}: {error}")
            trace.add("complete", message="", status="failed", exit_reason=row.exit_reason)
        seconds = round(max(0.0, time.monotonic() - started - client.waited), 6)
        return Answered(row.model_copy(update={"config_hash": self.config_hash}), trace, seconds, parts)

    def save(self, answers: Sequence[Answered]) -> StageResult:
        """Write rows, traces and measured seconds."""
        method = self.settings.method.label
        outputs: list[Path] = []
        for each in answers:
            name = f"{files.safe_name(each.row.question_id)}.ndjson"
            trace = run_file(self.doc, "traces", method, name)
            if self.settings.keep_trace:
                each.trace.save(trace)
                outputs.append(trace)
            else:
                trace.unlink(missing_ok=True)  # one of other settings would tell of another answer
        rows = [each.row for each in answers]
        outputs.append(run_file(self.doc, "answers", method, f"{self.doc.doc_id}.jsonl"))
        save_rows(outputs[-1], rows)
        measured = {
            "seconds": {each.row.question_id: each.seconds for each in answers},
            "parts": {each.row.question_id: each.parts for each in answers},
        }
        files.write_json(run_file(self.doc, "measured/answers", method, f"{self.doc.doc_id}.json"), measured)
        return _result(outputs, rows, sum(each.left_open for each in answers))

    def page_image(self, page: int) -> PageImage:
        """A page's picture, below the results folder; the questions of a document share it."""
        assert self.doc.results is not None
        if page not in self._pictures:
            cache = self.doc.results.parent / ".cache" / "pages"
            pdf, tree, own = self.source.page(page)
            picture = page_image(pdf, tree, own, cache, self.workers)
            picture.page = page
            return self._pictures.setdefault(page, picture)
        return self._pictures[page]

    def _failed(self, question: Question, error: Exception) -> Prediction:
        spent = isinstance(error, BudgetExceeded)
        row = failed_prediction(
            question_id=question.question_id,
            doc_id=question.doc_id,
            dataset=self.doc.dataset,
            method=self.strategy.name,
            reason="budget" if spent else f"error:{type(error).__name__}",
        )
        named = {"model": self.client.name, "model_revision": self.client.revision, "seed": self.settings.seed}
        return row.model_copy(update={**named, "exit_reason": "budget" if spent else "error"})


def run_file(doc: DocFolder, kind: str, method: str, name: str) -> Path:
    """``results/<run>/<kind>/<method>/<dataset>/<name>``."""
    assert doc.results is not None
    return doc.results / kind / method / doc.dataset / name


def _result(outputs: list[Path], rows: list[Prediction], left_open: int) -> StageResult:
    failed = sum(row.status == "failed" for row in rows)
    counts = {"questions": len(rows), "abstained": sum(row.abstained for row in rows), "failed": failed}
    if left_open:
        message = (
            f"the run's budget left {left_open} of {len(rows)} questions open; raise it and give the command again"
        )
        return StageResult(outputs, "partial", BOUND, message, {**counts, "open": left_open})
    if not failed:
        return StageResult(outputs, counts=counts)
    message = f"{failed} of {len(rows)} questions failed; their rows say why"
    return StageResult(outputs, "partial", "questions_failed", message, counts)
