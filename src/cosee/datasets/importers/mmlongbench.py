"""MMLongBench-Doc and its corrected second version, from files as their authors publish them.

First version (github.com/mayubo2333/MMLongBench-Doc): ``data/samples.json`` and ``data/documents/*.pdf``; on the Hub
(huggingface.co/datasets/yubo2333/MMLongBench-Doc) ``data/train-*.parquet`` and ``documents/*.pdf``. Lists (answers of
format List, evidence pages and sources) are Python literals in strings; pages count from 1. One pair of document and
question occurs twice, so questions are named by their row.

Second version (github.com/VectifyAI/MMLongBench-Doc-V2): ``data/samples.json`` with the corrected rows,
``data/corrections/samples_v1.json`` with the first version's, ``data/corrections/corrections.json`` that says which row
became which, and ``data/question_types.json``. It ships no PDFs: those of the first version are used. Questions keep
the row number of the first version as their id, and every one carries its original gold beside the corrected one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts.base import validate
from cosee.artifacts.datasets.imports import Problem
from cosee.artifacts.datasets.questions import AnswerFormat, PublishedGold, Question
from cosee.artifacts.files import ArtifactError
from cosee.datasets.answer_format import infer_format
from cosee.datasets.importer import Options, importer
from cosee.datasets.literals import read_list
from cosee.datasets.page_images import PageSet
from cosee.datasets.placing import inside
from cosee.datasets.reading import Reading
from cosee.datasets.rows import (
    Numbered,
    as_answer,
    first_file,
    gold_pages,
    json_rows,
    known_format,
    labels,
    of_format,
    table_rows,
    text,
)

V1, V2 = "MMLongBench-Doc", "MMLongBench-Doc-V2"
FORMATS: dict[str, AnswerFormat] = {"Int": "Int", "Float": "Float", "Str": "Str", "List": "List", "None": "None"}
_SAMPLES = ("data/samples.json", "samples.json")
_FOLDERS = ("data/documents", "documents")


@importer(
    "mmlongbench-doc",
    order=10,
    layout="data/samples.json and data/documents/*.pdf",
    accepts=("pdfs",),
    citation="Ma et al., MMLongBench-Doc, NeurIPS 2024, arXiv 2407.01523",
)
def read_v1(folder: Path, options: Options) -> Reading:
    """The first version. ``options.pdfs`` is the folder of the PDFs where it is another one.

    Raises:
        ArtifactError: a file is missing or a row has no document or question; names it.
    """
    problems: list[Problem] = []
    questions = [_question(*row, n, V1, problems) for n, row in enumerate(_samples(folder))]
    return Reading("mmlongbench-doc", questions, _documents(folder, questions, options.pdfs), problems)


@importer(
    "mmlongbench-doc-v2",
    order=20,
    layout="data/samples.json and data/corrections/, with the PDFs of the first version",
    accepts=("pdfs", "corrections"),
    citation="arXiv 2608.03397",
)
def read_v2(folder: Path, options: Options) -> Reading:
    """The second version: the corrections laid over the rows of the first.

    ``folder`` is the second version's, or the first version's with ``options.corrections``,
    a file ``corrections.json``.

    Raises:
        ArtifactError: a file is missing or a row has no document or question; names it.
    """
    own = options.corrections is None
    changes = options.corrections or first_file(
        folder, ("data/corrections/corrections.json", "corrections/corrections.json")
    )
    before = json_rows(first_file(changes.parent, ("samples_v1.json",))) if own else _samples(folder)
    problems: list[Problem] = []
    first = [_question(*row, n, V2, problems) for n, row in enumerate(before)]
    overlay = _Overlay([_Row(question, _published(question)) for question in first], problems)
    for where, row in json_rows(changes):
        overlay.correct(row, where)
    after, types = (changes.parent.parent / name for name in ("samples.json", "question_types.json"))
    if own and after.is_file():
        overlay.replace(json_rows(after))
    questions = overlay.questions(_types(json_rows(types)) if own and types.is_file() else {})
    return Reading("mmlongbench-doc-v2", questions, _documents(folder, questions, options.pdfs), problems)


def _samples(folder: Path) -> Iterator[Numbered]:
    """The first version's rows."""
    tables = sorted(folder.glob("data/train-*.parquet"))
    if tables and not any((folder / name).is_file() for name in _SAMPLES):
        return (row for table in tables for row in table_rows(table))
    return json_rows(first_file(folder, _SAMPLES))


def _question(where: str, row: dict[str, Any], number: int, dataset: str, problems: list[Problem]) -> Question:
    return Question(
        question_id=f"{number:05d}",
        doc_id=text(row, "doc_id", where),
        question=text(row, "question", where),
        evidence_sources=labels(row.get("evidence_sources")),
        source_dataset=dataset,
        **_gold(row.get("answer"), row.get("answer_format"), row.get("evidence_pages"), where, problems),
    )


def _gold(answer: Any, kind: Any, pages: Any, where: str, problems: list[Problem]) -> dict[str, Any]:
    """Answer, format and pages as our fields; a format of another name is told and inferred."""
    value = as_answer(answer)
    kind = known_format(kind, FORMATS, value, where, problems)
    if kind == "List" and isinstance(value, str) and value.startswith("["):
        try:
            value = [str(item) for item in read_list(value)]
        except ValueError as error:
            problems.append(Problem(kind="gold_type", where=where, message=f"the answer {value!r:.80} is {error}"))
    # "Not answerable or 0 or none" of the second version stays: a judge reads what else is right.
    value = of_format(value, kind, where, problems)
    return {"answer": value, "answer_format": kind, "evidence_pages": gold_pages(pages, where, problems)}


def _documents(folder: Path, questions: Iterable[Question], pdfs: Path | None) -> dict[str, Path | PageSet]:
    place = pdfs or next((folder / name for name in _FOLDERS if (folder / name).is_dir()), None)
    if place is None or not place.is_dir():
        tried = pdfs or ", ".join(str(folder / name) for name in _FOLDERS)
        raise ArtifactError(f"no folder of PDFs at {tried}; name it by --pdfs")
    names = dict.fromkeys(question.doc_id for question in questions)
    return {name: place / name for name in names if inside(place, place / name)}


def _key(document: str, question: str) -> tuple[str, str]:
    return document, " ".join(question.split())


@dataclass
class _Row:
    """A row of the first version on its way to the second."""

    question: Question
    original: PublishedGold
    removed: str | None = None
    corrected: bool = False


@dataclass
class _Overlay:
    """Lays corrections over the first version's questions."""

    rows: list[_Row]
    problems: list[Problem]

    def _find(self, document: str, question: str, answer: Any = None) -> _Row | None:
        """The row of this question; of two, one not corrected yet, with the answer that the correction names."""
        key = _key(document, question)
        rows = [row for row in self.rows if _key(row.question.doc_id, row.original.question) == key]
        fit = [row for row in rows if str(as_answer(answer)) == str(row.original.answer)]
        return next((row for row in [*fit, *rows] if not row.corrected), None)

    def correct(self, entry: Mapping[str, Any], where: str) -> None:
        """Apply one correction: answer, format, pages and wording that it gives; or the row's removal."""
        document, asked = text(entry, "doc_id", where), text(entry, "question", where)
        row = self._find(document, asked, entry.get("benchmark_answer"))
        if row is None:
            message = f"is about no question of the first version ({document}: {asked!r:.60})"
            self.problems.append(Problem(kind="unused_correction", where=where, message=message))
            return
        row.corrected = True
        question = row.question
        if entry.get("dispute_type") == "corpus_defect":
            row.removed = "no answer can be found in the published document"
            return
        if isinstance(entry.get("manual_question"), str) and entry["manual_question"].strip():
            question.question = entry["manual_question"]
        if "manual_answer" in entry:
            answer = entry["manual_answer"]
            kind = entry.get("manual_answer_format") or _format_after(answer, row.original.answer_format)
            pages = entry.get("manual_evidence_pages", question.evidence_pages)
            for name, value in _gold(answer, kind, [] if kind == "None" else pages, where, self.problems).items():
                setattr(question, name, value)

    def replace(self, published: Iterable[Numbered]) -> None:
        """Take the second version's own rows: they say more than the corrections, and win over them."""
        corrected = {}
        for where, value in published:
            question = _question(where, value, 0, V2, self.problems)
            corrected[_key(question.doc_id, question.question)] = question
        for row in self.rows:
            found = corrected.get(_key(row.question.doc_id, row.question.question))
            if row.removed is None and found is None:
                row.removed = "the second version does not have it"
            elif found is not None:
                row.question = found.model_copy(update={"question_id": row.question.question_id})

    def questions(self, types: Mapping[tuple[str, str], dict[str, Any]]) -> list[Question]:
        """The questions that remain, each with its original gold; what is gone is told."""
        kept: list[Question] = []
        first: dict[tuple[str, str], Question] = {}
        for row in self.rows:
            question = row.question
            key = _key(question.doc_id, question.question)
            twin = first.get(key)
            if row.removed is None and twin is not None and twin.answer == question.answer:
                row.removed = f"it asks what {twin.question_id!r} asks"
            if row.removed is not None:
                where = f"question {question.question_id!r}"
                message = f"is left out of the second version: {row.removed}"
                self.problems.append(Problem(kind="removed_question", where=where, message=message))
                continue
            first.setdefault(key, question)
            kept.append(question.model_copy(update={"original": row.original, **types.get(key, {})}))
        return kept


def _published(question: Question) -> PublishedGold:
    value = {name: getattr(question, name) for name in PublishedGold.model_fields}
    return validate(PublishedGold, value, question.question_id)


def _format_after(answer: Any, before: AnswerFormat) -> AnswerFormat:
    """The format of a corrected answer where the correction does not say it."""
    value = as_answer(answer)
    inferred = infer_format(value)
    if before == "None" or inferred in ("None", "List"):
        return "Str" if inferred in ("Bool", "FreeText") else inferred
    return before


def _types(rows: Iterator[Numbered]) -> dict[tuple[str, str], dict[str, Any]]:
    """The second version's labels of questions, made by a model and not checked by its authors."""
    return {
        _key(text(row, "doc_id", where), text(row, "question", where)): {
            "task_type": str(row["task_type"]) if row.get("task_type") else None,
            "requires_visual": row["requires_visual"] if isinstance(row.get("requires_visual"), bool) else None,
        }
        for where, row in rows
    }
