"""What the skills read: nodes of evidence, and what they hand back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Passage:
    """A piece of evidence: a node of a block's data. ``page`` is 1-based; ``rows`` holds a table's cells."""

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
    image_kind: str | None = None
    page_label: str | None = None
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
            rows=tuple(tuple(str(cell) for cell in row) for row in data.get("rows") or ()),
            header_rows=int(data.get("header_rows", 1) or 0),
            chart_form=data.get("chart_form"),
            image_kind=data.get("image_kind"),
            page_label=data.get("page_label"),
            caption_of=data.get("caption_of"),
            level=int(data.get("level") or 0),
            description=str(data.get("description") or ""),
            chart_rows=tuple(tuple(str(cell) for cell in row) for row in data.get("chart_rows") or ()),
            relevance=float(data.get("relevance") or 0.0),
            page_rank=page_rank,
        )


@dataclass(frozen=True)
class Quote:
    """Words of the document that carry an answer; ``page`` is 1-based."""

    node_id: str | None
    page: int
    text: str


@dataclass(frozen=True)
class ReadingAnswer:
    """What a skill found. An abstention has the answer ``Not answerable`` and quotes of what was looked at.

    ``confidence`` is 0..1; see ``answer.py`` for what it is made of. ``skill`` names the skill that found it.
    """

    answer: str
    answer_long: str
    confidence: float
    abstained: bool = False
    quotes: tuple[Quote, ...] = ()
    skill: str = ""

    def with_confidence(self, confidence: float) -> ReadingAnswer:
        """The same answer, held with another confidence (clipped to 0..1, 3 digits)."""
        return replace(self, confidence=round(min(1.0, max(0.0, confidence)), 3))


def passages_of_text(page: int, page_label: str | None, text: str) -> list[Passage]:
    """Passages of a page that has text but no nodes: one a paragraph, without ids."""
    parts = [part.strip() for part in re.split(r"\n\s*\n", text)]
    return [Passage(None, page, part, page_label=page_label) for part in parts if part]


def unique(passages: Sequence[Passage]) -> list[Passage]:
    """The passages in order, each node once (the first wins; one with cells wins over one without)."""
    kept: dict[tuple[str | None, int, str], Passage] = {}
    for passage in passages:
        key = (passage.node_id, 0, "") if passage.node_id else (None, passage.page, passage.text)
        if key not in kept or (passage.rows and not kept[key].rows):
            kept[key] = passage
    return list(kept.values())
