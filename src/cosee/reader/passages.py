"""What the reader reads, pieces of evidence, and what it hands back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
        return self.text if self.title in self.text else "\n".join(filter(None, (self.title, self.text)))

    @classmethod
    def from_data(cls, data: Mapping[str, Any], page_rank: int | None = None) -> Passage:
        """The passage of a node's block data; absent fields take their defaults."""
        known: dict[str, Any] = {name: str(data[name]) for name in _WORDS if data.get(name)}
        known |= {name: tuple(tuple(map(str, row)) for row in data.get(name) or ()) for name in ("rows", "chart_rows")}
        known |= {"path": tuple(map(str, data.get("path") or ())), "header_rows": int(data.get("header_rows", 1) or 0)}
        form = None if data.get("chart_form") == "unknown" else data.get("chart_form")
        known |= {"chart_form": form, "relevance": float(data.get("relevance") or 0.0), "page_rank": page_rank}
        return cls(data.get("node_id"), int(data.get("page") or 1), known.pop("text", ""), **known)


_WORDS = ("text", "type", "title", "label", "description")


@dataclass(frozen=True)
class Quote:
    """Words of the document; ``page`` is 1-based."""

    node_id: str | None
    page: int
    text: str


@dataclass(frozen=True)
class ReadingAnswer:
    """An answer with the quotes that it was read from, or ``Not answerable`` with the best passage.

    ``confidence`` is the share of such answers that were right out of fold, in tenths; of an abstention that of such
    questions without an answer, where a quarter of all have none. ``further`` are the other best passages; ``kind``
    names the reading that found it.
    """

    answer: str
    answer_long: str
    confidence: float
    abstained: bool = False
    quotes: tuple[Quote, ...] = ()
    further: tuple[Quote, ...] = ()
    kind: str = ""


def passages_of_text(page: int, text: str) -> list[Passage]:
    """Passages of a page that has text but no nodes: one a paragraph, without ids."""
    return [Passage(None, page, part.strip()) for part in re.split(r"\n\s*\n", text) if part.strip()]


def unique(passages: Sequence[Passage]) -> list[Passage]:
    """The passages in order, each node once (the first wins; one with cells wins over one without)."""
    kept: dict[tuple[str | None, int, str], Passage] = {}
    for passage in passages:
        key = (passage.node_id, 0, "") if passage.node_id else (None, passage.page, passage.text)
        if key not in kept or (passage.rows and not kept[key].rows):
            kept[key] = passage
    return list(kept.values())
