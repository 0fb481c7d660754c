"""What the benchmarks share: reading a folder of questions and documents, tables for a person, the JSON report."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import validate
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.evaluation.intervals import bootstrap_mean
from cosee.machine import cache_root

ROOT = Path(__file__).resolve().parents[1]
RESAMPLES = 1000


@dataclass(frozen=True)
class QaSet:
    """Questions with the PDFs they are about. ``rows`` are the question lines as they came, by question id."""

    folder: Path
    questions: list[Question]
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)

    def pdf(self, doc_id: str) -> Path:
        """The document's file."""
        return self.folder / "docs" / f"{doc_id}.pdf"

    @property
    def documents(self) -> list[str]:
        """Ids of the documents that questions need, the one with the smallest file first."""
        needed = {question.doc_id for question in self.questions}
        return sorted(needed, key=lambda doc_id: (self.pdf(doc_id).stat().st_size, doc_id))

    def only(self, *, dataset: str | None = None, documents: Sequence[str] | None = None) -> QaSet:
        """The questions of one source dataset, or about the given documents."""
        kept = [
            question
            for question in self.questions
            if (dataset is None or question.source_dataset == dataset)
            and (documents is None or question.doc_id in documents)
        ]
        return QaSet(self.folder, kept, self.rows)


def read_qa(folder: Path) -> QaSet:
    """Read ``questions.jsonl`` and ``docs/`` of a folder; raises ArtifactError with file and line."""
    questions: list[Question] = []
    rows: dict[str, dict[str, Any]] = {}
    source = folder / "questions.jsonl"
    known = set(Question.model_fields)
    for number, row in files.iter_jsonl(source):
        value = {name: row[name] for name in known & set(row)}
        value.setdefault("question_id", row.get("qid"))
        question = validate(Question, value, f"{source}, line {number}")
        questions.append(question)
        rows[question.question_id] = row
    return QaSet(folder, questions, rows)


def chosen(parser: argparse.ArgumentParser, options: argparse.Namespace) -> tuple[QaSet, list[str]]:
    """The questions and documents that ``--qa``, ``--dataset`` and ``--limit`` choose; none is an error of usage."""
    try:
        everything = read_qa(options.qa)
    except ArtifactError as error:
        parser.error(str(error))
    qa = everything.only(dataset=options.dataset)
    absent = sorted({qa.pdf(each.doc_id) for each in qa.questions if not qa.pdf(each.doc_id).is_file()})
    if absent:
        parser.error(f"{absent[0]}: not there, but questions are about it ({len(absent)} such documents)")
    documents = qa.documents[: options.limit]
    if not documents:
        known = sorted({each.source_dataset for each in everything.questions})
        parser.error(f"no questions with --dataset {options.dataset!r}, --limit {options.limit}; datasets: {known}")
    return qa.only(documents=documents), documents


def argument_parser(description: str) -> argparse.ArgumentParser:
    """A parser with the options of every benchmark that takes a folder of questions."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--qa", type=Path, required=True, help="folder with questions.jsonl and docs/")
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    parser.add_argument("--dataset", help="only questions of this source_dataset")
    parser.add_argument("--limit", type=int, help="only the N smallest documents")
    parser.add_argument("--work", type=Path, default=ROOT / ".cache" / "benchmarks", help="folder for artifacts")
    return parser


def progress(part: str, number: int, count: int, name: str) -> None:
    """One line on the terminal that the next one overwrites; an empty name ends it."""
    text = f"{part} {number}/{count} {name[:60]}" if name else ""
    print(f"\r{text:90}" + ("" if name else "\r"), end="", file=sys.stderr, flush=True)


def mean(values: Sequence[float]) -> float | None:
    """The arithmetic mean, None of nothing."""
    return sum(values) / len(values) if values else None


def f1(matched: int, found: int, wanted: int) -> float:
    """Harmonic mean of precision and recall; 1 where nothing was wanted and nothing found."""
    return 2 * matched / (found + wanted) if found + wanted else 1.0


@contextmanager
def empty_cache(folder: Path) -> Iterator[None]:
    """CoSee's cache in a new folder below ``folder`` that holds the weights that are here and nothing else."""
    before, cache = os.environ.get("COSEE_CACHE"), folder.resolve() / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / "models").exists():
        (cache / "models").symlink_to((cache_root() / "models").resolve())
    os.environ["COSEE_CACHE"] = str(cache)
    try:
        yield
    finally:
        os.environ.pop("COSEE_CACHE") if before is None else os.environ.update(COSEE_CACHE=before)


def interval(values: Sequence[float], documents: Sequence[str]) -> list[float] | None:
    """The ends of the 95 % bootstrap interval of a mean over documents; None of one document."""
    found = bootstrap_mean(values, documents, resamples=RESAMPLES, seed=0)
    return [found.low, found.high] if found else None


def signed(difference: float, ends: Sequence[float] | None) -> str:
    """A difference with its interval, for a table."""
    low, high = ends or (float("nan"), float("nan"))
    return f"{difference:+.3f} ({low:+.3f} to {high:+.3f})"


def print_table(header: Sequence[str], rows: Sequence[Sequence[str | float | int | None]]) -> None:
    """A table in columns; numbers to three digits, nothing for what was not measured."""
    cells = [list(header)] + [[_cell(value) for value in row] for row in rows]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    for number, row in enumerate(cells):
        first, rest = row[0].ljust(widths[0]), [value.rjust(widths[i + 1]) for i, value in enumerate(row[1:])]
        print("  ".join([first, *rest]))
        if number == 0:
            print("  ".join("-" * width for width in widths))


def _cell(value: str | float | int | None) -> str:
    if value is None:
        return ""
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def write_report(path: Path, benchmark: str, figures: Mapping[str, float], detail: Mapping[str, Any]) -> None:
    """Write ``{"benchmark", "command", "commit", "machine", "figures", "detail"}``; figures are rounded to 6 digits."""
    files.write_json(
        path,
        {
            "benchmark": benchmark,
            "command": f"python -m benchmarks.{benchmark} {' '.join(sys.argv[1:])}".strip(),
            "commit": _commit(),
            "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
            "figures": {name: round(value, 6) for name, value in sorted(figures.items())},
            "detail": dict(detail),
        },
    )


def _commit() -> str:
    try:
        result = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return result.stdout.strip() if result.returncode == 0 else "unknown"
