"""LongDocURL from files as its authors publish them (huggingface.co/datasets/dengchao/LongDocURL).

``LongDocURL_public_with_subtask_category.jsonl`` or ``LongDocURL_public.jsonl`` (in the code repository
``data/LongDocURL.jsonl``, three rows), and the PDFs of ``pdf_files.tar.gz``, unpacked anywhere below the folder:
``<doc_no>.pdf``. Gold pages and ``start_end_idx``, the window of at most 30 pages that the benchmark shows a system,
count from 1 and are pages of the whole PDF; only the suffixes of its image files count from 0, and are not used.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cosee.artifacts.datasets.imports import Problem
from cosee.artifacts.datasets.questions import AnswerFormat, Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.importer import Options, importer
from cosee.datasets.page_images import PageSet
from cosee.datasets.placing import OUTSIDE, inside
from cosee.datasets.reading import Reading
from cosee.datasets.rows import as_answer, first_file, gold_pages, jsonl_rows, known_format, labels, of_format, text

NAME = "LongDocURL"
# General knowledge: the formats of answers in the files of LongDocURL.
FORMATS: dict[str, AnswerFormat] = {"Integer": "Int", "Float": "Float", "String": "Str", "List": "List", "None": "None"}
_FILES = (
    "LongDocURL_public_with_subtask_category.jsonl", "LongDocURL_public.jsonl", "LongDocURL.jsonl",
)  # fmt: skip


@importer(
    "longdocurl",
    order=30,
    layout="LongDocURL_public*.jsonl and the PDFs of pdf_files.tar.gz",
    accepts=("pdfs",),
    citation="Deng et al., LongDocURL, ACL 2025, arXiv 2412.18424",
)
def read_longdocurl(folder: Path, options: Options) -> Reading:
    """Questions and PDFs; ``options.pdfs`` is the folder of the PDFs where it is another one.

    Raises:
        ArtifactError: a file is missing, or a row has no id, document or question; names it.
    """
    path = first_file(folder, (*_FILES, *(f"data/{name}" for name in _FILES)))
    problems: list[Problem] = []
    questions = [_question(where, row, problems) for where, row in jsonl_rows(path)]
    return Reading("longdocurl", questions, _documents(options.pdfs or folder, questions, problems), problems)


def _question(where: str, row: dict[str, Any], problems: list[Problem]) -> Question:
    answer = as_answer(row.get("answer"))
    kind = known_format(row.get("answer_format"), FORMATS, answer, where, problems)
    return Question(
        question_id=text(row, "question_id", where),
        doc_id=text(row, "doc_no", where),
        question=text(row, "question", where),
        answer=of_format(answer, kind, where, problems),
        answer_format=kind,
        evidence_pages=gold_pages(row.get("evidence_pages"), where, problems),
        evidence_sources=labels(row.get("evidence_sources")),
        page_window=_window(row.get("start_end_idx"), where, problems),
        task_type=str(row["task_tag"]) if row.get("task_tag") else None,
        source_dataset=NAME,
    )


def _window(value: Any, where: str, problems: list[Problem]) -> tuple[int, int] | None:
    match value:
        case [int(first), int(last)] if 1 <= first <= last:
            return first, last
        case None:
            return None
    message = f"the window start_end_idx {value!r:.40} is none and is left out"
    problems.append(Problem(kind="gold_pages", where=where, message=message))
    return None


def _documents(folder: Path, questions: list[Question], problems: list[Problem]) -> dict[str, Path | PageSet]:
    """Document number -> its PDF, wherever below the folder it was unpacked."""
    if not folder.is_dir():
        raise ArtifactError(f"{folder}: no such folder of PDFs")
    wanted = dict.fromkeys(question.doc_id for question in questions)
    found: dict[str, Path] = {}
    for path in sorted(folder.rglob("*.pdf")):
        where = path.relative_to(folder).as_posix()
        if path.stem not in wanted:
            continue
        if not inside(folder, path):
            problems.append(Problem(kind="left_out_document", where=where, message=OUTSIDE))
        elif path.stem in found:
            message = f"is left out: {found[path.stem].relative_to(folder).as_posix()} is the same document"
            problems.append(Problem(kind="left_out_document", where=where, message=message))
        else:
            found[path.stem] = path
    return {number: found[number] for number in wanted if number in found}
