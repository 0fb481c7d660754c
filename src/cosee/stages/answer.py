"""M3: one method's answers to the questions of one document."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any

from cosee.agents.registry import make_strategy
from cosee.agents.strategy import Context, Strategy
from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows, validate
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, JobFailure
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.artifacts.results.trace import BudgetExceeded, Trace, TraceEvent
from cosee.artifacts.settings.answer import AnswerSettings, RunBudget
from cosee.imaging.page_workers import PageWorkers
from cosee.models.base import VLMClient
from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.journal import JournaledClient
from cosee.models.metering import MeteredClient
from cosee.models.purse import BOUND, Purse
from cosee.models.registry import MODELS_FILE, known_models
from cosee.pipeline.paths import Paths
from cosee.pipeline.progress import log_question
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.pipeline.threads import in_thread
from cosee.retrieval.collection.joined import CollectionRetriever
from cosee.retrieval.retriever import Retriever
from cosee.runs.allowance import Allowance, Worst
from cosee.runs.collection import OpenCollection
from cosee.runs.model import entry_parts, open_model, openable
from cosee.runs.place_reading import PlaceReader
from cosee.runs.shown_pages import page_image

log = logging.getLogger(__name__)


class AnswerStage:
    """Tree, index and questions -> ``answers/<method>/<dataset>/<doc_id>.jsonl`` and, unless ``keep_trace`` is off, a
    trace a question. A question over several documents stands in the place of a document: it reads the index of the
    collection (see ``search_in``) and the documents that this gives it.

    Below ``results/<run>/`` stand also ``journal/``, every model call once, so that a resumed or repeated run calls
    no model again, and ``measured/``, the seconds of each question; neither is an output. The model is opened once a
    job. ``models_file`` may be absent where the model is ``embedded``. ``listener`` is shown trace events as they come.
    ``only`` keeps to the questions with these ids; ``opened`` has clients by name that the caller opened.

    Where the model takes several calls at a time, a thread a question keeps them under way, over the questions of all
    documents that are run at once. Rows and traces do not depend on which reply comes first.
    """

    name = "answer"
    isolated = False

    def __init__(
        self,
        models_file: Path = MODELS_FILE,
        listener: Callable[[TraceEvent], None] | None = None,
        only: Collection[str] | None = None,
        opened: Mapping[str, VLMClient] | None = None,
    ) -> None:
        self.models_file = models_file
        self.listener = listener
        self.only = only
        self.opened = opened or {}
        self._clients: dict[str, VLMClient] = {}
        self._workers = PageWorkers()
        self._turn = threading.Lock()
        self._places: dict[str, threading.Semaphore] = {}
        self._broken: JobFailure | None = None
        self._allowance: Allowance | None = None
        self._shards: Sequence[Path] = ()
        self._collection: OpenCollection | None = None

    def search_in(self, shards: Sequence[Path]) -> None:
        """Where the questions over several documents are searched: the shards of the collection's index."""
        self._shards = sorted(shards)

    def allow(self, share: Any, settings: AnswerSettings) -> None:
        """Let the questions of this job spend a share of the run's budget, at the price of the run's model.

        Raises:
            ArtifactError: ``share`` is none.
        """
        entry = known_models(self.models_file).get(settings.model)
        self._allowance = Allowance(validate(RunBudget, share, "--allowance"), entry.price if entry else None)

    def kept(self, doc: DocFolder, settings: AnswerSettings) -> None:
        """A document of the job stays as it is: what its answers spent counts."""
        answers = _place(doc, "answers", settings.method.label, f"{doc.doc_id}.jsonl")
        if self._allowance is not None and answers.exists():
            self._allowance.keep(doc.doc_id, load_rows(Prediction, answers))

    def inputs(self, doc: DocFolder, settings: AnswerSettings) -> Sequence[Path | Part]:
        """Tree, questions, index, and the PDF and the models' entries that decide what a model is shown and is."""
        indexed = (path for path in sorted(doc.index.rglob("*")) if path.is_file())
        index = [path for path in indexed if not _set_apart(path.relative_to(doc.index))]
        entries = entry_parts(self.models_file, [settings.model, settings.fallback_model])
        if doc.is_collection:
            return [doc.questions, *self._shards, *index, *entries]
        return [doc.data / "doctree.mm.json", doc.questions, *index, doc.data / "full.pdf", *entries]

    def at_a_time(self, settings: AnswerSettings) -> int:
        """Documents under way at a time: as many as the model takes calls, since each may have one question; one where
        the run has a budget, which is given out in their order.

        Raises:
            JobFailure: a model cannot be opened, which is no fault of a document.
        """
        try:
            if settings.fallback_model is not None:
                self._client(settings.fallback_model)
            concurrency = self._client(settings.model).concurrency
        except ModelError as error:
            raise JobFailure(str(error)) from error
        return concurrency if self._allowance is None else 1

    def run(self, doc: DocFolder, settings: AnswerSettings) -> StageResult:
        """Answer every question; one that fails has a row that says why. Several threads may run documents.

        Raises:
            JobFailure: the disk or a model's server failed; questions that were not answered have no row.
        """
        with self._turn:  # the next document is read when every question of this one is under way
            if self._broken is not None:
                raise self._broken
            job, questions = self._begin(doc, settings)
            if job.client.concurrency == 1:
                return job.save(
                    [job.told(job.answer(question, self._allowed(job)), len(questions)) for question in questions]
                )
            places = self._places_of(settings.model, job.client.concurrency)
            answers = [self._under_way(job, question, places, len(questions)) for question in questions]
        wait(answers)  # all of them, whatever one raises: replies that are under way belong into the journal
        return job.save([answer.result() for answer in answers])

    def _begin(self, doc: DocFolder, settings: AnswerSettings) -> tuple[_DocumentJob, list[Question]]:
        """The document, read, and its questions in order."""
        if doc.results is None:
            raise ValueError("the answer stage needs a run's folder")
        questions = load_rows(Question, doc.questions) if doc.questions.exists() else []
        questions = [each for each in questions if self.only is None or each.question_id in self.only]
        try:
            source = self._source(doc, questions, settings)
        except ArtifactError as error:
            raise StageFailure("no_index", str(error)) from error
        method = settings.method.label
        with openable(self.models_file, settings.model, settings.fallback_model):
            client = JournaledClient(
                self._client(settings.model), _place(doc, "journal", method, f"{doc.doc_id}.jsonl")
            )
            if settings.fallback_model is not None:
                journal = _place(doc, "journal", method, f"{doc.doc_id}.fallback.jsonl")
                client.fallback = JournaledClient(self._client(settings.fallback_model), journal)
        job = _DocumentJob(doc, settings, source, client, make_strategy(settings.method), self.listener, self._workers)
        return job, sorted(questions, key=lambda question: question.question_id)

    def _source(self, doc: DocFolder, questions: Sequence[Question], settings: AnswerSettings) -> _Source:
        """The document, or those of the question that stands in the place of one."""
        if not doc.is_collection:
            tree = DocTree.load(doc.data / "doctree.mm.json")
            return _Source(Retriever.load(tree, doc.index, settings.retrieval), [doc])
        if self._collection is None:
            paths = Paths(doc.data.parents[2], doc.index.parents[2])
            self._collection = OpenCollection(self._shards, paths, settings.retrieval)
        if len(questions) != 1:
            raise ArtifactError(f"{doc.questions}: {len(questions)} questions where one was put; redo the questions")
        opened = self._collection.open(questions[0], doc)
        return _Source(opened.retriever, opened.folders)

    def _places_of(self, model: str, concurrency: int) -> threading.Semaphore:
        """Room for questions under way: some more than calls, so that one is prepared while others are waited for."""
        return self._places.setdefault(model, threading.Semaphore(concurrency + concurrency // 2 + 1))

    def _under_way(
        self, job: _DocumentJob, question: Question, places: threading.Semaphore, total: int
    ) -> Future[Answered]:
        """A question in a thread, begun when there is room for it, and only while nothing broke the job."""
        places.acquire()
        allowed = self._allowed(job)

        def answer() -> Answered:
            try:
                if self._broken is not None:
                    if allowed is not None and allowed.purse is not None:
                        allowed.allowance.settle(None)  # others may wait for what it was given
                    raise self._broken
                return job.told(job.answer(question, allowed), total)
            except JobFailure as failure:
                self._broken = failure
                raise
            finally:
                places.release()

        return in_thread(answer)

    def _allowed(self, job: _DocumentJob) -> Allowed | None:
        """What the next question may spend of the job's share of the run's budget; None where the run has none."""
        if self._allowance is None:
            return None
        worst = Worst.of(job.settings.budget, job.client.max_context)
        return Allowed(self._allowance, self._allowance.admit(job.doc.doc_id, worst))

    def _client(self, name: str) -> VLMClient:
        """The model, opened on first use. An unknown model is an error of the configuration, not of a document."""
        if name not in self._clients:
            self._clients[name] = self.opened.get(name) or open_model(name, self.models_file, _reader)
            if self._clients[name].sees_images:
                self._workers.start()
        return self._clients[name]


def _reader() -> VLMClient:
    """The reader without a model."""
    from cosee.reader.client import embedded_client

    return embedded_client()


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
class _Source:
    """What is read: a document, or several as one, with the folder of each."""

    retriever: Retriever
    folders: Sequence[DocFolder]

    def page(self, page: int) -> tuple[Path, DocTree, int]:
        """The PDF and the tree of a page (1-based), and its number there."""
        if not isinstance(self.retriever, CollectionRetriever):
            return self.folders[0].data / "full.pdf", self.retriever.tree, page
        number, own = self.retriever.pages.of_page(page) or (0, page)
        return self.folders[number].data / "full.pdf", self.retriever.pages.trees[number], own


class _DocumentJob:
    """What the questions of one document share; several threads may answer them."""

    def __init__(
        self,
        doc: DocFolder,
        settings: AnswerSettings,
        source: _Source,
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
            row = several.told(row) if several else row
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
            trace = _place(self.doc, "traces", method, name)
            if self.settings.keep_trace:
                each.trace.save(trace)
                outputs.append(trace)
            else:
                trace.unlink(missing_ok=True)  # one of other settings would tell of another answer
        rows = [each.row for each in answers]
        outputs.append(_place(self.doc, "answers", method, f"{self.doc.doc_id}.jsonl"))
        save_rows(outputs[-1], rows)
        measured = {
            "seconds": {each.row.question_id: each.seconds for each in answers},
            "parts": {each.row.question_id: each.parts for each in answers},
        }
        files.write_json(_place(self.doc, "measured/answers", method, f"{self.doc.doc_id}.json"), measured)
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


def _place(doc: DocFolder, kind: str, method: str, name: str) -> Path:
    """``results/<run>/<kind>/<method>/<dataset>/<name>``."""
    assert doc.results is not None
    return doc.results / kind / method / doc.dataset / name


def _set_apart(path: Path) -> bool:
    """Whether a file of the index folder is a stamp, a ledger or a measured value."""
    return any(part.startswith(".") or part == "measured" for part in path.parts)


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


if __name__ == "__main__":
    from cosee.pipeline.job import run_stage

    raise SystemExit(run_stage(AnswerStage(), AnswerSettings))
