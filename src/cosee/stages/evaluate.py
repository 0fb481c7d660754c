"""M4, first half: a run's answers and questions to metrics, tables and costs."""

from __future__ import annotations

import argparse
import json
import logging
import platform
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from cosee.artifacts import files
from cosee.artifacts.base import save_rows, validate
from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.artifacts.results.metrics import MethodMetrics, Metrics, Provenance
from cosee.artifacts.results.sample_log import SampleLine
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.ablation import ablation_table
from cosee.evaluation.compare import compare
from cosee.evaluation.measure import further_measures
from cosee.evaluation.references import references, uses_gold
from cosee.evaluation.results import QuestionResult, join
from cosee.evaluation.sample_log import sample_line
from cosee.evaluation.scorers.official import catalogue
from cosee.evaluation.seeds import seed_groups
from cosee.evaluation.summary import method_metrics
from cosee.evaluation.tables import question_table
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.plugins import in_use
from cosee.runs import costs as run_costs
from cosee.runs import files as run_files
from cosee.runs.provenance import code_of, input_hashes

logger = logging.getLogger(__name__)
MODE = (
    "Accuracy: MMLongBench-Doc's rules after normalising numbers, units and abstentions, with the corrections stated "
    "in cosee.evaluation.scorers.accuracy; no judge model. Published scorers stand beside it as official."
)
JUDGED_MODE = MODE.replace("no judge model", "FreeText answers as the judge model says")
PACKAGES = (
    "cosee",
    "numpy",
    "pandas",
    "pyarrow",
    "pydantic",
    "pymupdf",
    "scipy",
    "tokenizers",
    "torch",
    "transformers",
)
"""Packages whose versions can change figures; one that is not installed is left out."""


@seldom_collected
def evaluate_run(
    paths: Paths, run: str, methods: Sequence[str], datasets: Sequence[str], settings: EvaluateSettings
) -> Metrics:
    """Score a run and write its files. Raises ArtifactError for an unreadable input."""
    questions = run_files.questions_of(paths, datasets)
    results: dict[str, list[QuestionResult]] = {}
    notes: list[str] = []
    for method in methods:
        predictions = run_files.load_predictions(paths, run, method)
        judgements = run_files.load_judgements(paths, run, method) if settings.judge else None
        checks = run_files.load_checks(paths, run, method) if settings.evidence else None
        try:
            results[method], faults = join(questions, predictions, settings.recall_at, judgements, checks)
        except ValueError as error:
            raise ArtifactError(f"{run}, {method}: {error}") from error
        notes += [f"{method}: {fault}" for fault in faults]
    method_settings = run_files.method_settings(paths, run)
    seeded = run_files.seeded_methods(method_settings, methods)
    figures = {method: method_metrics(rows, settings) for method, rows in results.items()}
    metrics = Metrics(
        run=run,
        datasets=list(datasets),
        provenance=_provenance(paths, run, datasets, settings, results, figures),
        documents=run_files.count_documents(paths, run, datasets, methods),
        method_order=list(methods),
        methods=figures,
        measures={name: note for name, note in further_measures().items() if _is_known(name, figures)},
        references=references(questions, results, settings),
        seeds=seed_groups(figures, seeded, further_measures()),
        comparisons=compare(results, settings, {name: list(labels) for name, labels in seeded.items()}),
        notes=notes + _notes(results, figures),
    )
    folder = paths.results / run
    files.write_parquet(folder / "metrics.parquet", question_table(run, results))
    files.write_parquet(folder / "ablations.parquet", ablation_table(run, results, figures, method_settings, settings))
    run_costs.run_costs(paths, run, datasets, results).save(folder / "costs.json")
    if settings.samples:
        save_rows(folder / "samples.jsonl", _samples(paths, run, results))
    else:
        # One of an earlier evaluation would tell of other answers.
        (folder / "samples.jsonl").unlink(missing_ok=True)
    metrics.save(folder / "metrics.json")
    return metrics


def _is_known(measure: str, figures: Mapping[str, MethodMetrics]) -> bool:
    """Whether a measure says something of any method's answers."""
    return any(measure in each.all.measures for each in figures.values())


def _notes(results: Mapping[str, Sequence[QuestionResult]], figures: Mapping[str, MethodMetrics]) -> list[str]:
    """What a reader of the figures must know."""
    notes = [
        f"{method}: answers were made with {len(each.config_hashes)} configurations"
        for method, each in figures.items()
        if len(each.config_hashes) > 1
    ]
    notes += [
        f"{method}: was given gold pages; a ceiling to compare with, not a method that could be used"
        for method, rows in results.items()
        if uses_gold(rows)
    ]
    for method, rows in results.items():
        failed = sum(row.judgement is not None and row.judgement.status == "failed" for row in rows)
        if failed:
            notes.append(f"{method}: the judge failed on {failed} answers, which count as wrong")
        failed = sum(row.evidence is not None and row.evidence.status == "failed" for row in rows)
        if failed:
            notes.append(f"{method}: the evidence of {failed} answers could not be tried, and counts as none")
    return notes


def _samples(paths: Paths, run: str, results: Mapping[str, Sequence[QuestionResult]]) -> Iterator[SampleLine]:
    for method, rows in results.items():
        for row in rows:
            board = run_files.final_board(paths, run, method, row.dataset, row.question.question_id)
            yield sample_line(method, row, board)


def _provenance(
    paths: Paths,
    run: str,
    datasets: Sequence[str],
    settings: EvaluateSettings,
    results: Mapping[str, Sequence[QuestionResult]],
    figures: Mapping[str, MethodMetrics],
) -> Provenance:
    methods = list(results)
    asked = [name for name, model in (("judge", settings.judge), ("evidence", settings.evidence)) if model]
    code = code_of(paths, run, methods, asked)
    judges = [row.judgement for rows in results.values() for row in rows if row.judgement is not None]
    checks = [row.evidence for rows in results.values() for row in rows if row.evidence is not None]
    return Provenance(
        config_hash=files.sha256_value(
            {"methods": methods, "datasets": list(datasets), **settings.model_dump(mode="json")}
        ),
        code_version=code["evaluate"],
        code=code,
        configurations={method: each.config_hashes for method, each in figures.items()},
        models={method: each.models for method, each in figures.items()},
        versions=_versions(),
        data=input_hashes(paths, run, methods, datasets),
        scorers=catalogue(),
        judge=", ".join(sorted({f"{each.model}@{each.model_revision}" for each in judges})) or None,
        evidence=", ".join(sorted({f"{each.model}@{each.model_revision}" for each in checks})) or None,
        mode=JUDGED_MODE if settings.judge else MODE,
    )


def _versions() -> dict[str, str]:
    versions = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions | {f"plugin {name}": loaded.sha256[:12] for name, loaded in in_use().items()}


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.evaluate", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--methods", nargs="+", required=True, help="names of the run's methods")
    parser.add_argument("--datasets", nargs="+", required=True, help="names of the run's datasets")
    parser.add_argument("--settings", default="{}", help="the section 'evaluate' as JSON")
    project_arguments(parser)
    arguments = parser.parse_args(argv)
    paths = begin(arguments)
    try:
        settings = validate(EvaluateSettings, json.loads(arguments.settings), "--settings")
        metrics = evaluate_run(paths, arguments.run, arguments.methods, arguments.datasets, settings)
    except (json.JSONDecodeError, ArtifactError, DiskFailure) as error:
        sys.stderr.write(f"evaluate: {error}\n")
        return 1 if isinstance(error, DiskFailure) else 2
    for method, figures in metrics.methods.items():
        logger.info(
            "%s %s: accuracy %s over %d questions (always 'Not answerable': %s), %s",
            arguments.run, method, figures.all.accuracy, figures.all.scored, figures.all.constant_accuracy,
            figures.all.statuses,
        )  # fmt: skip
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
