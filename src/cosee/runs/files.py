"""What M4 reads of a run: questions, answers, ledgers and measured seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import Model, load_rows, validate
from cosee.artifacts.datasets.documents import current, load_sheet
from cosee.artifacts.datasets.questions import Question, load_questions
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.judgement import Judgement
from cosee.artifacts.results.metrics import DocumentCounts, DocumentProblem
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.sample_log import BoardCell
from cosee.artifacts.results.trace import TraceEvent
from cosee.pipeline.ledger_lines import is_ok, read_row, rows_by_document
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths
from cosee.pipeline.shards import shards_of

SEVERITY = ("ok", "partial", "skipped", "failed")


def questions_of(paths: Paths, datasets: Sequence[str]) -> list[tuple[str, Question]]:
    """(dataset, question) of every dataset, by question id; a dataset without questions has none."""
    return [(dataset, question) for dataset in datasets for question in load_questions(paths.question_file(dataset))]


def load_predictions(paths: Paths, run: str, method: str) -> list[Prediction]:
    """The method's collected answers. Raises ArtifactError with file and line."""
    return load_rows(Prediction, paths.results / run / "predictions" / f"{method}.jsonl")


def method_settings(paths: Paths, run: str) -> dict[str, dict[str, Any]]:
    """Each method's settings as the run recorded them; empty where it did not."""
    record = paths.results / run / "run.json"
    value = files.read_json(record) if record.exists() else {}
    return {str(name): dict(settings) for name, settings in value.items() if isinstance(settings, dict)}


def seeded_methods(settings: Mapping[str, Mapping[str, Any]], methods: Sequence[str]) -> dict[str, dict[str, int]]:
    """Name -> label -> seed of the methods that were given seeds of their own."""
    seeded: dict[str, dict[str, int]] = {}
    for label in methods:
        method = settings.get(label, {}).get("method", {})
        if method.get("seed") is not None:
            seed = int(method["seed"])
            seeded.setdefault(label.removesuffix(f"_seed{seed}"), {})[label] = seed
    return seeded


def load_judgements(paths: Paths, run: str, method: str) -> dict[tuple[str, str], Judgement]:
    """(dataset, question_id) -> what the judge said. Raises ArtifactError with file and line."""
    rows = load_rows(Judgement, paths.results / run / "judgements" / f"{method}.jsonl")
    return {(row.dataset, row.question_id): row for row in rows}


def load_checks(paths: Paths, run: str, method: str) -> dict[tuple[str, str], EvidenceCheck]:
    """(dataset, question_id) -> what was answered from the evidence. Raises ArtifactError with file and line."""
    rows = load_rows(EvidenceCheck, paths.results / run / "evidence" / f"{method}.jsonl")
    return {(row.dataset, row.question_id): row for row in rows}


def final_board(paths: Paths, run: str, method: str, dataset: str, question_id: str) -> list[BoardCell] | None:
    """The cells that a question's trace shows, None where there is no trace or no cell.

    A line that cannot be read is left out: the log must not fail where the report gives a note.
    """
    path = f"{paths.results}/{run}/traces/{method}/{dataset}/{files.safe_name(question_id)}.ndjson"
    try:
        with open(path, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return None
    cells = []
    for line in lines:
        if b'"type":"cell"' in line:
            try:
                event = validate(TraceEvent, files.parse_json(line, path), path)
                told = {name: event.data.get(name) for name in ("id", "tags", "view")}
                said = {"author": event.author or "unknown", "step": event.step, "content": event.message or ""}
                cells.append(validate(BoardCell, {**told, **said}, path))
            except ArtifactError:
                continue
    return cells or None


def count_documents(paths: Paths, run: str, datasets: Sequence[str], methods: Sequence[str]) -> DocumentCounts:
    """Documents by stage and status; each document's first problem is listed."""
    counted: dict[str, Counter[str]] = {}
    worst: dict[tuple[str, str], str] = {}
    problems: dict[tuple[str, str], DocumentProblem] = {}
    pages = 0
    for dataset in datasets:
        present = current(load_sheet(paths.sheet(dataset)))
        pages += sum(row.pages for row in present.values())
        worst |= {(dataset, doc_id): "ok" for doc_id in present}
        for stage, rows in ledgers(paths, run, dataset, methods):
            for doc_id in present:
                told = counted.setdefault(stage, Counter())
                if doc_id in rows and is_ok(rows[doc_id]):
                    told["ok"] += 1
                    continue
                row = LedgerRow(doc_id=doc_id, status="failed", reason="no_row")
                if doc_id in rows:
                    row = read_row(rows[doc_id], f"ledger of {stage}")
                told[row.status] += 1
                key = (dataset, doc_id)
                worst[key] = max(worst[key], row.status, key=SEVERITY.index)
                if row.status != "ok" and key not in problems:
                    problems[key] = DocumentProblem(
                        dataset=dataset, doc_id=doc_id, stage=stage, status=row.status, reason=row.reason,
                        message=row.message,
                    )  # fmt: skip
    return DocumentCounts(
        documents=len(worst),
        pages=pages,
        statuses=dict(sorted(Counter(worst.values()).items())),
        stages={stage: dict(sorted(counts.items())) for stage, counts in counted.items()},
        problems=[problems[key] for key in sorted(problems)],
    )


def ledgers(paths: Paths, run: str, dataset: str, methods: Sequence[str]) -> Iterator[tuple[str, dict[str, bytes]]]:
    """(stage, doc_id -> its row as it stands there) in the order of the stages; the answer stage once a method."""
    shards = shards_of(load_sheet(paths.sheet(dataset)))
    jobs = [(stage, stage, paths) for stage in (*DATA_STAGES, *INDEX_STAGES)]
    jobs += [
        (f"{ANSWER_STAGE} {method}", ANSWER_STAGE, Paths(paths.data, paths.indexes, paths.results, run, method))
        for method in methods
    ]
    for name, stage, places in jobs:
        ledgers: list[Path] = [places.place(stage, dataset, shard).ledger for shard in shards]
        found = [path for path in ledgers if path.exists()]
        if found:
            yield name, {doc_id: row for path in found for doc_id, row in rows_by_document(path).items()}


def scan_rows(model: type[Model], path: Path) -> list[tuple[bytes, dict[str, Any]]]:
    """The lines of a JSONL file of ``model`` rows, each with its value, unchecked: for who needs few of very many.

    Raises:
        ArtifactError: a line is no JSON object; its file and line are named.
    """
    data = files.read_bytes(path)
    lines = [line for line in data.split(b"\n") if line.strip()]
    try:
        values = files.parse_jsonl(data)
        if all(isinstance(value, dict) for value in values):
            return list(zip(lines, values, strict=True))
    except ValueError:
        pass  # what the quick way does not read, the checked one reads or names
    return list(zip(lines, (row.model_dump(mode="json") for row in load_rows(model, path)), strict=True))
