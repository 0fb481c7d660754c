"""A folder of documents and a file of questions (CSV, JSONL or XLSX) become a dataset.

The question file has a column ``question`` and one that names the document (``document``, ``file``, ``pdf`` or
``doc_id``: file name, stem or path below the folder), or several (``a.pdf; b.pdf``); where it names none, the question
is asked of all documents. Optional: ``answer``, ``answer_format``, ``evidence_pages`` (``3`` or ``3;4``, 1-based),
``evidence_documents`` (of a question over several, the document of each page), ``question_id``, ``source_dataset``,
``language``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import validate
from cosee.artifacts.datasets.imports import ImportReport, Problem
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.documents.original import SUFFIXES
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format
from cosee.datasets.cell_text import CellText, plain_text
from cosee.datasets.placing import OUTSIDE, dataset_name, inside
from cosee.datasets.question_files import read_rows
from cosee.datasets.reading import CountPages, Reading, dataset_ids, write_dataset
from cosee.datasets.thresholds import FAULTS_NAMED

_SUFFIX = re.compile(r"(?<=[^/])\.[A-Za-z0-9]{1,5}$")


def import_folder(
    pdfs: Path, questions: Path | None, target: Path, *, limit: int | None = None, count_pages: CountPages | None = None
) -> ImportReport:
    """Import every document below ``pdfs`` and the questions about them into ``target`` (``data/<name>``).

    A PDF is what is called so, or starts as one; an office file, a web page or a picture is what is called so, and
    becomes a PDF in M0. A question about a document that is not there is kept and reported, so that
    it fails visibly; the second of two equal questions about one document is left out and reported.

    Raises:
        ArtifactError: there are no documents, or lines of the question file cannot be used; names file and line.
    """
    name = dataset_name(target)
    found, problems = documents_in(pdfs, questions)
    rows = _questions(questions, found, name, problems) if questions is not None else []
    reading = Reading("folder", rows, found, problems)
    return write_dataset(reading, target, limit=limit, count_pages=count_pages)


def documents_in(folder: Path, questions: Path | None = None) -> tuple[dict[str, Path], list[Problem]]:
    """(path below the folder -> file), and what was left out. Raises ArtifactError where there is no document."""
    if not folder.is_dir():
        raise ArtifactError(f"{folder}: no such folder of documents")
    found: dict[str, Path] = {}
    problems: list[Problem] = []
    for path in sorted(folder.rglob("*")):
        if path.is_dir() or not (
            path.suffix.lower() == ".pdf" or _is_pdf_inside(folder, path) or _is_converted(path, questions)
        ):
            continue
        name = path.relative_to(folder).as_posix()
        if inside(folder, path):
            found[name] = path
        else:
            problems.append(Problem(kind="left_out_document", where=name, message=OUTSIDE))
    if not found:
        raise ArtifactError(f"{folder}: holds no PDFs and no files that become one ({', '.join(sorted(SUFFIXES))})")
    return found, problems


def _is_converted(path: Path, questions: Path | None) -> bool:
    """Whether M0 makes a PDF of it; not of the questions, nor of what a program keeps beside an open file."""
    left_open = path.name.startswith(("~$", ".~lock", "._"))
    return (
        path.suffix.lower() in SUFFIXES and not left_open and not (questions and path.resolve() == questions.resolve())
    )


def _is_pdf_inside(folder: Path, path: Path) -> bool:
    """Whether a file of another name is a PDF by its first bytes."""
    try:
        return inside(folder, path) and files.read_bytes(path, 5) == b"%PDF-"
    except ArtifactError:
        return False


def _questions(path: Path, pdfs: Iterable[str], dataset: str, problems: list[Problem]) -> list[Question]:
    ids = dataset_ids(pdfs)
    lookup = document_lookup(ids)
    questions: list[Question] = []
    faults: list[str] = []
    seen: dict[tuple[str, ...], int] = {}
    for line, row in read_rows(path):
        try:
            question = _question(row, line, lookup, dataset, path)
            document = question.doc_id
            owner = (ids.get(document) or dataset_ids([document])[document]) if document else dataset
            question.question_id = question.question_id or f"{owner}#{line:04d}"
        except ArtifactError as error:
            faults.append(str(error))
            continue
        key = (question.question, question.doc_id, *question.doc_ids)
        if key in seen:
            message = f"repeats line {seen[key]} and is left out"
            problems.append(Problem(kind="duplicate_question", where=f"line {line}", message=message))
            continue
        seen[key] = line
        questions.append(question)
    if faults:
        more = f"\n... and {len(faults) - FAULTS_NAMED} more" if len(faults) > FAULTS_NAMED else ""
        raise ArtifactError("\n".join(faults[:FAULTS_NAMED]) + more)
    if not questions:
        raise ArtifactError(f"{path}: holds no questions")
    return questions


def document_lookup(ids: Mapping[str, str]) -> dict[str, str]:
    """Every way to name a document -> the document; a stem that two files share names neither."""
    ways: dict[str, set[str]] = {}
    for name, doc_id in ids.items():
        base = name.rsplit("/", 1)[-1]
        for way in (name, _SUFFIX.sub("", name), base, _SUFFIX.sub("", base), doc_id):
            ways.setdefault(way.lower(), set()).add(name)
    return {way: next(iter(found)) for way, found in ways.items() if len(found) == 1}


def _question(row: Mapping[str, Any], line: int, lookup: Mapping[str, str], dataset: str, path: Path) -> Question:
    where = f"{path}, line {line}"
    text = str(row.get("question") or "").strip()
    if not text:
        raise ArtifactError(f"{where}: the question is empty")
    only = set(lookup.values())
    if "document" not in row and len(only) > 1 and path.suffix.lower() not in (".jsonl", ".ndjson"):
        raise ArtifactError(
            f"{where}: names no document, and there are {len(only)}; add a column 'document', with an empty cell where "
            "a question is about all of them"
        )
    documents = _documents(row.get("document"), lookup)
    answer = _answer(row.get("answer"))
    plain = _answer(plain_text(row.get("answer"))) if isinstance(row.get("answer"), CellText) else None
    kind = str(row.get("answer_format") or "").strip() or (infer_format(answer) if answer is not None else None)
    if kind == "None":
        answer, plain = NOT_ANSWERABLE, None
    return validate(
        Question,
        {
            "question_id": str(row.get("question_id") or "").strip(),
            "doc_id": documents[0] if len(documents) == 1 else "",
            "doc_ids": documents if len(documents) > 1 else [],
            "question": text,
            "answer": answer,
            "answer_alt": [] if plain is None else [plain],
            "answer_format": kind,
            "evidence_pages": _pages(row.get("evidence_pages"), where),
            "evidence_documents": _names(row.get("evidence_documents"), lookup),
            "source_dataset": str(row.get("source_dataset") or "").strip() or dataset,
            "language": str(row.get("language") or "").strip() or None,
        },
        where,
    )


def _documents(value: Any, lookup: Mapping[str, str]) -> list[str]:
    """The documents that a row names: one, several, or the only one there is; none stands for all of them."""
    names = _names(value, lookup)
    only = set(lookup.values())
    return list(dict.fromkeys(names)) or ([only.pop()] if len(only) == 1 else [])


def _names(value: Any, lookup: Mapping[str, str]) -> list[str]:
    """The documents in a list, or in a cell that parts them by ``;``, in order."""
    names = [str(each) for each in value] if isinstance(value, list) else [str(value or "")]
    if len(names) == 1 and ";" in names[0] and _document(names[0].strip(), lookup) not in lookup.values():
        names = names[0].split(";")
    return [_document(name.strip(), lookup) for name in names if name.strip()]


def _document(name: str, lookup: Mapping[str, str]) -> str:
    """The document that a row names; a name that no PDF has stands for itself."""
    for way in (name, re.sub(r"\.pdf$", "", name, flags=re.IGNORECASE), name.replace("\\", "/").rsplit("/", 1)[-1]):
        if way.lower() in lookup:
            return lookup[way.lower()]
    return name


def _answer(value: Any) -> str | list[str] | None:
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [str(item) for item in value] or None
    if value is None or not str(value).strip():
        return None
    return str(value).strip()


def _pages(value: Any, where: str) -> list[int]:
    parts = value if isinstance(value, list) else re.split(r"[;,\s]+", plain_text(value).strip("[] "))
    try:
        pages = [int(part) for part in parts if str(part)]
    except (TypeError, ValueError, OverflowError) as error:
        raise ArtifactError(f"{where}: evidence_pages {value!r} are no page numbers") from error
    if any(page < 1 for page in pages):
        raise ArtifactError(f"{where}: evidence_pages are 1-based, found {min(pages)}")
    return pages
