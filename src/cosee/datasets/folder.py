"""A folder of PDFs and a file of questions (CSV or JSONL) become a dataset.

The question file has a column ``question`` and, with more than one PDF, one that names the document (``document``,
``file``, ``pdf`` or ``doc_id``: file name, stem or path below the folder). Optional: ``answer``, ``answer_format``,
``evidence_pages`` (``3`` or ``3;4``, 1-based), ``question_id``, ``source_dataset``, ``language``.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import save_rows, validate
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.questions import NOT_ANSWERABLE, Question
from cosee.datasets.answer_format import infer_format
from cosee.datasets.placing import ImportReport, dataset_name, document_ids, inside, place_documents

ALIASES = {
    "document": ("document", "file", "pdf", "doc_id", "doc", "filename", "file_name"),
    "question": ("question", "query"),
    "answer": ("answer", "gold", "gold_answer", "expected"),
    "answer_format": ("answer_format", "format"),
    "evidence_pages": ("evidence_pages", "pages", "page"),
    "question_id": ("question_id", "id", "qid"),
    "source_dataset": ("source_dataset", "source"),
    "language": ("language", "lang"),
}
"""Field -> accepted column names, without regard to case."""

Row = tuple[int, dict[str, Any]]
"""(1-based line number, column -> value)."""


def import_folder(pdfs: Path, questions: Path | None, target: Path) -> ImportReport:
    """Import every PDF below ``pdfs`` and the questions about them into ``target`` (``data/<name>``).

    A question about a PDF that is not there is kept and reported, so that it fails visibly instead of vanishing; the
    second of two equal questions about one document is left out and reported.

    Raises:
        ArtifactError: there are no PDFs, or lines of the question file cannot be used; names file and line.
    """
    name = dataset_name(target)
    found, problems = _find_pdfs(pdfs)
    ids = document_ids(list(found))
    rows = _questions(questions, ids, name, problems) if questions is not None else []
    place_documents(target, ((ids[source], path) for source, path in found.items()))
    save_rows(target / "qa" / "questions.jsonl", rows)
    asked = {row.doc_id for row in rows}
    problems += [f"no question is about {source}" for source in found if rows and ids[source] not in asked]
    return ImportReport(name, {source: ids[source] for source in found}, len(rows), problems)


def _find_pdfs(folder: Path) -> tuple[dict[str, Path], list[str]]:
    """(path below the folder -> file), and what was left out."""
    if not folder.is_dir():
        raise ArtifactError(f"{folder}: no such folder of PDFs")
    found: dict[str, Path] = {}
    problems: list[str] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() != ".pdf" or path.is_dir():
            continue
        name = path.relative_to(folder).as_posix()
        if inside(folder, path):
            found[name] = path
        else:
            problems.append(f"{name} is left out: a link to nowhere or out of the folder, or no plain file")
    if not found:
        raise ArtifactError(f"{folder}: holds no PDF files")
    return found, problems


def _questions(path: Path, ids: Mapping[str, str], dataset: str, problems: list[str]) -> list[Question]:
    rows = list(read_rows(path))
    lookup = _lookup(ids)
    questions: list[Question] = []
    faults: list[str] = []
    seen: dict[tuple[str, str], int] = {}
    taken: set[str] = set()
    for line, row in rows:
        try:
            question = _question(row, line, lookup, dataset, path, problems)
        except ArtifactError as error:
            faults.append(str(error))
            continue
        key = (question.doc_id, question.question)
        if key in seen:
            problems.append(f"line {line} repeats line {seen[key]} and is left out")
            continue
        seen[key] = line
        if question.question_id in taken:
            problems.append(
                f"line {line}: id {question.question_id!r} is taken; it becomes '{question.question_id}-{line}'"
            )
            question.question_id = f"{question.question_id}-{line}"
        taken.add(question.question_id)
        questions.append(question)
    if faults:
        more = f"\n... and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise ArtifactError("\n".join(faults[:5]) + more)
    if not questions:
        raise ArtifactError(f"{path}: holds no questions")
    return questions


def read_rows(path: Path) -> Iterator[Row]:
    """Rows of a CSV (``,``, ``;`` or tab) or JSONL file, by our field names.

    Raises:
        ArtifactError: names file and line.
    """
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        for line, value in files.iter_jsonl(path):
            if not isinstance(value, dict):
                raise ArtifactError(f"{path}, line {line}: expected an object, found {type(value).__name__}")
            yield line, _renamed(value)
        return
    try:
        text = files.read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"{path}: is not UTF-8 (byte {error.start}); save it as CSV UTF-8") from error
    header = text.split("\n", 1)[0]
    delimiter = max(",;\t", key=header.count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        columns = _renamed(dict.fromkeys(reader.fieldnames or []))
        if "question" not in columns:
            raise ArtifactError(f"{path}, line 1: no column 'question'; the columns are {reader.fieldnames}")
        for row in reader:
            if None in row:
                raise ArtifactError(f"{path}, line {reader.line_num}: more fields than columns; quote the commas")
            if any(row.values()):
                yield reader.line_num, _renamed(row)
    except csv.Error as error:
        raise ArtifactError(f"{path}, line {reader.line_num}: {error}") from error


def _renamed(row: Mapping[str, Any]) -> dict[str, Any]:
    by_column = {str(column).strip().lower(): value for column, value in row.items()}
    return {
        field: by_column[alias]
        for field, aliases in ALIASES.items()
        for alias in reversed(aliases)
        if alias in by_column
    }


def _lookup(ids: Mapping[str, str]) -> dict[str, str]:
    """Every way to name a document -> doc_id; a stem that two files share names neither."""
    ways: dict[str, set[str]] = {}
    for name, doc_id in ids.items():
        base = name.rsplit("/", 1)[-1]
        for way in (name, name[:-4], base, base[:-4], doc_id):
            ways.setdefault(way.lower(), set()).add(doc_id)
    return {way: next(iter(found)) for way, found in ways.items() if len(found) == 1}


def _question(
    row: Mapping[str, Any], line: int, lookup: Mapping[str, str], dataset: str, path: Path, problems: list[str]
) -> Question:
    where = f"{path}, line {line}"
    text = str(row.get("question") or "").strip()
    if not text:
        raise ArtifactError(f"{where}: the question is empty")
    doc_id = _document(str(row.get("document") or "").strip(), lookup, where, line, problems)
    answer = _answer(row.get("answer"))
    kind = str(row.get("answer_format") or "").strip() or (infer_format(answer) if answer is not None else None)
    if kind == "None":
        answer = NOT_ANSWERABLE
    return validate(
        Question,
        {
            "question_id": str(row.get("question_id") or "").strip() or f"{doc_id}#{line:04d}",
            "doc_id": doc_id,
            "question": text,
            "answer": answer,
            "answer_format": kind,
            "evidence_pages": _pages(row.get("evidence_pages"), where),
            "source_dataset": str(row.get("source_dataset") or "").strip() or dataset,
            "language": str(row.get("language") or "").strip() or None,
        },
        where,
    )


def _document(name: str, lookup: Mapping[str, str], where: str, line: int, problems: list[str]) -> str:
    if not name:
        only = set(lookup.values())
        if len(only) != 1:
            raise ArtifactError(f"{where}: names no document, and there are {len(only)}; add a column 'document'")
        return only.pop()
    for way in (name, re.sub(r"\.pdf$", "", name, flags=re.IGNORECASE), name.replace("\\", "/").rsplit("/", 1)[-1]):
        if way.lower() in lookup:
            return lookup[way.lower()]
    problems.append(f"line {line}: no PDF {name!r}; the question is kept and will be reported as failed")
    return document_ids([name])[name]


def _answer(value: Any) -> str | list[str] | None:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [str(item) for item in value] or None
    if value is None or not str(value).strip():
        return None
    return str(value).strip()


def _pages(value: Any, where: str) -> list[int]:
    parts = value if isinstance(value, list) else re.split(r"[;,\s]+", str(value or "").strip("[] "))
    try:
        pages = [int(part) for part in parts if str(part)]
    except (TypeError, ValueError) as error:
        raise ArtifactError(f"{where}: evidence_pages {value!r} are no page numbers") from error
    if any(page < 1 for page in pages):
        raise ArtifactError(f"{where}: evidence_pages are 1-based, found {min(pages)}")
    return pages
