"""``cosee run-stage STAGE``: one stage over one or all shards without Snakemake, by the very command of its rule."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line
from cosee.pipeline.config import ConfigError, read_mapping
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES
from cosee.pipeline.workflow import Project, open_project
from cosee.text.likeness import did_you_mean

DOCUMENT_STAGES = (*DATA_STAGES, *INDEX_STAGES)
COLLECTION_STAGE = "collection"
STAGES = (*DOCUMENT_STAGES, COLLECTION_STAGE, ANSWER_STAGE, "collect", "evaluate", "summarize")


@dataclass(frozen=True)
class Choice:
    """Which jobs of a stage; None means every one."""

    stage: str
    dataset: str | None = None
    shard: str | None = None
    run: str | None = None
    method: str | None = None
    redo: bool = False
    workers: int = 1


@dataclass(frozen=True)
class StageJob:
    """One job: its name, the files that must be there, and the arguments after ``python -m``."""

    name: str
    needs: list[str]
    arguments: list[str]


def run_stage(choice: Choice, config: Path, console: Console) -> int:
    """Run the chosen jobs one after the other; returns the first exit status that is not 0.

    Raises:
        ConfigError: the configuration, or a name that was chosen, is wrong.
        ArtifactError: a dataset cannot be used, or the stage before has not run.
        LockHeld: a run lives in this folder.
    """
    if choice.stage not in STAGES:
        hint = did_you_mean(choice.stage, STAGES)
        raise ConfigError(f"there is no stage {choice.stage!r} (stages: {', '.join(STAGES)}){hint}")
    project = open_project(read_mapping(config), runs_jobs=True, dryrun=False, sources=[config])
    _check_names(project, choice)
    if choice.stage == ANSWER_STAGE:
        for run in _chosen(project.config.runs, choice.run):
            project.claim_run(run, rewrite=choice.redo, dryrun=False)
    jobs = list(stage_jobs(project, choice))
    if not jobs:
        raise ConfigError(f"the choice of dataset, shard, run and method leaves no job of {choice.stage!r}")
    for job in jobs:
        for needed in job.needs:
            if not Path(needed).exists():
                raise ArtifactError(f"{needed}: not there; run the stage before, or 'snakemake', which runs them all")
        line(console, job.name, "bold")
        status = subprocess.run([sys.executable, "-m", *job.arguments], check=False).returncode
        if status:
            return status if status > 0 else 1
    return 0


def stage_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    """The jobs of a choice, with the very commands of the rules in ``workflow/rules``."""
    if choice.stage in DOCUMENT_STAGES:
        yield from _document_jobs(project, choice)
    elif choice.stage == COLLECTION_STAGE:
        yield from _collection_jobs(project, choice)
    elif choice.stage == ANSWER_STAGE:
        yield from _answer_jobs(project, choice)
    elif choice.stage == "collect":
        yield from _collect_jobs(project, choice)
    elif choice.stage == "evaluate":
        yield from _evaluate_jobs(project, choice)
    else:
        runs = list(project.config.runs)
        budget = str(project.config.failure_budget)
        needs = [f"{project.config.results_dir}/{run}/metrics.json" for run in runs]
        arguments = ["--runs", *runs, "--budget-of-failures", budget, "--plugins", *project.plugins()]
        arguments += [*_project_arguments(project), "--workers", str(choice.workers), "--redo", str(int(choice.redo))]
        yield StageJob("summarize", needs, ["cosee.stages.summarize", *arguments])


def _document_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    for dataset in _chosen(project.shards, choice.dataset):
        shards = project.members(dataset) if choice.stage == "questions" else project.shards[dataset]
        for shard in _chosen(shards, choice.shard):
            before = project.upstream(choice.stage, dataset, shard)
            arguments = _common(project, choice, dataset, shard, project.settings(choice.stage))
            upstream = [] if choice.stage == DATA_STAGES[0] else ["--upstream", *before]
            yield StageJob(f"{choice.stage} {dataset}/{shard}", before, [*arguments, *upstream])


def _collection_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    for dataset in _chosen(project.collected(), choice.dataset):
        for shard in _chosen(project.shards[dataset], choice.shard):
            ledger = project.ledger("index", dataset, shard)
            arguments = ["--dataset", dataset, "--shard", shard, "--ledger", ledger, *_project_arguments(project)]
            yield StageJob(f"collection {dataset}/{shard}", [ledger], ["cosee.stages.collection", *arguments])


def _answer_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    for run, method in _methods(project, choice):
        for dataset in _chosen(project.config.runs[run].datasets, choice.dataset):
            for shard in _chosen(project.members(dataset), choice.shard):
                before = project.upstream(ANSWER_STAGE, dataset, shard)
                searched = project.collection(run, dataset, shard)
                arguments = _common(project, choice, dataset, shard, project.answer_settings(run, method))
                more = ["--upstream", *before, "--run", run, "--method", method]
                more += ["--plugins", *project.answer_plugins(run, method)]
                more += ["--allowance", project.allowance(run, method, dataset, shard), "--collection", *searched]
                yield StageJob(f"answer {run} {method} {dataset}/{shard}", [*before, *searched], [*arguments, *more])


def _collect_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    for run, method in _methods(project, choice):
        datasets = project.config.runs[run].datasets
        arguments = ["--run", run, "--method", method, "--datasets", *datasets, *_project_arguments(project)]
        needs = project.answer_ledgers(run, method)
        yield StageJob(f"collect {run} {method}", needs, ["cosee.stages.collect", *arguments])


def _evaluate_jobs(project: Project, choice: Choice) -> Iterator[StageJob]:
    for run in _chosen(project.config.runs, choice.run):
        methods, datasets = project.methods(run), project.config.runs[run].datasets
        needs = [f"{project.config.results_dir}/{run}/predictions/{method}.jsonl" for method in methods]
        arguments = ["--run", run, "--methods", *methods, "--datasets", *datasets]
        settings = ["--settings", project.settings("evaluate"), "--plugins", *project.plugins()]
        yield StageJob(
            f"evaluate {run}", needs, ["cosee.stages.evaluate", *arguments, *settings, *_project_arguments(project)]
        )


def _common(project: Project, choice: Choice, dataset: str, shard: str, settings: str) -> list[str]:
    """Module and arguments of every per-document stage."""
    return [
        f"cosee.stages.{choice.stage}", "--dataset", dataset, "--shard", shard, *_project_arguments(project),
        "--settings", settings, "--limits", project.config.limits.model_dump_json(),
        "--workers", str(choice.workers), "--redo", str(int(choice.redo)),
    ]  # fmt: skip


def _project_arguments(project: Project) -> list[str]:
    config = project.config
    folders = ["--data", config.data_dir, "--indexes", config.indexes_dir, "--results", config.results_dir]
    return [*folders, "--die-with-parent"]


def _methods(project: Project, choice: Choice) -> Iterator[tuple[str, str]]:
    for run in _chosen(project.config.runs, choice.run):
        for method in _chosen(project.methods(run), choice.method):
            yield run, method


def _chosen(names: Iterable[str], choice: str | None) -> list[str]:
    return [name for name in names if choice in (None, name)]


def _check_names(project: Project, choice: Choice) -> None:
    """Refuse a name that the configuration does not have, with those that it has."""
    shards = sorted({shard for dataset in project.shards for shard in project.members(dataset)})
    methods = sorted({method for run in project.config.runs for method in project.methods(run)})
    for kind, value, known in (
        ("dataset", choice.dataset, list(project.shards)),
        ("shard", choice.shard, shards),
        ("run", choice.run, list(project.config.runs)),
        ("method", choice.method, methods),
    ):
        if value is not None and value not in known:
            hint = did_you_mean(value, known)
            raise ConfigError(f"there is no {kind} {value!r} (the configuration has {', '.join(known)}){hint}")
