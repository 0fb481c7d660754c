"""Collect: every question of a run's datasets gets exactly one row, whatever failed on the way."""

from __future__ import annotations

import argparse
import logging
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.names import ASKED
from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.artifacts.results.prediction import Prediction, failed_prediction
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.ledger_lines import rows_that_tell
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES

log = logging.getLogger(__name__)


@seldom_collected
def collect(
    run: str, method: str, datasets: Sequence[str], *, data: Path, indexes: Path, results: Path
) -> list[Prediction]:
    """The rows of ``results/<run>/predictions/<method>.jsonl``, sorted by (dataset, question_id).

    A question without an answer row is ``failed``: with ``<stage>:<reason>`` of the first stage, in their order, whose
    ledger says that it could not process the document; ``document_missing`` where there is no such document, else
    ``no_answer``.

    Raises:
        ArtifactError: a questions, answers or ledger file cannot be read, or has a question id twice.
    """
    rows: list[Prediction] = []
    for dataset in sorted(set(datasets)):
        if not (data / dataset).is_dir():
            raise ArtifactError(f"{data / dataset}: no such dataset")
        questions = load_questions(data / dataset / "qa" / "questions.jsonl")
        answers = _answers(results / run / "answers" / method / dataset)
        causes = _causes(run, method, dataset, data=data, indexes=indexes, results=results)
        for question in questions:
            row = answers.get((question.doc_id, question.question_id))
            if row is None:
                present = not question.doc_id or (data / dataset / question.doc_id / "full.pdf").is_file()
                reason = causes.get(question.place, "no_answer" if present else "document_missing")
                row = failed_prediction(
                    question_id=question.question_id,
                    doc_id=question.doc_id,
                    dataset=dataset,
                    method=method,
                    reason=reason,
                )
            rows.append(row)
    return rows


def _answers(folder: Path) -> dict[tuple[str, str], Prediction]:
    """Every answer row of a method on a dataset, by document and question."""
    paths = (path for pattern in ("*.jsonl", f"{ASKED}/*.jsonl") for path in sorted(folder.glob(pattern)))
    rows = (row for path in paths for row in load_rows(Prediction, path))
    return {(row.doc_id, row.question_id): row for row in rows}


def _causes(run: str, method: str, dataset: str, *, data: Path, indexes: Path, results: Path) -> dict[str, str]:
    """Document -> ``<stage>:<reason>`` of the first stage that failed on it or skipped it."""
    causes: dict[str, str] = {}
    ledgers = [(stage, data / dataset / ".ledger", f"{stage}.*.jsonl") for stage in DATA_STAGES]
    ledgers += [(stage, indexes / dataset / ".ledger", f"{stage}.*.jsonl") for stage in INDEX_STAGES]
    ledgers.append((ANSWER_STAGE, results / run / "ledger", f"{ANSWER_STAGE}.{method}.{dataset}.*.jsonl"))
    for stage, folder, pattern in ledgers:
        for path in sorted(folder.glob(pattern)):
            for row in rows_that_tell(path):
                if row.status in ("failed", "skipped"):
                    causes.setdefault(row.doc_id, f"{stage}:{row.reason or row.status}")
    return causes


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the predictions of one method; returns 0, or 2 where an input file is faulty."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.collect", description=main.__doc__)
    parser.add_argument("--run", required=True, help="Name of the run.")
    parser.add_argument("--method", required=True, help="Name of the method.")
    parser.add_argument("--datasets", required=True, nargs="+", help="Datasets of the run.")
    project_arguments(parser)
    options = parser.parse_args(arguments)
    begin(options)
    try:
        rows = collect(
            options.run,
            options.method,
            options.datasets,
            data=options.data,
            indexes=options.indexes,
            results=options.results,
        )
        path = options.results / options.run / "predictions" / f"{options.method}.jsonl"
        save_rows(path, rows)
    except (ArtifactError, DiskFailure) as error:
        log.error("%s", error)
        return 1 if isinstance(error, DiskFailure) else 2
    statuses = Counter(row.status for row in rows)
    log.info("%s: %d questions (%s)", path, len(rows), ", ".join(f"{n} {s}" for s, n in sorted(statuses.items())))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
