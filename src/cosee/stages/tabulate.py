"""M4: a run's answers as one table, ``answers.csv`` and ``answers.xlsx``."""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.evaluation.results import QuestionResult, join
from cosee.export.answers import answer_table, answers_csv, answers_workbook
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.runs import files as run_files

logger = logging.getLogger(__name__)


def run_results(
    paths: Paths, run: str, methods: Sequence[str], datasets: Sequence[str], *, judged: bool
) -> dict[str, list[QuestionResult]]:
    """Method -> every question's result, in one order. ``judged``: a judge was asked.

    Raises:
        ArtifactError: the predictions or questions cannot be read, or a judgement is missing.
    """
    questions = run_files.questions_of(paths, datasets)
    results = {}
    for method in methods:
        judgements = run_files.load_judgements(paths, run, method) if judged else None
        try:
            results[method] = join(questions, run_files.load_predictions(paths, run, method), [], judgements)[0]
        except ValueError as error:
            raise ArtifactError(f"{run}, {method}: {error}") from error
    return results


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.tabulate", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--methods", nargs="+", required=True, help="names of the run's methods")
    parser.add_argument("--datasets", nargs="+", required=True, help="names of the run's datasets")
    parser.add_argument("--judged", type=int, default=0, help="1: a judge was asked about the answers")
    project_arguments(parser)
    options = parser.parse_args(argv)
    paths = begin(options)
    folder = paths.results / options.run
    try:
        results = run_results(paths, options.run, options.methods, options.datasets, judged=bool(options.judged))
        rows = answer_table(results)
        files.write_text(folder / "answers.csv", answers_csv(rows))
        files.write_bytes(folder / "answers.xlsx", answers_workbook(rows))
    except (ArtifactError, DiskFailure) as error:
        sys.stderr.write(f"tabulate: {error}\n")
        return 1 if isinstance(error, DiskFailure) else 2
    logger.info("%s: %d rows", folder / "answers.csv", len(rows))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
