"""What M4 reads of a run: questions, answers, ledgers and measured seconds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.documents import current, load_sheet
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.metrics import DocumentCounts, DocumentProblem
from cosee.artifacts.prediction import Prediction
from cosee.artifacts.questions import Question, load_questions
from cosee.pipeline.paths import ANSWER_STAGE, DATA_STAGES, INDEX_STAGES, Paths
from cosee.pipeline.shards import shards_of

SEVERITY = ("ok", "partial", "skipped", "failed")


def questions_of(paths: Paths, datasets: Sequence[str]) -> list[tuple[str, Question]]:
    """(dataset, question) of every dataset, by question id; a dataset without questions has none."""
    return [(dataset, question) for dataset in datasets for question in load_questions(paths.question_file(dataset))]


def load_predictions(paths: Paths, run: str, method: str) -> list[Prediction]:
    """The method's collected answers. Raises ArtifactError with file and line."""
    return load_rows(Prediction, paths.results / run / "predictions" / f"{method}.jsonl")


def method_settings(paths: Paths, run: str) -> dict[str, dict[str, object]]:
    """Each method's settings as the run recorded them; empty where it did not."""
    record = paths.results / run / "run.json"
    value = files.read_json(record) if record.exists() else {}
    return {str(name): dict(settings) for name, settings in value.items() if isinstance(settings, dict)}


def measured_seconds(paths: Paths, run: str, method: str, datasets: Sequence[str]) -> list[float]:
    """Seconds of the method's questions as the answer stage measured them."""
    seconds: list[float] = []
    for dataset in datasets:
        for doc_id in current(load_sheet(paths.sheet(dataset))):
            path = paths.results / run / "measured" / "answers" / method / dataset / f"{doc_id}.json"
            if path.exists():
                seconds += [float(value) for value in files.read_json(path)["seconds"].values()]
    return seconds


def count_documents(paths: Paths, run: str, datasets: Sequence[str], methods: Sequence[str]) -> DocumentCounts:
    """Documents by stage and status; each document's first problem is listed."""
    stages: dict[str, Counter[str]] = {}
    worst: dict[tuple[str, str], str] = {}
    problems: dict[tuple[str, str], DocumentProblem] = {}
    pages = 0
    for dataset in datasets:
        present = current(load_sheet(paths.sheet(dataset)))
        pages += sum(row.pages for row in present.values())
        worst |= {(dataset, doc_id): "ok" for doc_id in present}
        for stage, rows in ledgers(paths, run, dataset, methods):
            for doc_id in present:
                row = rows.get(doc_id) or LedgerRow(doc_id=doc_id, status="failed", reason="no_row")
                key = (dataset, doc_id)
                stages.setdefault(stage, Counter())[row.status] += 1
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
        stages={stage: dict(sorted(counts.items())) for stage, counts in stages.items()},
        problems=[problems[key] for key in sorted(problems)],
    )


def ledgers(paths: Paths, run: str, dataset: str, methods: Sequence[str]) -> Iterator[tuple[str, dict[str, LedgerRow]]]:
    """(stage, doc_id -> row) in the order of the stages; the answer stage once a method."""
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
            yield name, {row.doc_id: row for path in found for row in load_rows(LedgerRow, path)}
