"""One document through M0 to M3 for ``cosee ask``, in a workspace of its own that later questions reuse."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from cosee.artifacts import files
from cosee.artifacts.base import Record, load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.artifacts.results.trace import TraceEvent
from cosee.artifacts.settings.answer import RunSettings
from cosee.commands.console import line
from cosee.commands.reasons import remedy
from cosee.pipeline.config import Config, ConfigError, load_config, read_config
from cosee.pipeline.locks import locked
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import Stage
from cosee.registry import METHODS, RegistryError
from cosee.text.likeness import did_you_mean

if TYPE_CHECKING:
    from cosee.models.base import VLMClient

DATASET = "ask"
DOC_ID = "document"
SHARD = "0000"


@dataclass(frozen=True)
class Workspace:
    """Where one document is worked on: ``<cache>/ask/<sha256[:16] of the file>``."""

    root: Path
    pdf: Path
    run: str
    method: str

    @property
    def paths(self) -> Paths:
        """The folders of the workspace, laid out like a project's."""
        return Paths(self.root / "data", self.root / "indexes", self.root / "results", self.run, self.method)

    def result(self, kind: str, name: str) -> Path:
        """A file below the question's results."""
        return self.root / "results" / self.run / kind / self.method / DATASET / name


@dataclass(frozen=True)
class Answered:
    """One answer, and where its trace is."""

    answer: Prediction
    trace: Path


def settings_of(config: Path | None) -> Config:
    """The settings of a configuration; without one those that are built in. Raises ConfigError."""
    settings = read_config(config) if config is not None else load_config({"datasets": [DATASET]})
    if settings.index.precision != "auto":
        return settings
    # The vectors of one document are made in less time than torch, which bfloat16 needs, is imported.
    return settings.model_copy(update={"index": settings.index.model_copy(update={"precision": "float32"})})


def answered(
    pdf: Path,
    text: str,
    settings: Config,
    *,
    method: str,
    model: str | None,
    listener: Callable[[TraceEvent], None] | None = None,
    quiet: bool = False,
) -> Answered:
    """One method's answer; ``listener`` is shown the trace as it comes, where the answer was not known before.

    Raises:
        ArtifactError: the PDF or the question cannot be used.
        ConfigError: the method or the model is wrong.
    """
    question, run = question_of(text), run_of(settings, method, model)
    workspace = workspace_of(pdf, question.question_id, run.methods[0].label)
    answered_before = workspace.result("answers", f"{DOC_ID}.jsonl").exists()
    opened = {} if answered_before else served_models(run)  # the journal may have every reply
    settings = settings.model_copy(update={"datasets": [DATASET], "runs": {workspace.run: run}})
    with work_on(workspace, settings, question):
        for stage, section in chain(document_stages(settings), search_stages(settings)):
            run_stage(stage, section, workspace, settings, quiet=quiet)
        from cosee.stages.answer import AnswerStage

        section = settings.answer_settings(workspace.run, workspace.method)
        run_stage(AnswerStage(listener=listener, opened=opened), section, workspace, settings, quiet=quiet)
        answers = load_rows(Prediction, workspace.result("answers", f"{DOC_ID}.jsonl"))
    answer = next(row for row in answers if row.question_id == question.question_id)
    return Answered(answer, workspace.result("traces", f"{files.safe_name(question.question_id)}.ndjson"))


def run_of(settings: Config, name: str, model: str | None) -> RunSettings:
    """The run of the configuration that has a method of this name, cut down to it; else the strategy's defaults.

    ``model`` stands for the run's, where it is given. The trace is kept: it is shown. Raises ConfigError where the
    method or the model is unknown.
    """
    run = _found_run(settings, name, model)
    for each in filter(None, (run.model, run.fallback_model)):
        _check_model(each)
    return run


def _found_run(settings: Config, name: str, model: str | None) -> RunSettings:
    named = {"keep_trace": True, **({} if model is None else {"model": model})}
    for run in settings.runs.values():
        for method in run.methods:
            if method.label == name:
                return run.model_copy(update={"datasets": [DATASET], "methods": [method], **named})
    try:
        made = METHODS.settings(name)(strategy=name)
    except RegistryError as error:
        raise ConfigError(str(error)) from error
    return RunSettings(datasets=[DATASET], methods=[made], **named)


def _check_model(name: str) -> None:
    from cosee.models.registry import MODELS_FILE, load_models

    known = load_models(MODELS_FILE) if MODELS_FILE.exists() else {}
    if name not in known and name != "embedded":
        hint = did_you_mean(name, known)
        raise ConfigError(f"there is no model {name!r} ({MODELS_FILE} has {', '.join(sorted(known)) or 'none'}){hint}")


def served_models(run: RunSettings) -> dict[str, VLMClient]:
    """The clients of the run's served models. Raises ConfigError where the server or the folder of a model cannot be
    used, before a document is read."""
    from cosee.models.calls import ModelError, ServerFailure
    from cosee.models.entries import LocalEntry, ServedEntry
    from cosee.models.registry import MODELS_FILE, known_models, open_client

    models = known_models(MODELS_FILE)
    served = {}
    for name in filter(None, (run.model, run.fallback_model)):
        if isinstance(models.get(name), ServedEntry | LocalEntry):
            try:
                client = open_client(name, models)
                client.check()
            except ServerFailure as failure:
                raise ConfigError(str(failure)) from None
            except ModelError as error:
                raise ConfigError(f"{MODELS_FILE}: models.{name}: {error}") from None
            if isinstance(models[name], ServedEntry):
                served[name] = client
    return served


def question_of(text: str, doc_id: str = DOC_ID) -> Question:
    """The question about the one document of a workspace, or with no id about all there are; its own id is made of its
    words. Raises ArtifactError."""
    if not text.strip():
        raise ArtifactError("ask: the question is empty")
    number = files.sha256_value(text.strip())[:12]
    return Question(question_id=f"q-{number}", doc_id=doc_id, question=text.strip())


def workspace_of(pdf: Path, run: str = "", method: str = "") -> Workspace:
    """Where a PDF is worked on, by its bytes. Raises ArtifactError where there is no such file."""
    from cosee.machine import cache_root

    if not pdf.is_file():
        raise ArtifactError(f"{pdf}: no such file")
    return Workspace(cache_root() / "ask" / files.sha256_file(pdf)[:16], pdf, run, method)


@contextmanager
def work_on(workspace: Workspace, settings: Config, question: Question | None = None) -> Iterator[None]:
    """Hold the workspace, with document, question and shard files where the stages look for them."""
    from cosee.datasets.placing import place_document
    from cosee.pipeline.shards import sync_dataset

    os.environ.setdefault("TQDM_DISABLE", "1")  # a library's progress bar is no answer
    with locked(workspace.root / ".lock"):
        place_document(workspace.paths.dataset(DATASET), DOC_ID, workspace.pdf)
        if question is not None:
            save_rows(workspace.paths.question_file(DATASET), [question])
        sync_dataset(workspace.paths, DATASET, settings.shard_pages)
        yield


def document_stages(settings: Config) -> Iterator[tuple[Stage, Record]]:
    """From the PDF to its tree, each with its settings. A stage's module is loaded when its turn comes."""
    from cosee.stages.adapt import AdaptStage

    yield AdaptStage(), settings.adapt
    from cosee.stages.enhance import EnhanceStage

    yield EnhanceStage(), settings.enhance
    from cosee.artifacts.settings.parsing import BuildSettings
    from cosee.stages.build import BuildStage

    yield BuildStage(), BuildSettings()


def search_stages(settings: Config) -> Iterator[tuple[Stage, Record]]:
    """From the tree to its index and the question's vectors."""
    from cosee.stages.index import IndexStage
    from cosee.stages.questions import QuestionsStage

    yield IndexStage(), settings.index
    yield QuestionsStage(), settings.index


def run_stage(stage: Stage, section: Record, workspace: Workspace, settings: Config, *, quiet: bool) -> None:
    """Run a stage as a job would, stamps included; a document that it cannot process ends the command."""
    rows = shard_rows(stage, section, workspace.paths, SHARD, settings, quiet=quiet)
    row = next((row for row in rows if row.doc_id == DOC_ID), None)
    if row is None or row.status in ("failed", "skipped"):
        raise ArtifactError(_explain(stage.name, workspace, row))
    if (row.status == "partial" or row.lacked) and row.message and not quiet:
        sys.stderr.write(f"cosee: {row.message}\n")


def shard_rows(
    stage: Stage,
    section: Record,
    paths: Paths,
    shard: str,
    settings: Config,
    *,
    quiet: bool,
    upstream: Sequence[str] | None = None,
) -> list[LedgerRow]:
    """Run a stage over one shard of a workspace as a job would, behind the stages ``upstream``, else the usual ones."""
    from cosee.pipeline.job import job_code
    from cosee.pipeline.runner import Job, run_shard
    from cosee.pipeline.workflow import UPSTREAM

    before = UPSTREAM.get(stage.name, ()) if upstream is None else upstream
    job = Job(
        stage=stage,
        settings=section,
        settings_sha256=files.sha256_value(section.model_dump(mode="json")),
        code_sha256=job_code(stage.name, section).sha256,
        paths=paths,
        dataset=DATASET,
        shard=shard,
        upstream=[paths.place(name, DATASET, shard).ledger for name in before],
        limits=settings.limits,
    )
    with Console(stderr=True, quiet=quiet).status(f"{stage.name} ..."):
        return run_shard(job)


def _explain(stage: str, workspace: Workspace, row: LedgerRow | None) -> str:
    if row is None:
        return f"{workspace.pdf}: stage {stage} has no row of it; remove {workspace.root} and ask again"
    advice = f". {remedy(row.reason)}" if row.reason else ""
    return f"{workspace.pdf}: stage {stage} failed ({row.reason}): {row.message}{advice}"


def print_event(event: TraceEvent) -> None:
    """One line of NDJSON on standard output."""
    sys.stdout.write(files.canonical_json(event.model_dump(mode="json", exclude_none=True)) + "\n")
    sys.stdout.flush()


def print_answer(console: Console, answer: Prediction, trace: Path) -> None:
    """The answer with its confidence, pages and quotes, as people read it."""
    pages = dict.fromkeys(
        _page_name(each) for each in sorted(answer.support, key=lambda each: (each.doc_id or "", each.page))
    )
    if answer.unread is not None:
        line(console, answer.unread, "bold yellow")
    line(console, answer.answer or f"no answer ({answer.reason})", "bold")
    if answer.answer_long and answer.answer_long != answer.answer:
        for part in answer.answer_long.splitlines():
            line(console, part)
    confidence = "none given" if answer.confidence is None else f"{answer.confidence:.2f}"
    reader = "no model read this" if answer.model in ("", "embedded") else f"with {answer.model}"
    line(console, f"confidence: {confidence}; by {answer.method}, {reader}; {answer.exit_reason}")
    if answer.documents:
        line(console, "searched: " + ", ".join(f"{name} ({chance:.2f})" for name, chance in answer.documents.items()))
    line(console, f"pages: {', '.join(pages) or 'none'}")
    for support in answer.support:
        label = f" (printed {support.page_label})" if support.page_label not in (None, str(support.page)) else ""
        found = "  (not found on the page)" if support.quote_found is False else ""
        found = f"  (unverified: {support.unverified})" if support.unverified else found
        where = f"{support.doc_id}, page" if support.doc_id else "page"
        line(console, f"  {where} {support.page}{label} {support.node_id or ''}: {support.quote or 'no quote'}{found}")
    line(console, f"trace: {trace}  (cosee show FILE)", "dim")


def _page_name(support: Support) -> str:
    return f"{support.doc_id}, page {support.page}" if support.doc_id else str(support.page)
