"""M4, first half: a run's answers and questions to metrics, tables and costs."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import validate
from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.artifacts.metrics import Costs, Metrics, Provenance
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.compare import compare
from cosee.evaluation.costs import method_cost
from cosee.evaluation.results import QuestionResult, join
from cosee.evaluation.scorers.official import catalogue
from cosee.evaluation.summary import method_metrics
from cosee.evaluation.tables import ablation_frame, question_frame
from cosee.pipeline.code_closure import code_sha256
from cosee.pipeline.paths import Paths
from cosee.stages import run_files

logger = logging.getLogger(__name__)
MODE = (
    "Accuracy: MMLongBench-Doc's rules after normalising numbers, units and abstentions, with the corrections stated "
    "in cosee.evaluation.scorers.accuracy; no extractor, no judge model. Published scorers stand beside it as official."
)


def evaluate_run(
    paths: Paths, run: str, methods: Sequence[str], datasets: Sequence[str], settings: EvaluateSettings
) -> Metrics:
    """Score a run and write its four files. Raises ArtifactError for an unreadable input."""
    questions = run_files.questions_of(paths, datasets)
    results: dict[str, list[QuestionResult]] = {}
    notes: list[str] = []
    for method in methods:
        predictions = run_files.load_predictions(paths, run, method)
        results[method], faults = join(questions, predictions, settings.recall_at)
        notes += [f"{method}: {fault}" for fault in faults]
    figures = {method: method_metrics(rows, settings) for method, rows in results.items()}
    notes += [
        f"{method}: answers were made with {len(each.config_hashes)} configurations"
        for method, each in figures.items()
        if len(each.config_hashes) > 1
    ]
    notes += [
        f"{method}: was given gold pages; a ceiling to compare with, not a method that could be used"
        for method, rows in results.items()
        if any(row.prediction is not None and row.prediction.uses_gold for row in rows)
    ]
    metrics = Metrics(
        run=run,
        datasets=list(datasets),
        provenance=Provenance(
            config_hash=files.sha256_value(
                {"methods": list(methods), "datasets": list(datasets), **settings.model_dump(mode="json")}
            ),
            code_version=code_sha256("cosee.stages.evaluate")[:12],
            data=_input_hashes(paths, run, methods, datasets),
            scorers=catalogue(),
            mode=MODE,
        ),
        documents=run_files.count_documents(paths, run, datasets, methods),
        method_order=list(methods),
        methods=figures,
        comparisons=compare(results, settings),
        notes=notes,
    )
    folder = paths.results / run
    files.write_parquet(folder / "metrics.parquet", question_frame(run, results))
    files.write_parquet(
        folder / "ablations.parquet", ablation_frame(run, figures, run_files.method_settings(paths, run))
    )
    Costs(
        run=run,
        methods={
            method: method_cost(rows, run_files.measured_seconds(paths, run, method, datasets))
            for method, rows in results.items()
        },
    ).save(folder / "costs.json")
    metrics.save(folder / "metrics.json")
    return metrics


def _input_hashes(paths: Paths, run: str, methods: Sequence[str], datasets: Sequence[str]) -> dict[str, str]:
    """Input below its root -> sha256, named as below the default roots."""
    inputs = {f"data/{dataset}/qa/questions.jsonl": paths.question_file(dataset) for dataset in datasets}
    inputs |= {f"data/{dataset}/documents.tsv": paths.sheet(dataset) for dataset in datasets}
    for method in methods:
        name = f"{run}/predictions/{method}.jsonl"
        inputs[f"results/{name}"] = paths.results / name
    return {name: files.sha256_file(path) for name, path in inputs.items() if path.exists()}


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.evaluate", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--methods", nargs="+", required=True, help="names of the run's methods")
    parser.add_argument("--datasets", nargs="+", required=True, help="names of the run's datasets")
    parser.add_argument("--settings", default="{}", help="the section 'evaluate' as JSON")
    parser.add_argument("--data", type=Path, default=Path("data"))
    parser.add_argument("--indexes", type=Path, default=Path("indexes"))
    parser.add_argument("--results", type=Path, default=Path("results"))
    arguments = parser.parse_args(argv)
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(message)s", force=True)
    paths = Paths(arguments.data, arguments.indexes, arguments.results)
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
