"""What the Snakefile knows of the project: configuration, shards, locks, and the inputs of every job.

The rules stay declarative; every decision that needs Python is here, where it is typed and tested.
"""

from __future__ import annotations

import os
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.datasets.documents import DocumentRow, load_sheet
from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.settings.answer import RunBudget
from cosee.models.entries import Entry
from cosee.models.registry import MODELS_FILE, known_models
from cosee.pipeline import clock
from cosee.pipeline.code_closure import Code, stage_code
from cosee.pipeline.config import Config, ConfigError, check_models, load_config, located
from cosee.pipeline.failures import curable
from cosee.pipeline.locks import LockHeld, hold_for_life
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths, Place
from cosee.pipeline.resources import Resources, share_out
from cosee.pipeline.shards import (
    collection_shards,
    shards_of,
    sync_collection,
    sync_dataset,
    sync_state,
    write_if_changed,
)
from cosee.plugins import in_use
from cosee.registry import METHODS

RUN_BUDGET = "run_budget"
"""Reason of a document with questions that the run's budget left open."""
LOCK = Path(".cosee.lock")
UPSTREAM = {"enhance": ("adapt",), "build": ("enhance",), "index": ("build",), "questions": ("index",),
            ANSWER_STAGE: ("index", "questions")}  # fmt: skip


@dataclass
class Project:
    """The configured project as the scheduler sees it."""

    config: Config
    paths: Paths
    """Where the files are."""
    shards: dict[str, dict[str, list[DocumentRow]]] = field(default_factory=dict)
    """Dataset -> shard -> present documents."""
    collections: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    """Dataset -> shard -> questions over several documents, each by the place that it has among documents."""
    models: dict[str, Entry] = field(default_factory=dict)
    """Entries of config/models.yaml."""
    writes: bool = False
    """Whether this process is the one that brings files in step; the others only read."""
    _code: dict[str, Code] = field(default_factory=dict)
    _shares: dict[str, dict[tuple[str, str, str], RunBudget]] = field(default_factory=dict)
    _questions: dict[str, Counter[str]] = field(default_factory=dict)

    @property
    def named(self) -> Paths:
        """``paths`` as the rules name them: where a module was imported with a prefix, Snakemake puts that before."""
        return Paths(Path(self.config.data_dir), Path(self.config.indexes_dir), Path(self.config.results_dir))

    def place(self, stage: str, dataset: str, shard: str, run: str | None = None, method: str | None = None) -> Place:
        """Ledger and companions of a job, as the rules name them."""
        return replace(self.named, run=run, method=method).place(stage, dataset, shard)

    def ledger(self, stage: str, dataset: str, shard: str, run: str | None = None, method: str | None = None) -> str:
        """A job's ledger, as the rules name it."""
        return self.place(stage, dataset, shard, run, method).ledger.as_posix()

    def upstream(self, stage: str, dataset: str, shard: str) -> list[str]:
        """Ledgers of the stages that a job follows."""
        if shard in self.collections.get(dataset, ()):
            return [self.ledger("questions", dataset, shard)] if stage == ANSWER_STAGE else []
        return [self.ledger(before, dataset, shard) for before in UPSTREAM.get(stage, ())]

    def collection(self, run: str, dataset: str, shard: str) -> list[str]:
        """The index that a run's questions over several documents are searched in: that of each shard of documents of
        its datasets. None where the shard is one of documents."""
        if shard not in self.collections.get(dataset, ()):
            return []
        datasets = self.config.runs[run].datasets
        return [self.named.collection(name, each).as_posix() for name in datasets for each in self.shards[name]]

    def collected(self) -> list[str]:
        """Datasets whose documents a question over several may be about."""
        several = [run.datasets for run in self.config.runs.values() if any(map(self.collections.get, run.datasets))]
        return [dataset for dataset in self.shards if any(dataset in datasets for datasets in several)]

    def code(self, stage: str) -> str:
        """The digest of the stage's import closure: it changes when one of these files is edited, comes or goes."""
        return self._digest(stage, stage_code(stage))

    def answer_code(self, run: str, method: str) -> str:
        """The same of the answers of one method: its file and what that imports, and no other method's."""
        strategy = self.config.answer_settings(run, method).method.strategy_name
        return self._digest(f"{ANSWER_STAGE}.{strategy}", self._answer_code(run, method))

    def answer_plugins(self, run: str, method: str) -> list[str]:
        """Plugins that the answers of a method need."""
        return list(self._answer_code(run, method).plugins)

    def plugins(self) -> list[str]:
        """Every plugin in use."""
        return list(in_use())

    def _digest(self, name: str, code: Code) -> str:
        path = self.paths.code(name)
        if self.writes:
            missing = not path.exists()
            write_if_changed(path, code.digest())
            if missing:
                # As old as the code: a digest that was lost makes nothing stale that the code itself would not.
                newest = max(each.stat().st_mtime_ns for each in code.files)
                os.utime(path, ns=(newest, newest))
        return self.named.code(name).as_posix()

    def _answer_code(self, run: str, method: str) -> Code:
        strategy = self.config.answer_settings(run, method).method.strategy_name
        if strategy not in self._code:
            self._code[strategy] = stage_code(ANSWER_STAGE, [strategy])
        return self._code[strategy]

    def settings(self, stage: str) -> str:
        """The stage's own section as canonical JSON, for ``params`` and the command line."""
        section = getattr(self.config, "index" if stage == "questions" else stage, None)
        return files.canonical_json({} if section is None else section.model_dump(mode="json"))

    def answer_settings(self, run: str, method: str) -> str:
        """The settings of one method of one run as canonical JSON."""
        return files.canonical_json(self.config.answer_settings(run, method).model_dump(mode="json"))

    def models_of(self, *names: str | None) -> str:
        """What decides the replies of the named models as canonical JSON, for ``params``: no other entry of
        config/models.yaml redoes what was made with them, nor does a server that moved."""
        return files.canonical_json({name: self.models[name].deciding() for name in names if name in self.models})

    def run_models(self, run: str) -> str:
        """The same of a run's models."""
        settings = self.config.runs[run]
        return self.models_of(settings.model, settings.fallback_model)

    def allowance(self, run: str, method: str, dataset: str, shard: str) -> str:
        """A job's share of its run's budget as canonical JSON; null where the run has none, or the method asks no
        model."""
        budget = self.config.runs[run].run_budget
        if budget is None:
            return "null"
        if run not in self._shares:
            told = {each.label: METHODS.get(each.strategy_name).about for each in self.config.runs[run].methods}
            asking = [label for label, about in told.items() if about["calls"] != "0"]
            counts = {
                (label, name, number): sum(self._asked(name)[each] for each in members)
                for label in asking
                for name in self.config.runs[run].datasets
                for number, members in self.members(name).items()
            }
            self._shares[run] = share_out(budget, counts)
        share = self._shares[run].get((method, dataset, shard))
        return files.canonical_json(None if share is None else share.model_dump(mode="json"))

    def _asked(self, dataset: str) -> Counter[str]:
        """Document, or place of a question over several, -> its questions."""
        if dataset not in self._questions:
            found = load_questions(self.paths.question_file(dataset))
            self._questions[dataset] = Counter(question.place for question in found)
        return self._questions[dataset]

    def members(self, dataset: str) -> dict[str, list[str]]:
        """Every shard that is answered -> its documents, or the places of its questions over several."""
        documents = {shard: [row.doc_id for row in rows] for shard, rows in self.shards[dataset].items()}
        return documents | self.collections.get(dataset, {})

    def methods(self, run: str) -> list[str]:
        """Labels of a run's methods."""
        return [method.label for method in self.config.runs[run].methods]

    def answer_ledgers(self, run: str, method: str) -> list[str]:
        """Ledgers of every answer job of a run's method."""
        return [
            self.ledger(ANSWER_STAGE, dataset, shard, run, method)
            for dataset in self.config.runs[run].datasets
            for shard in self.members(dataset)
        ]

    def document_ledgers(self, run: str) -> list[str]:
        """Ledgers of M0 to M2 of a run's datasets."""
        return [
            self.ledger(stage, dataset, shard)
            for dataset in self.config.runs[run].datasets
            for shard in self.shards[dataset]
            for stage in (*DATA_STAGES, *INDEX_STAGES)
        ]

    def question_files(self, run: str) -> list[str]:
        """Question files of a run's datasets that exist."""
        datasets = self.config.runs[run].datasets
        found = [dataset for dataset in datasets if self.paths.question_file(dataset).exists()]
        return [self.named.question_file(dataset).as_posix() for dataset in found]

    def judgements(self, run: str) -> list[str]:
        """What a judge says of each of the run's methods; nothing where rules alone score."""
        if self.config.evaluate.judge is None:
            return []
        return self._of_methods(run, "judgements")

    def evidence_checks(self, run: str) -> list[str]:
        """What a model answers from the evidence of each of the run's methods; nothing where none is asked."""
        return [] if self.config.evaluate.evidence is None else self._of_methods(run, "evidence")

    def _of_methods(self, run: str, kind: str) -> list[str]:
        return [(self.named.results / run / kind / f"{method}.jsonl").as_posix() for method in self.methods(run)]

    def places(self) -> Iterator[Place]:
        """Where every job's files are: M0 to M2 of each shard, then M3 of each run and method."""
        for dataset in self.shards:
            yield from self._document_places(dataset)
        for run in self.config.runs:
            yield from self._answer_places(run)

    def _answer_places(self, run: str) -> Iterator[Place]:
        for method in self.methods(run):
            paths = replace(self.paths, run=run, method=method)
            for dataset in self.config.runs[run].datasets:
                for shard in self.members(dataset):
                    yield paths.place(ANSWER_STAGE, dataset, shard)

    def _document_places(self, dataset: str) -> Iterator[Place]:
        for shard in self.shards[dataset]:
            for stage in (*DATA_STAGES, *INDEX_STAGES):
                yield self.paths.place(stage, dataset, shard)
        for shard in self.collections.get(dataset, ()):
            yield self.paths.place("questions", dataset, shard)

    def threads(self, cores: int | None) -> int:
        """Documents that a parsing job takes at a time: the cores shared out among the shards."""
        return max(1, (cores or 1) // max(1, sum(len(shards) for shards in self.shards.values())))

    @property
    def resources(self) -> Resources:
        """What jobs ask a scheduler for."""
        return Resources(self.config, self.models)

    def claim_run(self, run: str, *, rewrite: bool, dryrun: bool) -> None:
        """Record a run's settings in ``run.json``; a method more or fewer is no other setting.

        Raises:
            ConfigError: the run has answers made with other settings, and ``rewrite`` is false.
        """
        record = self.paths.results / run / "run.json"
        wanted: dict[str, Any] = {
            method: self.config.answer_settings(run, method).model_dump(mode="json") for method in self.methods(run)
        }
        existing: dict[str, Any] = files.read_json(record) if record.exists() else {}
        has_answers = (self.paths.results / run / "answers").exists()
        different = [
            line
            for method in sorted(wanted.keys() & existing.keys())
            for line in _differences(method, existing[method], wanted[method])
        ]
        if has_answers and different and not rewrite:
            raise ConfigError(
                f"run {run!r} exists with other settings: {'; '.join(different[:5])}. Give the new settings another "
                "run name (or another results_dir), or overwrite its answers with '-R answer'"
            )
        if not dryrun:
            write_if_changed(record, {**existing, **wanted} if has_answers else wanted)

    def curable(self) -> list[str]:
        """Sentences about documents that another try may cure."""
        datasets = {dataset for settings in self.config.runs.values() for dataset in settings.datasets}
        places = [place for dataset in datasets for place in self._document_places(dataset)]
        return list(curable(sorted(place.ledger for place in places)))

    def left_open(self) -> str | None:
        """A sentence when a run's budget did not last for all of its questions, else None."""
        for run in (name for name, settings in self.config.runs.items() if settings.run_budget is not None):
            ledgers = [place.ledger for place in self._answer_places(run)]
            rows = [row for path in ledgers if path.exists() for row in load_rows(LedgerRow, path)]
            count = sum(row.counts.get("open", 0) for row in rows if row.reason == RUN_BUDGET)
            if count:
                return (
                    f"run {run!r}: run_budget left {count} answers open (their rows say so); raise it and give the "
                    "same command again"
                )
        return None

    def failures(self) -> str | None:
        """A sentence when more documents or questions failed than the budget allows, or were left open by a run's
        budget, else None."""
        if (left := self.left_open()) is not None:
            return left
        summary = files.read_json(self.paths.results / "metrics_summary.json")
        budget = self.config.failure_budget
        for run, block in summary["runs"].items():
            for kind in ("documents", "questions"):
                counts = block["counts"][kind]
                total = sum(counts.values())
                failed = counts.get("failed", 0) + counts.get("skipped", 0)
                if total and failed / total > budget:
                    return f"run {run!r}: {failed} of {total} {kind} failed, more than failure_budget {budget:g} allows"
        return None


def open_project(
    value: dict[str, Any],
    *,
    runs_jobs: bool,
    dryrun: bool,
    placed: Callable[[str], str] = str,
    sources: Sequence[Path] = (),
) -> Project:
    """Check the configuration, take the project's lock and bring sheet, shards and states in step with the disk.

    ``runs_jobs`` is false in the processes that a cluster starts for single jobs: they only read. A dry run that finds
    a run alive reads too. ``placed`` says where a folder that the rules name is, relative to the working folder;
    ``sources`` are the files that the configuration was read from, for messages.

    Raises:
        ConfigError: the configuration is wrong.
        ArtifactError: a dataset or one of its files cannot be used.
        LockHeld: another run lives in this folder.
    """
    try:
        project = _checked(value, placed)
    except ConfigError as error:
        raise located(error, sources) from error
    config = project.config
    if runs_jobs:
        try:
            hold_for_life(LOCK)
        except LockHeld:
            if not dryrun:
                raise
            runs_jobs = False
    if not runs_jobs:
        for dataset in config.datasets:
            project.shards[dataset] = shards_of(load_sheet(project.paths.sheet(dataset)))
            asked = collection_shards(load_questions(project.paths.question_file(dataset)))
            project.collections[dataset] = {shard: [each.place for each in some] for shard, some in asked.items()}
        return project
    project.writes = True
    if not dryrun:
        # Nobody else holds the lock, so what Snakemake left behind is the lock of a killed run.
        shutil.rmtree(Path(".snakemake") / "locks", ignore_errors=True)
    roots = (project.paths.data, project.paths.indexes)
    compared = [root / dataset for root in roots for dataset in config.datasets]
    clock.settle(clock.compared(compared, project.paths.results, config.runs))
    clock.settle(project.paths.data.glob(".code/*.json"))
    for dataset in config.datasets:
        project.shards[dataset] = sync_dataset(project.paths, dataset, config.shard_pages)
        project.collections[dataset] = sync_collection(project.paths, dataset)
    for place in project.places():
        sync_state(place)
    return project


def _checked(value: dict[str, Any], placed: Callable[[str], str]) -> Project:
    """The project of a configuration, its models known. Raises ConfigError, ArtifactError."""
    config = load_config(value)
    data, indexes, results = (Path(placed(each)) for each in (config.data_dir, config.indexes_dir, config.results_dir))
    project = Project(config, Paths(data, indexes, results))
    project.models = known_models(MODELS_FILE)
    check_models(config, project.models)
    return project


def _differences(where: str, old: Any, new: Any) -> list[str]:
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            line
            for key in sorted(old.keys() | new.keys())
            for line in _differences(f"{where}.{key}", old.get(key), new.get(key))
        ]
    return [] if old == new else [f"{where} is {new!r}, was {old!r}"]
