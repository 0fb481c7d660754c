"""A folder with ``docs.jsonl``, ``questions.jsonl`` and the PDFs that they name becomes a dataset.

``docs.jsonl``: ``doc_id`` and ``file`` (path below the folder). ``questions.jsonl``: ``qid``, ``doc_id``,
``question``, ``answer``, ``answer_format``, and what of our question fields it has; other fields are left out.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import validate
from cosee.artifacts.datasets.imports import ImportReport, Problem
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.placing import dataset_name, inside
from cosee.datasets.reading import CountPages, Reading, write_dataset

FIELDS = (
    "question", "answer", "answer_alt", "answer_format", "evidence_pages", "evidence_mode", "evidence_sources",
    "task_type", "requires_visual", "source_dataset", "language", "split",
)  # fmt: skip


def import_qa_folder(
    folder: Path,
    target: Path,
    *,
    source_datasets: Collection[str] = (),
    limit: int | None = None,
    count_pages: CountPages | None = None,
) -> ImportReport:
    """Import documents and questions into ``target`` (``data/<name>``).

    Args:
        folder: Holds ``docs.jsonl`` and ``questions.jsonl``.
        target: The dataset's folder.
        source_datasets: Keep only questions of these ``source_dataset``s, and their documents.
        limit: Keep only the first so many documents that have questions.
        count_pages: See ``write_dataset``.

    Raises:
        ArtifactError: a file or a line of it cannot be used; names file and line.
    """
    dataset_name(target)
    problems: list[Problem] = []
    sources = _sources(folder, problems)
    questions = _questions(folder, source_datasets)
    if source_datasets:
        asked = {question.doc_id for question in questions}
        sources = {doc_id: path for doc_id, path in sources.items() if doc_id in asked}
    reading = Reading("qa-folder", questions, sources, problems)
    return write_dataset(reading, target, limit=limit, count_pages=count_pages)


def _sources(folder: Path, problems: list[Problem]) -> dict[str, Path]:
    """doc_id -> its PDF; a file that is not inside the folder is left out and reported."""
    path = folder / "docs.jsonl"
    sources: dict[str, Path] = {}
    for line, row in files.iter_jsonl(path):
        doc_id, file = (row.get("doc_id"), row.get("file")) if isinstance(row, dict) else (None, None)
        if not isinstance(doc_id, str) or not isinstance(file, str) or not doc_id:
            raise ArtifactError(f"{path}, line {line}: needs the strings 'doc_id' and 'file'")
        message = None
        if doc_id in sources:
            message = f"document {doc_id!r} occurs twice; the first one counts"
        elif inside(folder, folder / file):
            sources[doc_id] = folder / file
        else:
            message = f"{file!r} is not a file inside the folder"
        if message is not None:
            problems.append(Problem(kind="left_out_document", where=f"docs.jsonl, line {line}", message=message))
    return sources


def _questions(folder: Path, source_datasets: Collection[str]) -> list[Question]:
    path = folder / "questions.jsonl"
    questions: list[Question] = []
    for line, row in files.iter_jsonl(path):
        where = f"{path}, line {line}"
        if not isinstance(row, dict):
            raise ArtifactError(f"{where}: expected an object, found {type(row).__name__}")
        qid = row.get("qid", row.get("question_id"))
        if not isinstance(qid, str) or not isinstance(row.get("doc_id"), str):
            raise ArtifactError(f"{where}: needs the strings 'qid' and 'doc_id'")
        if source_datasets and row.get("source_dataset") not in source_datasets:
            continue
        known = {field: row[field] for field in FIELDS if row.get(field) is not None}
        questions.append(validate(Question, {"question_id": qid, "doc_id": row["doc_id"], **known}, where))
    return questions
