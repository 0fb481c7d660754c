"""What the reader reads, pieces of evidence, and what it hands back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Passage:
    """A node of a block's data. ``page`` is 1-based; ``rows`` holds a table's cells."""

    node_id: str | None
    page: int
    text: str
    type: str = "paragraph"
    title: str = ""
    label: str = ""
    path: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 1
    chart_form: str | None = None
    caption_of: str | None = None
    level: int = 0
    description: str = ""
    """What the pipeline says of a picture: for finding it, never for quoting."""
    chart_rows: tuple[tuple[str, ...], ...] = ()
    """A chart's values as a table; they are not all printed, so a row of them is no quote."""
    relevance: float = 0.0
    """The score of the retriever's hit; 0 where the node is none."""
    page_rank: int | None = None
    """The page's place, from 1, in the search that found it."""

    @property
    def content(self) -> str:
        """Title and text, the title once."""
        if not self.title or self.title in self.text:
            return self.text
        return f"{self.title}\n{self.text}" if self.text else self.title

    @classmethod
    def from_data(cls, data: Mapping[str, Any], page_rank: int | None = None) -> Passage:
        """The passage of a node's block data; absent fields take their defaults."""
        return cls(
            node_id=data.get("node_id"),
            page=int(data.get("page") or 1),
            text=str(data.get("text") or ""),
            type=str(data.get("type") or "paragraph"),
            title=str(data.get("title") or ""),
            label=str(data.get("label") or ""),
            path=tuple(str(title) for title in data.get("path") or ()),
            rows=_cells(data.get("rows")),
            header_rows=int(data.get("header_rows", 1) or 0),
            chart_form=data.get("chart_form"),
            caption_of=data.get("caption_of"),
            level=int(data.get("level") or 0),
            description=str(data.get("description") or ""),
            chart_rows=_cells(data.get("chart_rows")),
            relevance=float(data.get("relevance") or 0.0),
            page_rank=page_rank,
        )


def _cells(rows: Any) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(str(cell) for cell in row) for row in rows or ())


@dataclass(frozen=True)
class Quote:
    """Words of the document; ``page`` is 1-based."""

    node_id: str | None
    page: int
    text: str


@dataclass(frozen=True)
class ReadingAnswer:
    """An answer with the quotes that it was read from, or ``Not answerable`` with the best passage; ``further`` holds the
    other best passages.

    ``confidence`` is the share of such answers that were right out of fold; of an abstention it is the share of such
    questions that have no answer. ``kind`` names the reading that found it.
    """

    answer: str
    answer_long: str
    confidence: float
    abstained: bool = False
    quotes: tuple[Quote, ...] = ()
    further: tuple[Quote, ...] = ()
    kind: str = ""

    def with_confidence(self, confidence: float) -> ReadingAnswer:
        """The same answer, held with another confidence (clipped to 0..1, 3 digits)."""
        return replace(self, confidence=round(min(1.0, max(0.0, confidence)), 3))


def passages_of_text(page: int, text: str) -> list[Passage]:
    """Passages of a page that has text but no nodes: one a paragraph, without ids."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text)]
    return [Passage(None, page, part) for part in parts if part]


def unique(passages: Sequence[Passage]) -> list[Passage]:
    """The passages in order, each node once (the first wins; one with cells wins over one without)."""
    kept: dict[tuple[str | None, int, str], Passage] = {}
    for passage in passages:
        key = (passage.node_id, 0, "") if passage.node_id else (None, passage.page, passage.text)
        if key not in kept or (passage.rows and not kept[key].rows):
            kept[key] = passage
    return list(kept.values())
