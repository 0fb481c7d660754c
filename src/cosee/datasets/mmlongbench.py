"""MMLongBench-Doc as published: ``samples.json`` and a folder of PDFs become a dataset.

Its lists (answers of format List, evidence pages and sources) are Python literals in strings. One pair of document
and question occurs twice, so questions are named by their position.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import save_rows, validate
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.questions import NOT_ANSWERABLE, Question
from cosee.datasets.literals import read_list
from cosee.datasets.placing import ImportReport, dataset_name, document_ids, inside, place_documents


def import_mmlongbench(
    samples: Path, documents: Path, target: Path, *, source_dataset: str = "MMLongBench-Doc"
) -> ImportReport:
    """Import the questions of ``samples`` (``samples.json``) and the PDFs of ``documents`` into ``target``.

    Raises:
        ArtifactError: the file or a row of it cannot be used; names the row.
    """
    name = dataset_name(target)
    rows = files.read_json(samples)
    if not isinstance(rows, list):
        raise ArtifactError(f"{samples}: expected a list of questions, found {type(rows).__name__}")
    wanted = list(dict.fromkeys(_text(row, "doc_id", f"{samples}, row {n}") for n, row in enumerate(rows)))
    ids = document_ids(wanted)
    questions = [_question(row, n, ids, source_dataset, f"{samples}, row {n}") for n, row in enumerate(rows)]
    found = {file: documents / file for file in wanted if inside(documents, documents / file)}
    place_documents(target, ((ids[file], path) for file, path in found.items()))
    save_rows(target / "qa" / "questions.jsonl", questions)
    problems = [
        f"no PDF {file!r} in {documents.name}; its questions are kept and will be reported as failed"
        for file in wanted
        if file not in found
    ]
    return ImportReport(name, ids, len(questions), problems)


def _question(row: dict[str, Any], number: int, ids: dict[str, str], source_dataset: str, where: str) -> Question:
    kind, answer = row.get("answer_format"), row.get("answer")
    try:
        pages = read_list(str(row.get("evidence_pages") or "[]"))
        sources = read_list(str(row.get("evidence_sources") or "[]"))
        if kind == "List" and isinstance(answer, str) and answer.startswith("["):
            answer = [str(item) for item in read_list(answer)]
    except ValueError as error:
        raise ArtifactError(f"{where}: {error}") from error
    value = {
        "question_id": f"{number:05d}",
        "doc_id": ids[row["doc_id"]],
        "question": _text(row, "question", where),
        "answer": NOT_ANSWERABLE if kind == "None" else answer if isinstance(answer, list) else str(answer),
        "answer_format": kind,
        "evidence_pages": pages,
        "evidence_sources": sources,
        "source_dataset": source_dataset,
    }
    return validate(Question, value, where)


def _text(row: Any, key: str, where: str) -> str:
    value = row.get(key) if isinstance(row, dict) else None
    if not isinstance(value, str) or not value.strip():
        raise ArtifactError(f"{where}: needs the string {key!r}")
    return value
