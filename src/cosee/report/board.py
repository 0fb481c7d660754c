"""The shared board as its trace wrote it: cells by page, each with the round it came in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts.base import BBox
from cosee.artifacts.results.trace import TraceEvent


@dataclass(frozen=True)
class BoardCell:
    """A cell of the board as its trace event gives it."""

    id: str
    author: str
    step: int
    content: str
    tags: list[str]
    bbox: BBox | None = None
    """Where on the page it looks, in 0..1, where it says so."""
    action: str = ""
    answer: str = ""
    confidence: float | None = None
    supports: tuple[str, ...] = ()
    """Ids of the cells that it rests on."""
    target: str = ""
    """Id of the cell that it corrects or questions."""


@dataclass(frozen=True)
class BoardPage:
    """The cells that look at one page (1-based, 0 for none), oldest first."""

    page: int
    cells: list[BoardCell]


@dataclass(frozen=True)
class Board:
    """The cells by page, pages ascending, and the number of rounds that wrote them."""

    pages: list[BoardPage]
    rounds: int

    @property
    def cells(self) -> int:
        """Number of cells."""
        return sum(len(page.cells) for page in self.pages)


def board(events: Sequence[TraceEvent]) -> Board | None:
    """The board that the ``cell`` events wrote; None for methods without one."""
    pages: dict[int, list[BoardCell]] = {}
    for event in events:
        if event.type == "cell":
            view = event.data.get("view")
            page = view.get("page") if isinstance(view, Mapping) else None
            pages.setdefault(page if isinstance(page, int) else 0, []).append(_cell(event, view))
    if not pages:
        return None
    rounds = max(cell.step for cells in pages.values() for cell in cells)
    return Board([BoardPage(page, pages[page]) for page in sorted(pages)], rounds)


def _cell(event: TraceEvent, view: Any) -> BoardCell:
    found = event.data.get("details")
    given: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    tags, supports, confidence = event.data.get("tags"), given.get("supporting_cells"), given.get("confidence")
    target = given.get("target_cell_id")
    return BoardCell(
        id=str(event.data.get("id", "?")),
        author=event.author or "unknown",
        step=event.step,
        content=event.message or str(event.data.get("content", "")),
        tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
        bbox=bbox_of(view.get("bbox")) if isinstance(view, Mapping) else None,
        action=str(given.get("action", "")).lower(),
        answer=str(given.get("answer") or ""),
        confidence=float(confidence) if isinstance(confidence, int | float) else None,
        supports=tuple(map(str, supports)) if isinstance(supports, list) else (),
        target="" if target is None else str(target),
    )


def bbox_of(value: Any) -> BBox | None:
    """A box of four numbers, or None."""
    if not isinstance(value, list) or len(value) != 4 or not all(isinstance(edge, int | float) for edge in value):
        return None
    return (float(value[0]), float(value[1]), float(value[2]), float(value[3]))
