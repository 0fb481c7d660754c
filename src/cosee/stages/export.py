"""After M3: each document of a run as a marked PDF, tables, Markdown or HTML, and what became of each."""

from __future__ import annotations

import argparse
import json
import logging
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

from cosee.artifacts import files
from cosee.artifacts.base import save_rows, validate
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.datasets.names import document_of
from cosee.artifacts.files import ArtifactError, DiskFailure
from cosee.artifacts.results.export import ExportKind, ExportRow
from cosee.artifacts.results.prediction import Prediction
from cosee.export.documents import INSTALL, Source, export
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.pdf_file import PasswordError
from cosee.pipeline.isolation import Limits, Outcome, run_isolated
from cosee.pipeline.job import begin, project_arguments
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import StageFailure, StageResult
from cosee.runs import files as run_files

logger = logging.getLogger(__name__)
KINDS: tuple[ExportKind, ...] = get_args(ExportKind)


def export_run(
    paths: Paths,
    run: str,
    kind: ExportKind,
    datasets: Sequence[str],
    methods: Sequence[str] = (),
    limits: Limits | None = None,
    workers: int = 1,
) -> list[ExportRow]:
    """Export every document of a run's datasets, each in a child process; writes and gives their rows.

    ``methods`` are those whose evidence a PDF is marked with. A document that cannot be exported has a row that says
    why.

    Raises:
        ArtifactError: a sheet, the questions or the predictions cannot be read, or a package is missing.
        DiskFailure: a file could not be written.
    """
    root = paths.results / run / "exports"
    sources = _sources(paths, run, datasets, methods if kind == "pdf" else ())
    tasks = [
        ((dataset, source.name), exporting(kind, source, root / dataset / source.name)) for dataset, source in sources
    ]
    rows = [_row(outcome, root) for outcome in run_isolated(tasks, limits or Limits(), workers)]
    rows.sort(key=lambda row: (row.dataset, row.doc_id))
    save_rows(root / f"{kind}.jsonl", rows)
    return rows


def _sources(paths: Paths, run: str, datasets: Sequence[str], methods: Sequence[str]) -> Iterator[tuple[str, Source]]:
    """Each document of the datasets' sheets with its dataset, and with the answers of ``methods`` about it."""
    answers: dict[tuple[str, str], list[Prediction]] = {}
    for method in methods:
        for answer in run_files.load_predictions(paths, run, method):
            for document, part in _by_document(answer):
                answers.setdefault(document, []).append(part)
    for dataset in datasets:
        asked = {each.question_id: each.question for _, each in run_files.questions_of(paths, [dataset])}
        for doc_id in sorted(current(load_sheet(paths.sheet(dataset)))):
            folder = paths.folder(dataset, doc_id).data
            yield dataset, Source(folder, doc_id, answers.get((dataset, doc_id), ()), asked)


def _by_document(answer: Prediction) -> Iterator[tuple[tuple[str, str], Prediction]]:
    """An answer with what it cites of each document, which it names by dataset and doc_id."""
    if answer.doc_id:
        yield (answer.dataset, answer.doc_id), answer
        return
    for name in dict.fromkeys(piece.doc_id or "" for piece in answer.support):
        own = [piece for piece in answer.support if piece.doc_id == name]
        yield document_of(name, answer.dataset), answer.model_copy(update={"support": own})


def _row(outcome: Outcome[tuple[str, str]], root: Path) -> ExportRow:
    dataset, doc_id = outcome.key
    if outcome.failure is not None:
        reason, message = outcome.failure.reason, outcome.failure.message
        logger.warning("%s/%s: %s: %s", dataset, doc_id, reason, message)
        return ExportRow(dataset=dataset, doc_id=doc_id, status="failed", reason=reason, message=message)
    assert outcome.result is not None
    outputs = {
        path.relative_to(root / dataset / doc_id).as_posix(): files.sha256_file(path)
        for path in map(Path, outcome.result.outputs)
    }
    return ExportRow(dataset=dataset, doc_id=doc_id, status="ok", counts=outcome.result.counts, outputs=outputs)


def exporting(kind: ExportKind, source: Source, out: Path) -> Callable[[], StageResult]:
    """The export of one document as a task for a child process. Raises ArtifactError where a package is missing."""
    if kind == "tables" and find_spec("openpyxl") is None:
        raise ArtifactError(INSTALL)
    return partial(_export, kind, source, out)


def _export(kind: ExportKind, source: Source, out: Path) -> StageResult:
    try:
        written = export(kind, source, out)
    except PasswordError as error:
        raise StageFailure(error.reason, error.message) from error
    except ArtifactError as error:
        raise StageFailure("no_tree" if kind != "pdf" else "bad_input", str(error)) from error
    except pdf_faults() as error:
        if kind == "pdf":
            raise StageFailure("damaged", f"{source.folder / 'full.pdf'}: {error}") from error
        raise
    return StageResult(written.outputs, counts=written.counts)


def main(argv: list[str] | None = None) -> int:
    """Run from the command line; returns the exit status: 1 for a broken disk, 2 for wrong arguments or inputs."""
    parser = argparse.ArgumentParser(prog="python -m cosee.stages.export", description=__doc__)
    parser.add_argument("--run", required=True, help="name of the run below --results")
    parser.add_argument("--kind", required=True, choices=KINDS, help="what is written of each document")
    parser.add_argument("--datasets", required=True, nargs="+", help="datasets of the run")
    parser.add_argument("--methods", nargs="*", default=[], help="methods whose evidence PDFs are marked with")
    parser.add_argument("--limits", default="{}", help="bounds of a document as JSON")
    parser.add_argument("--workers", type=int, default=1, help="documents at a time")
    project_arguments(parser)
    arguments = parser.parse_args(argv)
    paths = begin(arguments)
    try:
        limits = validate(Limits, json.loads(arguments.limits), "--limits")
        rows = export_run(
            paths, arguments.run, arguments.kind, arguments.datasets, arguments.methods, limits, arguments.workers
        )
    except (ArtifactError, DiskFailure, json.JSONDecodeError) as error:
        sys.stderr.write(f"export: {error}\n")
        return 1 if isinstance(error, DiskFailure) else 2
    statuses = Counter(row.status for row in rows)
    logger.info(
        "%s of %s: %s", arguments.kind, arguments.run, ", ".join(f"{n} {s}" for s, n in sorted(statuses.items()))
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
