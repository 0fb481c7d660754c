"""Content lists: MinerU's own shape, and ours from ``content_list.adapted.json`` on."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts.base import Artifact, BBox, NumerousRecord, Record, is_none
from cosee.artifacts.documents.chart import ChartData, ChartForm
from cosee.artifacts.documents.layout import CellSpan, OutlineEntry
from cosee.artifacts.documents.picture_quality import PictureQuality

Role = Literal[
    "heading", "paragraph", "list", "image", "table", "equation", "caption", "footnote", "code", "toc",
    "header", "footer", "page_number",
]  # fmt: skip
"""What an item is. The last three are page furniture: they end in the drop list."""

ImageKind = Literal["statistical", "photo", "diagram", "screenshot", "logo", "other"]


class Region(Record):
    """A box on a page: 0-based ``page_idx``, ``bbox`` in 0..1 of the page as seen."""

    page_idx: int
    bbox: BBox
    begins: int = 0
    """Where in the whole the part in this box begins: a row of its table, else a character of its text. Known where it
    grows from one region to the next."""


class TableData(Record):
    """A table's cells as text (no HTML), row by row, every row of equal length; a spanning cell is repeated text."""

    rows: list[list[str]]
    spans: list[CellSpan] = Field(default_factory=list)
    """Cells over several rows or columns; a table without any leaves this empty."""
    header_rows: int = 1
    pictures: list[str] = Field(default_factory=list)
    """Crops of pictures that stand in cells, as paths below the document folder."""
    html: str | None = None
    """The table as the source gave it, kept for the record and out of prompts and indexes."""


class ContentItem(NumerousRecord):
    """One block of content in reading order.

    ``id`` is given once, in M0: a prefix by first role (``t_`` text, ``img_``, ``tab_``, ``eq_``) and a number
    unique in the document. Nothing renumbers it.
    """

    id: str
    role: Role
    text: str = ""
    page_idx: int
    bbox: BBox
    regions: list[Region] = Field(default_factory=list)
    """Every region when there are several (a table over two pages, joined figure parts); else empty."""
    level: int | None = None
    """Heading level from 1; None for everything else."""
    size: float | None = None
    """Median font size in points where known."""
    bold: bool = False
    italic: bool = False
    font: str | None = None
    """Name of the font that most characters are set in, where known."""
    color: str | None = None
    """Colour of most characters as ``#rrggbb``; None for black or unknown."""
    label: str | None = None
    """``Figure 3`` or ``Table 2`` as a person would cite it."""
    caption: str | None = None
    """Caption text of an image or table."""
    caption_ids: list[str] = Field(default_factory=list)
    """Items (role caption) that carry the caption of this image or table."""
    caption_of: str | None = None
    """For a caption: the image or table it belongs to."""
    footnote_ids: list[str] = Field(default_factory=list)
    image_path: str | None = None
    """Path below the document folder, e.g. ``images/<sha256>.png``."""
    table: TableData | None = None
    kind: ImageKind | None = None
    chart_type: str | None = None
    """Repeats ``kind``, for readers that know this name."""
    chart_form: ChartForm | None = None
    chart: ChartData | None = None
    """Series and values where they could be read from vector paths."""
    description: str | None = None
    members: list[str] = Field(default_factory=list)
    """Ids of items merged into this one; they are in ``dropped`` with reason ``merged``."""
    flags: list[str] = Field(default_factory=list)
    """``hidden``, ``ocr``, ``garbage_text``, ``continued`` ... ``hidden`` stays out of prompts and indexes.
    Of an image: ``vector`` (drawn with paths), ``photographic`` (by its colours), ``described_by_model``.
    Of an item that a converted file states itself: ``from_original``; ``unprinted`` where it is on no page (a sheet's
    name, a speaker's notes), its box the whole page.
    Of a table: ``text_without_cell`` (the last row holds what stands inside the table and in none of its cells).
    """
    confidence: float | None = None
    """OCR confidence 0..1 where the text was recognised."""
    quality: PictureQuality | None = None
    """Of the picture of an image that is a bitmap, as M0 cut it out."""
    source_blocks: list[str] = Field(default_factory=list)
    """Ids of the layout blocks it was made from."""
    latex: str | None = Field(default=None, exclude_if=is_none)
    """Of an equation whose signs are all known, read from its glyphs and their places; or as MinerU or docling has
    it, whose ``text`` it is then too."""


class DroppedItem(Record):
    """Content that is not in the tree, with its reason (``header``, ``footer``, ``page_number``, ``empty``,
    ``decoration``, ``duplicate``, ``in_table``, ``merged``, ``hidden``, ``struck_out``, ``ocr_noise`` ...): nothing is
    lost silently.
    """

    id: str
    reason: str
    page_idx: int
    bbox: BBox | None = None
    text: str = ""
    source_blocks: list[str] = Field(default_factory=list)


class PageInfo(Record):
    """One page of the document."""

    page_idx: int
    width: float
    height: float
    rotation: int = 0
    page_label: str | None = None
    """The number printed on the page, or the PDF's page label."""
    flags: list[str] = Field(default_factory=list)
    quality: PictureQuality | None = None
    """Of the page's picture and what was done to it, where the page was read by OCR."""


class ContentList(Artifact):
    """``content_list.adapted.json`` (M0) and ``content_list.enhanced.json`` (M1): items in reading order."""

    schema_name: ClassVar[str] = "cosee.content_list"

    doc_id: str
    stage: Literal["adapted", "enhanced"]
    source: str
    """Where the items come from: ``pymupdf``, ``mineru-1``, ``mineru-2``, ``mineru-2.5``, ``mineru-3``, or docling with
    the version of its schema (``docling-1.10``)."""
    bbox_unit: Literal["points", "grid", "pixels", "fraction"] = "points"
    """What the source measured its boxes in (``grid``: 0..1000); here they are 0..1 of the page."""
    title: str | None = None
    language: str | None = None
    outline: list[OutlineEntry] = Field(default_factory=list)
    attachments: list[str] = Field(default_factory=list)
    """Names of files that the document carries; their contents are not read."""
    pages: list[PageInfo]
    items: list[ContentItem]
    dropped: list[DroppedItem] = Field(default_factory=list)


class MinerUItem(Record):
    """One entry of ``content_list.json`` as MinerU 2.5 writes it (``bbox`` 0..1000, ``page_idx`` 0-based)."""

    type: Literal["text", "image", "table", "equation", "list", "code", "header", "footer", "page_number"]
    page_idx: int
    bbox: tuple[int, int, int, int]
    text: str | None = None
    text_format: Literal["latex"] | None = None
    """Of an equation in LaTeX, between ``$$``."""
    text_level: int | None = None
    img_path: str | None = None
    image_caption: list[str] | None = None
    image_footnote: list[str] | None = None
    table_caption: list[str] | None = None
    table_footnote: list[str] | None = None
    table_body: str | None = None
    list_items: list[str] | None = None
