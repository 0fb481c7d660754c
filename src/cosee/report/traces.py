"""A trace made readable: the shared board by page, and every event as a line with its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import BBox
from cosee.artifacts.trace import TraceEvent

MAX_VALUE = 1500
"""Characters shown of one detail; the trace file has the rest."""


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


@dataclass(frozen=True)
class BoardPage:
    """The cells that look at one page (1-based, 0 for none), oldest first."""

    page: int
    cells: list[BoardCell]


@dataclass(frozen=True)
class Line:
    """One event."""

    type: str
    author: str | None
    step: int
    message: str | None
    details: list[tuple[str, str]]


def board(events: Sequence[TraceEvent]) -> list[BoardPage]:
    """The board that the ``cell`` events wrote, pages ascending; empty for methods without a board."""
    pages: dict[int, list[BoardCell]] = {}
    for event in events:
        if event.type != "cell":
            continue
        view = event.data.get("view")
        page = view.get("page") if isinstance(view, Mapping) else None
        tags = event.data.get("tags")
        cell = BoardCell(
            id=str(event.data.get("id", "?")),
            author=event.author or "unknown",
            step=event.step,
            content=event.message or str(event.data.get("content", "")),
            tags=[str(tag) for tag in tags] if isinstance(tags, list) else [],
            bbox=_bbox(view.get("bbox")) if isinstance(view, Mapping) else None,
        )
        pages.setdefault(page if isinstance(page, int) else 0, []).append(cell)
    return [BoardPage(page, pages[page]) for page in sorted(pages)]


def timeline(events: Sequence[TraceEvent]) -> list[Line]:
    """Every event in order, its payload as (key, text) pairs."""
    return [
        Line(
            type=event.type,
            author=event.author,
            step=event.step,
            message=event.message,
            details=[(key, _text(value)) for key, value in sorted(event.data.items()) if value not in (None, [], {})],
        )
        for event in events
    ]


def _bbox(value: Any) -> BBox | None:
    if not isinstance(value, list) or len(value) != 4 or not all(isinstance(edge, int | float) for edge in value):
        return None
    return (float(value[0]), float(value[1]), float(value[2]), float(value[3]))


def _text(value: Any) -> str:
    text = value if isinstance(value, str) else files.canonical_json(value)
    return text if len(text) <= MAX_VALUE else f"{text[:MAX_VALUE]} … ({len(text)} characters)"
