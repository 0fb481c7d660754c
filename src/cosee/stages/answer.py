"""M3: one method's answers to the questions of one document."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import Future, wait
from pathlib import Path
from typing import Any

from cosee.agents.method import make_strategy
from cosee.artifacts.base import load_rows, validate
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError, JobFailure
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent
from cosee.artifacts.settings.answer import AnswerSettings, RunBudget
from cosee.imaging.page_workers import PageWorkers
from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.journal import JournaledClient
from cosee.models.registry import MODELS_FILE, known_models
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.pipeline.threads import in_thread
from cosee.retrieval.retriever import Retriever
from cosee.runs.allowance import Allowance, WorstCase
from cosee.runs.collection import OpenCollection
from cosee.runs.model import entry_parts, open_model, openable
from cosee.stages.answer_document import Allowed, Answered, DocumentJob, Source, run_file


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
        answers = run_file(doc, "answers", settings.method.label, f"{doc.doc_id}.jsonl")
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

    def _begin(self, doc: DocFolder, settings: AnswerSettings) -> tuple[DocumentJob, list[Question]]:
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
                self._client(settings.model), run_file(doc, "journal", method, f"{doc.doc_id}.jsonl")
            )
            if settings.fallback_model is not None:
                journal = run_file(doc, "journal", method, f"{doc.doc_id}.fallback.jsonl")
                client.fallback = JournaledClient(self._client(settings.fallback_model), journal)
        job = DocumentJob(doc, settings, source, client, make_strategy(settings.method), self.listener, self._workers)
        return job, sorted(questions, key=lambda question: question.question_id)

    def _source(self, doc: DocFolder, questions: Sequence[Question], settings: AnswerSettings) -> Source:
        """The document, or those of the question that stands in the place of one."""
        if not doc.is_collection:
            tree = DocTree.load(doc.data / "doctree.mm.json")
            return Source(Retriever.load(tree, doc.index, settings.retrieval), [doc])
        if self._collection is None:
            paths = Paths(doc.data.parents[2], doc.index.parents[2])
            self._collection = OpenCollection(self._shards, paths, settings.retrieval)
        if len(questions) != 1:
            raise ArtifactError(f"{doc.questions}: {len(questions)} questions where one was put; redo the questions")
        opened = self._collection.open(questions[0], doc)
        return Source(opened.retriever, opened.folders)

    def _places_of(self, model: str, concurrency: int) -> threading.Semaphore:
        """Room for questions under way: some more than calls, so that one is prepared while others are waited for."""
        return self._places.setdefault(model, threading.Semaphore(concurrency + concurrency // 2 + 1))

    def _under_way(
        self, job: DocumentJob, question: Question, places: threading.Semaphore, total: int
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

    def _allowed(self, job: DocumentJob) -> Allowed | None:
        """What the next question may spend of the job's share of the run's budget; None where the run has none."""
        if self._allowance is None:
            return None
        worst = WorstCase.of(job.settings.budget, job.client.max_context)
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
    from cosee.reader.client import EmbeddedClient

    return EmbeddedClient()


def _set_apart(path: Path) -> bool:
    """Whether a file of the index folder is a stamp, a ledger or a measured value."""
    return any(part.startswith(".") or part == "measured" for part in path.parts)


if __name__ == "__main__":
    from cosee.pipeline.job import run_stage

    raise SystemExit(run_stage(AnswerStage(), AnswerSettings))
