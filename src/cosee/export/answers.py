"""A run's answers as one table for people: CSV, an XLSX workbook, or JSON lines; a row a question and method."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from cosee.artifacts.datasets.names import page_name
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import canonical_json
from cosee.artifacts.results.prediction import PageKey, Prediction
from cosee.evaluation.attribution import cause
from cosee.evaluation.results import QuestionResult, as_text, gold_texts
from cosee.export.tables import csv_table
from cosee.export.workbook import set_value, without_times
from cosee.report.causes import CAUSES

COLUMNS = (
    "dataset", "document", "question_id", "question", "method", "answer", "confidence", "pages", "quote",
    "quote_verified", "outcome", "cause", "gold", "gold_pages", "score",
)  # fmt: skip
"""``outcome``: answered, not answerable or failed. ``cause``: what became of a scored question, or why there is no
answer. ``gold``, ``gold_pages`` and ``score`` (0 to 1) are empty where the question has none. Pages are 1-based."""
WIDTHS = (12, 20, 14, 60, 16, 40, 11, 10, 60, 14, 16, 34, 30, 11, 8)
"""Widths of the workbook's columns, in characters."""

Cell = str | int | float | None


def answer_table(results: Mapping[str, Sequence[QuestionResult]]) -> list[dict[str, Cell]]:
    """The rows: questions in their order, the methods of each side by side. ``results``: method -> its results, each
    method's in one order."""
    by_question = zip(*results.values(), strict=True)
    return [_row(method, each) for group in by_question for method, each in zip(results, group, strict=True)]


def answers_csv(rows: Sequence[Mapping[str, Cell]]) -> str:
    """The table as RFC 4180 has it; a cell that a spreadsheet would run gets an apostrophe in front."""
    return csv_table([COLUMNS, *([_text(row[name]) for name in COLUMNS] for row in rows)])


def answers_jsonl(rows: Sequence[Mapping[str, Cell]]) -> str:
    """The same rows as JSON lines."""
    return "".join(canonical_json(dict(row)) + "\n" for row in rows)


def answers_workbook(rows: Sequence[Mapping[str, Cell]]) -> bytes:
    """The table as a workbook: text is text whatever it begins with; the same bytes for the same rows.

    Raises:
        ImportError: openpyxl is not installed.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Alignment, Font
    from openpyxl.utils import get_column_letter

    book = Workbook()
    sheet: Any = book.active
    sheet.title = "Answers"
    wrapped = Alignment(wrap_text=True, vertical="top")
    for column, name in enumerate(COLUMNS, start=1):
        sheet.cell(1, column, name).font = Font(bold=True)
        sheet.column_dimensions[get_column_letter(column)].width = WIDTHS[column - 1]
    for place, row in enumerate(rows, start=2):
        for column, name in enumerate(COLUMNS, start=1):
            cell, value = sheet.cell(place, column), row[name]
            cell.alignment = wrapped
            if isinstance(value, float):
                cell.value = value
            elif value is not None:
                set_value(cell, value)
    sheet.freeze_panes = "A2"
    sheet.auto_filter.ref = f"A1:{get_column_letter(len(COLUMNS))}{len(rows) + 1}"
    written = io.BytesIO()
    book.save(written)
    return without_times(written.getvalue())


def _row(method: str, result: QuestionResult) -> dict[str, Cell]:
    question, prediction = result.question, result.prediction
    failed = prediction is None or result.status in ("failed", "skipped")
    support = [] if prediction is None else prediction.support
    quotes = [each for each in support if each.quote]
    became = CAUSES[cause(result)] if result.scored else ""
    if failed:
        became = (prediction.reason if prediction is not None else None) or "no answer was recorded"
    return {
        "dataset": result.dataset,
        "document": documents_of(question, prediction),
        "question_id": question.question_id,
        "question": question.question,
        "method": method,
        "answer": result.text,
        "confidence": None if prediction is None or failed else prediction.confidence,
        "pages": _pages([] if failed or prediction is None else prediction.cited),
        "quote": "\n".join(dict.fromkeys(each.quote for each in quotes)),
        "quote_verified": _verified([found for each in quotes if (found := each.quote_found) is not None]),
        "outcome": "failed" if failed else "not answerable" if result.abstained else "answered",
        "cause": became,
        "gold": " | ".join(gold_texts(question)) if question.answer not in (None, "", []) else "",
        "gold_pages": _pages(question.gold_pages),
        "score": round(result.value, 6) if result.scored else None,
    }


def _verified(found: Sequence[bool]) -> str:
    """Whether the quotes stand on the pages that they name; empty where none could be looked up."""
    if not found:
        return ""
    return "yes" if all(found) else "no" if not any(found) else f"{sum(found)} of {len(found)}"


def documents_of(question: Question, prediction: Prediction | None) -> str:
    """The question's document; of one over several those that the answer cites, else those that it is about."""
    if question.doc_id:
        return question.doc_id
    cited = [] if prediction is None else list(dict.fromkeys(name for name, _ in prediction.cited))
    return ", ".join(cited or question.doc_ids or ["(all)"])


def _pages(pages: Sequence[PageKey]) -> str:
    return as_text([page_name(*page) for page in pages])


def _text(value: Cell) -> str:
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)
