"""``Layout`` to content lists: MinerU's shape, and ours with ids given once and for all."""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from dataclasses import dataclass, field
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartForm
from cosee.artifacts.documents.content import (
    ContentItem,
    ContentList,
    DroppedItem,
    MinerUItem,
    PageInfo,
    TableData,
)
from cosee.artifacts.documents.layout import Layout, LayoutBlock, LayoutPage
from cosee.imaging.upright import Turn
from cosee.parse.content import thresholds
from cosee.parse.content.code import FontsSeen
from cosee.parse.content.contents_lines import CONTENTS, split_contents
from cosee.parse.content.continuation import join_continued
from cosee.parse.content.paragraphs import Piece, footnote_marks, joined_code, line_text, pieces_of
from cosee.parse.layout.line_numbers import LINE_NUMBER
from cosee.parse.pdf.bookmark_titles import bookmark_titles, contents_titles
from cosee.parse.pdf.page_model import PART
from cosee.parse.tables.html_table import table_html
from cosee.parse.tables.rest import text_without_cell
from cosee.parse.tables.text import header_row_count
from cosee.parse.tables.title import has_bold_names, without_titles
from cosee.text.caption_words import PART_LABEL
from cosee.text.cleaning import join_lines, one_line, vocabulary
from cosee.text.language import language_of

GRID = 1000
"""MinerU's boxes are whole numbers from 0 to 1000."""
_DIVIDED = re.compile(r"(?<=[^\W\d_]-) (?!(?:and|or|to|und|oder|et|ou|y|o)\b)(?=[^\W\d_])")
"""The gap after a hyphen at the end of a line of a cell; not that of ``short- and long-term``."""
_PREFIX = {"image": "img", "table": "tab", "equation": "eq"}
_ASIDE_FLAGS = ("hidden", "ocr_noise", "replaced", "comment", "struck_out", LINE_NUMBER)
_DROP_FLAGS = (*_ASIDE_FLAGS, "decoration", "background", "page_scan")
_CHART_FORMS: dict[str, ChartForm] = {f"chart:{form}": form for form in ("line", "bar", "pie", "scatter", "other")}


def adapt(layout: Layout) -> ContentList:
    """The content list of a layout, stage ``adapted``: items in reading order with ids, the rest in ``dropped``.

    Headings, captions, footnotes and page furniture are still paragraphs here; size and weight are carried.
    """
    noted = Noted()
    for page in layout.pages:
        noted.add(page)
    adapter = Adapter(layout, noted)
    for page in layout.pages:
        adapter.add_page(page)
    return adapter.content()


def _without_titles(blocks: list[LayoutBlock], titles: Set[str]) -> list[LayoutBlock]:
    return [part for block in blocks for part in (without_titles(block, titles) if block.kind == "table" else [block])]


@dataclass
class Noted:
    """What has to be known of all pages before the first of them is adapted."""

    words: set[str] = field(default_factory=set)
    blocks: list[str] = field(default_factory=list)
    """Ids of all layout blocks."""
    fonts: FontsSeen = field(default_factory=FontsSeen)

    def add(self, page: LayoutPage) -> None:
        """Note one page."""
        self.words |= vocabulary(line_text(line, set()) for block in page.blocks for line in block.lines)
        self.blocks += [block.id for block in page.blocks]
        self.fonts.add(page.blocks)


class Adapter:
    """Makes the content list of a layout from pages that come one by one; those of ``layout`` need no blocks."""

    def __init__(self, layout: Layout, noted: Noted) -> None:
        self.layout = layout
        self.known = noted.words
        self.pitch = noted.fonts.fixed_pitch()
        self.titles = bookmark_titles(layout.outline)
        self.listed: set[str] = set()
        """Titles of the printed contents so far."""
        self.items: list[ContentItem] = []
        self.dropped: list[DroppedItem] = []
        self.open_ends: set[int] = set()
        self.images: dict[str, tuple[int, BBox]] = {}
        self.contents_number: int | None = None
        """Last number of the printed contents on the page before."""
        self.code: Piece | None = None
        self.reason: str | None = None
        """Why the last block that is no part was dropped."""

    def content(self) -> ContentList:
        """The content list of what was added."""
        entries = join_continued(self.items, self.open_ends, self.known)
        content = ContentList(
            doc_id=self.layout.doc_id,
            stage="adapted",
            source="pymupdf",
            title=self.layout.title,
            language=language_of(item.text for item in entries),
            outline=self.layout.outline,
            attachments=self.layout.attachments,
            pages=[PageInfo.model_validate(page, from_attributes=True) for page in self.layout.pages],
            items=entries,
            dropped=self.dropped,
        )
        _number(content)
        return content

    def add_page(self, page: LayoutPage) -> None:
        """Add the blocks of one page."""
        marks = footnote_marks(page.blocks)
        blocks, self.contents_number = split_contents(page, self.contents_number)
        for block in blocks:
            if CONTENTS in block.flags:
                self.listed |= contents_titles(block.lines)
        blocks = _without_titles(blocks, self.titles.get(page.page_idx, set()))
        in_cells = _pictures_in_cells(blocks)
        for block in blocks:
            if PART in block.flags:
                self._part(block, page, marks)
                continue
            reason = next((flag for flag in _DROP_FLAGS if flag in block.flags), None)
            if reason is None and block.id in in_cells:
                reason = "in_table"
            self.reason = reason
            if reason is not None:
                self._drop(block, page, reason, marks)
            elif block.kind == "text":
                self._text(block, page, marks)
            elif block.kind == "table":
                own = [other for other in page.blocks if in_cells.get(other.id) == block.id]
                self._table(block, page, own)
            else:
                self._image(block, page, marks)

    def _text(self, block: LayoutBlock, page: LayoutPage, marks: set[str]) -> None:
        pieces = pieces_of(block, marks, self.pitch, self.titles.get(page.page_idx, set()), self.listed)
        if self._is_more_code(block, page, pieces[0] if pieces else None):
            return
        texts = [self._piece_text(piece) for piece in pieces]
        if not any(texts):
            self._drop(block, page, "empty", marks)
            return
        for piece, text in zip(pieces, texts, strict=True):
            if not text:
                continue
            item = _item(block, page, piece.role, text, piece.bbox)
            item.size, item.bold, item.label = piece.size, piece.bold, piece.label
            item.italic, item.font, item.color = piece.italic, piece.font, piece.color
            item.confidence, item.latex = block.confidence, piece.latex
            if piece.ends_open and not PART_LABEL.fullmatch(text):
                self.open_ends.add(len(self.items))
            self.items.append(item)

    def _is_more_code(self, block: LayoutBlock, page: LayoutPage, piece: Piece | None) -> bool:
        """Whether a block was added to the listing before it."""
        before, self.code = self.code, piece if piece is not None and piece.role == "code" else None
        last = self.items[-1] if self.items else None
        if before is None or piece is None or last is None or last.page_idx != page.page_idx or last.role != "code":
            return False
        if not joined_code(before, piece):
            return False
        self.code = before
        last.text, last.bbox = self._piece_text(before), _on_page(before.bbox, page)
        last.source_blocks.append(block.id)
        return True

    def _piece_text(self, piece: Piece) -> str:
        if piece.role == "code":
            return "\n".join(line.rstrip() for line in piece.lines).strip("\n")
        if piece.role == "toc":
            return "\n".join(text for line in piece.lines if (text := one_line(line)))
        if piece.role == "list":
            ends = [*piece.starts[1:], len(piece.lines)]
            parts = [join_lines(piece.lines[a:b], self.known) for a, b in zip(piece.starts, ends, strict=True)]
            return "\n".join(part for part in parts if part)
        return join_lines(piece.lines, self.known)

    def _table(self, block: LayoutBlock, page: LayoutPage, pictures: list[LayoutBlock]) -> None:
        rows = [[self._unbroken(cell) for cell in row] for row in block.rows or []]
        rest = one_line(" ".join(text_without_cell(block)))
        if rest:
            rows = [*rows, [rest, *[""] * (len(rows[0]) - 1 if rows else 0)]]
        text = "\n".join(" | ".join(row) for row in rows)
        item = _item(block, page, "table", text, block.bbox)
        paths = [_image_path(picture.image_sha256) for picture in pictures if picture.image_sha256 is not None]
        headers = header_row_count(rows) or int(has_bold_names(block))
        item.table = TableData(rows=rows, spans=block.spans, header_rows=headers, pictures=paths)
        if rest:
            item.flags.append("text_without_cell")
        item.confidence = block.confidence
        self.items.append(item)

    def _unbroken(self, cell: str) -> str:
        """A cell's text with words whole that were divided at the end of a line."""
        return join_lines(_DIVIDED.split(cell), self.known) if "- " in cell else cell

    def _image(self, block: LayoutBlock, page: LayoutPage, marks: set[str]) -> None:
        if block.image_sha256 is not None and self._repeats(
            block.image_sha256, _on_page(block.bbox, page), page.page_idx
        ):
            self.reason = "duplicate"
            self._drop(block, page, "duplicate", marks)
            return
        labels = [one_line(line_text(line, marks)) for line in block.lines]
        item = _item(block, page, "image", " ".join(label for label in labels if label), block.bbox)
        item.confidence = block.confidence
        if block.image_sha256 is not None:
            item.image_path = _image_path(block.image_sha256)
            item.quality = block.quality
        if block.kind == "drawing":
            item.flags.append("vector")
        form = next((_CHART_FORMS[flag] for flag in block.flags if flag in _CHART_FORMS), None)
        if form is not None:
            item.chart_form, item.kind, item.chart_type = form, "statistical", "statistical"
            item.chart = block.chart
        self.items.append(item)

    def _part(self, block: LayoutBlock, page: LayoutPage, marks: set[str]) -> None:
        """A strip or tile of the picture before it: a member of it, gone where that is gone."""
        self._drop(block, page, self.reason or "merged", marks)
        if self.reason is None:
            self.items[-1].members.append(block.id)

    def _repeats(self, digest: str, box: BBox, page_idx: int) -> bool:
        """Whether a picture was seen before and is a logo or the like: small, or at the same place of another page."""
        first_page, first_box = self.images.setdefault(digest, (page_idx, box))
        if (first_page, first_box) == (page_idx, box):
            return False
        size = geometry.area(box)
        if page_idx == first_page:
            return size < thresholds.SMALL_ON_PAGE
        moved = max(abs(a - b) for a, b in zip(box, first_box, strict=True))
        return size < thresholds.SMALL or moved < thresholds.SAME_PLACE

    def _drop(self, block: LayoutBlock, page: LayoutPage, reason: str, marks: set[str]) -> None:
        self.dropped.append(
            DroppedItem(
                id=block.id,
                reason=reason,
                page_idx=page.page_idx,
                bbox=_on_page(block.bbox, page),
                text=join_lines((line_text(line, marks) for line in block.lines), self.known),
                source_blocks=[block.id],
            )
        )


def _pictures_in_cells(blocks: list[LayoutBlock]) -> dict[str, str]:
    """Id of a picture block -> id of the table in whose cells it stands; a picture as large as the table is none."""
    tables = [block for block in blocks if block.kind == "table"]
    held = {}
    for block in blocks:
        if block.kind not in ("image", "drawing") or PART in block.flags:
            continue
        size = geometry.area(block.bbox)
        for table in tables:
            inside = geometry.intersection(block.bbox, table.bbox) >= thresholds.INSIDE_TABLE * size
            if inside and size <= thresholds.MAX_IN_CELL * geometry.area(table.bbox):
                held[block.id] = table.id
                break
    return held


def _image_path(digest: str) -> str:
    return f"images/{digest}.png"


def _item(block: LayoutBlock, page: LayoutPage, role: Any, text: str, box: BBox) -> ContentItem:
    unseen = (CONTENTS, "formula")
    flags = [flag for flag in block.flags if flag not in unseen and not flag.startswith("chart:")]
    flags += ["garbage_text"] * ("garbage_text" in page.flags and "ocr" not in flags)
    return ContentItem(
        id="",
        role=role,
        text=text,
        page_idx=page.page_idx,
        bbox=_on_page(box, page),
        flags=flags,
        source_blocks=[block.id],
    )


def _on_page(box: BBox, page: LayoutPage) -> BBox:
    """A box of the layout as 0..1 of the page as seen, cut to the page."""
    width, height = max(page.width, 1e-6), max(page.height, 1e-6)
    if page.turn:
        box = Turn(page.width, page.height, page.turn).back(box)
    scaled = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
    return geometry.rounded(geometry.clamp(scaled, (0.0, 0.0, 1.0, 1.0)), 6)


def _number(content: ContentList) -> None:
    """Give every item, kept or dropped, its id from one sequence over the document: kept ones first."""
    for number, item in enumerate(content.items):
        item.id = f"{_PREFIX.get(item.role, 't')}_{number}"
    blocks = {}
    for number, dropped in enumerate(content.dropped, start=len(content.items)):
        blocks[dropped.id] = dropped
        dropped.id = f"t_{number}" if dropped.text else f"img_{number}"
    for item in content.items:
        item.members = [blocks[member].id for member in item.members]


def unaccounted(blocks: Iterable[str], content: ContentList) -> list[str]:
    """Which of the layout's block ids are neither in an item nor in the drop list; empty when nothing was lost."""
    seen = {block for item in content.items for block in item.source_blocks}
    seen |= {block for item in content.dropped for block in item.source_blocks}
    return [block for block in blocks if block not in seen]


def mineru_list(content: ContentList) -> list[dict[str, Any]]:
    """``content_list.json``: the items as MinerU 2.5 would write them (boxes 0..1000)."""
    return [_mineru_item(item).model_dump(mode="json", exclude_none=True) for item in content.items]


def _mineru_item(item: ContentItem) -> MinerUItem:
    x0, y0, x1, y1 = (round(value * GRID) for value in item.bbox)
    entry = MinerUItem(type="text", page_idx=item.page_idx, bbox=(x0, y0, x1, y1))
    if item.role == "image":
        entry.type, entry.img_path = "image", item.image_path or ""
        entry.image_caption, entry.image_footnote = [], []
    elif item.role == "table" and item.table is not None:
        entry.type, entry.table_body = "table", table_html(item.table.rows, item.table.spans)
        entry.table_caption, entry.table_footnote = [], []
    elif item.role == "list":
        entry.type, entry.list_items = "list", item.text.split("\n")
    elif item.role in ("equation", "code"):
        entry.type = "equation" if item.role == "equation" else "code"
        entry.text, entry.img_path = item.text, item.image_path
        if item.latex:
            entry.text, entry.text_format = f"$$\n{item.latex}\n$$", "latex"
    else:
        entry.text = item.text
    return entry
