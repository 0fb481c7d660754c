"""M3: one method's answers to the questions of one document."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path

from cosee.agents.registry import make_strategy
from cosee.agents.strategy import Context, Strategy
from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.documents.doctree import DocTree
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.artifacts.results.trace import BudgetExceeded, Trace, TraceEvent
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.imaging.mend import mended_page
from cosee.imaging.render import cached_page, render_page_isolated
from cosee.models.base import VLMClient
from cosee.models.blocks import PageImage
from cosee.models.journal import JournaledClient
from cosee.models.metering import MeteredClient
from cosee.models.registry import MODELS_FILE
from cosee.pipeline.stage import DocFolder, Part, StageFailure, StageResult
from cosee.retrieval.retriever import Retriever
from cosee.runs.model import entry_parts, open_model

log = logging.getLogger(__name__)

PAGE_DPI = 144


class AnswerStage:
    """Tree, index and questions -> ``answers/<method>/<dataset>/<doc_id>.jsonl`` and a trace a question.

    Below ``results/<run>/`` stand also ``journal/``, every model call once, so that a resumed or repeated run calls
    no model again, and ``measured/``, the seconds of each question; neither is an output. The model is opened once a
    job. ``models_file`` may be absent where the model is ``embedded``. ``listener`` is shown trace events as they come.
    ``only`` keeps to the questions with these ids.
    """

    name = "answer"
    isolated = False

    def __init__(
        self,
        models_file: Path = MODELS_FILE,
        listener: Callable[[TraceEvent], None] | None = None,
        only: Collection[str] | None = None,
    ) -> None:
        self.models_file = models_file
        self.listener = listener
        self.only = only
        self._clients: dict[str, VLMClient] = {}

    def inputs(self, doc: DocFolder, settings: AnswerSettings) -> Sequence[Path | Part]:
        """Tree, questions, index, and the PDF and the models' entries that decide what a model is shown and is."""
        indexed = (path for path in sorted(doc.index.rglob("*")) if path.is_file())
        index = [path for path in indexed if not _set_apart(path.relative_to(doc.index))]
        entries = entry_parts(self.models_file, [settings.model, settings.fallback_model])
        return [doc.data / "doctree.mm.json", doc.questions, *index, doc.data / "full.pdf", *entries]

    def run(self, doc: DocFolder, settings: AnswerSettings) -> StageResult:
        """Answer every question; one that fails has a row that says why."""
        if doc.results is None:
            raise ValueError("the answer stage needs a run's folder")
        try:
            retriever = Retriever.load(DocTree.load(doc.data / "doctree.mm.json"), doc.index, settings.retrieval)
        except ArtifactError as error:
            raise StageFailure("no_index", str(error)) from error
        questions = load_rows(Question, doc.questions) if doc.questions.exists() else []
        questions = [each for each in questions if self.only is None or each.question_id in self.only]
        method = settings.method.label
        client = JournaledClient(self._client(settings.model), _place(doc, "journal", method, f"{doc.doc_id}.jsonl"))
        if settings.fallback_model is not None:
            journal = _place(doc, "journal", method, f"{doc.doc_id}.fallback.jsonl")
            client.fallback = JournaledClient(self._client(settings.fallback_model), journal)
        job = _DocumentJob(doc, settings, retriever, client, make_strategy(settings.method), self.listener)
        rows: list[Prediction] = []
        outputs: list[Path] = []
        seconds: dict[str, float] = {}
        parts: dict[str, dict[str, list[float]]] = {}
        for question in sorted(questions, key=lambda question: question.question_id):
            started = time.monotonic()
            parts[question.question_id] = {}
            row, trace = job.answer(question, parts[question.question_id])
            seconds[question.question_id] = round(time.monotonic() - started, 6)
            outputs.append(_place(doc, "traces", method, f"{files.safe_name(question.question_id)}.ndjson"))
            trace.save(outputs[-1])
            rows.append(row)
        outputs.append(_place(doc, "answers", method, f"{doc.doc_id}.jsonl"))
        save_rows(outputs[-1], rows)
        files.write_json(
            _place(doc, "measured/answers", method, f"{doc.doc_id}.json"), {"seconds": seconds, "parts": parts}
        )
        return _result(outputs, rows)

    def _client(self, name: str) -> VLMClient:
        """The model, opened on first use. An unknown model is an error of the configuration, not of a document."""
        if name not in self._clients:
            self._clients[name] = open_model(name, self.models_file, _reader)
        return self._clients[name]


def _reader() -> VLMClient:
    """The reader without a model."""
    from cosee.reader.client import embedded_client

    return embedded_client()


class _DocumentJob:
    """What the questions of one document share."""

    def __init__(
        self,
        doc: DocFolder,
        settings: AnswerSettings,
        retriever: Retriever,
        client: VLMClient,
        strategy: Strategy,
        listener: Callable[[TraceEvent], None] | None,
    ) -> None:
        self.doc, self.settings, self.tree, self.retriever = doc, settings, retriever.tree, retriever
        self.client, self.strategy, self.listener = client, strategy, listener
        self.config_hash = files.sha256_value(settings.model_dump(mode="json"))

    def answer(self, question: Question, measured: dict[str, list[float]]) -> tuple[Prediction, Trace]:
        """One question's row and trace, whatever happens; seconds of its parts go into ``measured``."""
        trace = Trace(self.listener)
        context = Context(
            dataset=self.doc.dataset,
            tree=self.tree,
            retriever=self.retriever,
            client=MeteredClient(self.client, self.settings.budget, trace, fallback=self.client.fallback),
            budget=self.settings.budget,
            trace=trace,
            page_image=self.page_image,
            seed=self.settings.seed,
            measured=measured,
            extractor=self.settings.extractor,
            without=frozenset(self.settings.method.without),
        )
        try:
            row = self.strategy.answer(question, context)
        except Exception as error:  # a question must not take its document with it: the row and the log say why
            log.exception("%s, question %s: %s", self.doc.doc_id, question.question_id, self.strategy.name)
            row = self._failed(question, error)
            trace.add("error", message=f"{type(error).__name__}: {error}")
            trace.add("complete", message="", status="failed", exit_reason=row.exit_reason)
        return row.model_copy(update={"config_hash": self.config_hash}), trace

    def page_image(self, page: int) -> PageImage:
        """A page's picture, below the results folder."""
        assert self.doc.results is not None
        cache = self.doc.results.parent / ".cache" / "pages"
        return page_image(self.doc.data / "full.pdf", self.tree, page, cache)

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


def page_image(pdf: Path, tree: DocTree, page: int, cache: Path) -> PageImage:
    """A page's picture (1-based), rendered in a child process when a model is to see it; a poor scan is mended."""
    render = partial(render_page_isolated, pdf, page, PAGE_DPI, cache)
    place = cached_page(pdf, page, PAGE_DPI, cache).relative_to(cache)
    quality = tree.pages[page - 1].quality if page <= len(tree.pages) else None
    if quality is not None and quality.restored:
        mended = place.with_name(f"{place.stem}.mended.png")
        return PageImage(page, partial(mended_page, render, PAGE_DPI), mended.as_posix())
    return PageImage(page, render, place.as_posix())


def _place(doc: DocFolder, kind: str, method: str, name: str) -> Path:
    """``results/<run>/<kind>/<method>/<dataset>/<name>``."""
    assert doc.results is not None
    return doc.results / kind / method / doc.dataset / name


def _set_apart(path: Path) -> bool:
    """Whether a file of the index folder is a stamp, a ledger or a measured value."""
    return any(part.startswith(".") or part == "measured" for part in path.parts)


def _result(outputs: list[Path], rows: list[Prediction]) -> StageResult:
    failed = sum(row.status == "failed" for row in rows)
    counts = {"questions": len(rows), "abstained": sum(row.abstained for row in rows), "failed": failed}
    if not failed:
        return StageResult(outputs, counts=counts)
    message = f"{failed} of {len(rows)} questions failed; their rows say why"
    return StageResult(outputs, "partial", "questions_failed", message, counts)


if __name__ == "__main__":
    from cosee.pipeline.job import run_stage

    raise SystemExit(run_stage(AnswerStage(), AnswerSettings))
