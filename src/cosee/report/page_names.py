"""Pages of several documents on one question's page: named with their documents, since numbers would not tell them
apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from cosee.artifacts.datasets.names import page_name
from cosee.artifacts.results.prediction import PageKey
from cosee.artifacts.results.trace import TraceEvent
from cosee.evaluation.results import QuestionResult
from cosee.report.board import Board, BoardPage


class PageName(str):
    """``3 of atlas``, in the place of a page's number; with the page that it names."""

    key: PageKey

    @classmethod
    def of(cls, key: PageKey) -> PageName:
        """The name of a page."""
        name = cls(page_name(*key))
        name.key = key
        return name


def with_page_names(result: QuestionResult) -> QuestionResult:
    """The result of a question over several documents, to be shown: names in the place of the numbers of pages."""
    gold = {"evidence_pages": _names(result.question.gold_pages), "evidence_documents": []}
    question = result.question.model_copy(update=gold)
    row = result.prediction
    if row is not None:
        placed: dict[str, Any] = {
            name: [each.model_copy(update={"page": PageName.of((each.doc_id or "", each.page))}) for each in rows]
            for name, rows in (("support", row.support), ("retrieved", row.retrieved))
        }
        read = None if row.read is None else _names(row.read)
        ranked = {"retrieved_pages": _names(row.ranked), "retrieved_documents": []}
        row = row.model_copy(update={**placed, **ranked, "read_pages": read, "read_documents": []})
    return replace(result, question=question, prediction=row)


def _names(keys: Iterable[PageKey]) -> list[PageName]:
    return [PageName.of(key) for key in keys]


def board_with_page_names(board: Board, events: Iterable[TraceEvent]) -> Board:
    """A board whose pages count through all documents, as the trace of its question says where each begins."""
    told: list[Any] = next(
        (event.data["documents"] for event in events if isinstance(event.data.get("documents"), list)), []
    )
    begins = [(int(each["first_page"]), str(each["doc_id"])) for each in told if _is_document(each)]
    pages = []
    for page in board.pages:
        first, name = max(((first, name) for first, name in begins if first <= page.page), default=(0, ""))
        known = PageName.of((name, page.page - first + 1)) if first else page.page
        pages.append(BoardPage(known, page.cells))  # type: ignore[arg-type]
    return Board(pages, board.rounds)


def _is_document(value: object) -> bool:
    return isinstance(value, Mapping) and isinstance(value.get("first_page"), int) and "doc_id" in value
