"""``layout.json``: what M0 saw on each page, in page points, before any interpretation."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts import files
from cosee.artifacts.base import Artifact, BBox, Record, is_none
from cosee.artifacts.documents.chart import ChartData
from cosee.artifacts.documents.picture_quality import PictureQuality


class Span(Record):
    """A run of characters in one font. ``bbox`` in page points of the page as seen."""

    text: str
    bbox: BBox
    size: float
    font: str
    bold: bool = False
    italic: bool = False
    superscript: bool = False
    color: str | None = None
    """``#rrggbb``; None for black."""


class Line(Record):
    """One visual line of spans, left to right as drawn."""

    bbox: BBox
    spans: list[Span]

    @property
    def text(self) -> str:
        """The characters of all spans."""
        return "".join(span.text for span in self.spans)

    @property
    def size(self) -> float:
        """Font size of the longest span."""
        return max(self.spans, key=lambda span: len(span.text)).size


class CellSpan(Record):
    """A cell over several rows or columns of a table, from its top left slot."""

    row: int
    column: int
    rows: int = 1
    columns: int = 1


class LayoutBlock(Record):
    """A block of the page: text lines, an image, or a cluster of vector drawings.

    ``id`` is ``b<page_idx>_<n>``. Every block ends in a content item or in the drop list.
    """

    id: str
    kind: Literal["text", "image", "drawing", "table"]
    bbox: BBox
    lines: list[Line] = Field(default_factory=list)
    rows: list[list[str]] | None = None
    """Cells of a detected table, row by row; None for other kinds."""
    spans: list[CellSpan] = Field(default_factory=list)
    """Cells over several rows or columns, whose text ``rows`` repeats."""
    image_sha256: str | None = None
    chart: ChartData | None = None
    """What was read from the paths of a drawing that is a chart."""
    flags: list[str] = Field(default_factory=list)
    """``hidden``, ``rotated``, ``ocr``, ``low_confidence``, ``annotation``, ``form_value``, ``part`` (a strip or tile
    in which the picture before it is stored) ..."""
    confidence: float | None = None
    """Mean OCR confidence 0..1 of a block with the flag ``ocr`` where the engine gives it."""
    quality: PictureQuality | None = None
    """Of a bitmap's crop."""
    latex: str | None = Field(default=None, exclude_if=is_none)
    """A displayed formula with parts above each other as LaTeX; its line has it as text."""


class LayoutPage(Record):
    """One page; ``width`` and ``height`` in points as seen (after crop box and rotation)."""

    page_idx: int
    width: float
    height: float
    rotation: int = 0
    turn: float = 0.0
    """Degrees clockwise by which a page that is seen sideways or askew was turned before it was laid out: the boxes of
    its blocks are those of the turned page (the smallest that holds the whole page)."""
    page_label: str | None = None
    has_text_layer: bool = True
    flags: list[str] = Field(default_factory=list)
    """``image_only``, ``garbage_text``, ``unreadable``, ``damaged`` (its content breaks off), ``truncated``, ``ocr``
    (read as a picture), ``low_confidence`` (read badly), ``no_text`` (a picture in which nothing is written) ..."""
    quality: PictureQuality | None = None
    """Of the page's picture, where it was read as one."""
    blocks: list[LayoutBlock] = Field(default_factory=list)


class OutlineEntry(Record):
    """A PDF bookmark; ``level`` from 1, ``page_idx`` 0-based or None when it points nowhere."""

    level: int
    title: str
    page_idx: int | None = None


class Layout(Artifact):
    """``layout.json``."""

    schema_name: ClassVar[str] = "cosee.layout"

    doc_id: str
    title: str | None = None
    parser: str
    """Name and version of the reader, e.g. ``pymupdf 1.28.2``."""
    outline: list[OutlineEntry] = Field(default_factory=list)
    attachments: list[str] = Field(default_factory=list)
    """Names of attached files, as the document gives them; their contents are not read."""
    pages: list[LayoutPage]

    @property
    def block_ids(self) -> list[str]:
        """Ids of the blocks of all pages."""
        return [block.id for page in self.pages for block in page.blocks]

    def save_with(self, path: Path, pages: Iterator[LayoutPage]) -> None:
        """Write the file with ``pages`` in place of its own, one at a time."""
        files.write_json(path, {**self.to_json(), "pages": (page.model_dump() for page in pages)})
