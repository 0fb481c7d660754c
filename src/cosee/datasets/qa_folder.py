"""A folder with ``docs.jsonl``, ``questions.jsonl`` and the PDFs that they name becomes a dataset.

``docs.jsonl``: ``doc_id`` and ``file`` (path below the folder). ``questions.jsonl``: ``qid``, ``doc_id``,
``question``, ``answer``, ``answer_format``, and what of our question fields it has; other fields are left out.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import save_rows, validate
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.questions import Question
from cosee.datasets.placing import ImportReport, dataset_name, document_ids, inside, place_documents

FIELDS = (
    "question", "answer", "answer_alt", "answer_format", "evidence_pages", "evidence_mode", "evidence_sources",
    "task_type", "requires_visual", "source_dataset", "language", "split",
)  # fmt: skip


def import_qa_folder(
    folder: Path, target: Path, *, source_datasets: Collection[str] = (), limit: int | None = None
) -> ImportReport:
    """Import documents and questions into ``target`` (``data/<name>``).

    Args:
        folder: Holds ``docs.jsonl`` and ``questions.jsonl``.
        target: The dataset's folder.
        source_datasets: Keep only questions of these ``source_dataset``s, and their documents.
        limit: Keep only the first so many documents that have questions.

    Raises:
        ArtifactError: a file or a line of it cannot be used; names file and line.
    """
    name = dataset_name(target)
    problems: list[str] = []
    sources = _sources(folder, problems)
    rows = _rows(folder, source_datasets, problems)
    wanted = list(dict.fromkeys(row["doc_id"] for row in rows))[:limit]
    if not source_datasets and limit is None:
        wanted = list(dict.fromkeys([*sources, *wanted]))
    ids = _ids(wanted)
    questions = [_question(row, ids[row["doc_id"]], folder) for row in rows if row["doc_id"] in ids]
    for doc_id in wanted:
        if doc_id not in sources:
            problems.append(f"no PDF of document {doc_id!r}; its questions are kept and will be reported as failed")
    place_documents(target, ((ids[doc_id], sources[doc_id]) for doc_id in wanted if doc_id in sources))
    save_rows(target / "qa" / "questions.jsonl", questions)
    return ImportReport(name, ids, len(questions), problems)


def _ids(doc_ids: list[str]) -> dict[str, str]:
    safe = document_ids([f"{doc_id}.pdf" for doc_id in doc_ids])
    return {doc_id: safe[f"{doc_id}.pdf"] for doc_id in doc_ids}


def _sources(folder: Path, problems: list[str]) -> dict[str, Path]:
    """doc_id -> its PDF; a file that is not inside the folder is left out and reported."""
    path = folder / "docs.jsonl"
    sources: dict[str, Path] = {}
    for line, row in files.iter_jsonl(path):
        doc_id, file = (row.get("doc_id"), row.get("file")) if isinstance(row, dict) else (None, None)
        if not isinstance(doc_id, str) or not isinstance(file, str) or not doc_id:
            raise ArtifactError(f"{path}, line {line}: needs the strings 'doc_id' and 'file'")
        if doc_id in sources:
            problems.append(f"docs.jsonl, line {line}: document {doc_id!r} occurs twice; the first one counts")
        elif inside(folder, folder / file):
            sources[doc_id] = folder / file
        else:
            problems.append(f"docs.jsonl, line {line}: {file!r} is not a file inside the folder")
    return sources


def _rows(folder: Path, source_datasets: Collection[str], problems: list[str]) -> list[dict[str, Any]]:
    path = folder / "questions.jsonl"
    rows: list[dict[str, Any]] = []
    seen: set[str] = set()
    for line, row in files.iter_jsonl(path):
        if not isinstance(row, dict):
            raise ArtifactError(f"{path}, line {line}: expected an object, found {type(row).__name__}")
        qid = row.get("qid", row.get("question_id"))
        if not isinstance(qid, str) or not isinstance(row.get("doc_id"), str):
            raise ArtifactError(f"{path}, line {line}: needs the strings 'qid' and 'doc_id'")
        if source_datasets and row.get("source_dataset") not in source_datasets:
            continue
        if qid in seen:
            problems.append(f"questions.jsonl, line {line}: question {qid!r} occurs twice; the first one counts")
            continue
        seen.add(qid)
        rows.append({**row, "qid": qid, "line": line})
    return rows


def _question(row: dict[str, Any], doc_id: str, folder: Path) -> Question:
    known = {field: row[field] for field in FIELDS if row.get(field) is not None}
    where = f"{folder / 'questions.jsonl'}, line {row['line']}"
    return validate(Question, {"question_id": row["qid"], "doc_id": doc_id, **known}, where)
