"""MinerU's content list, of any version, becomes ours.

Fields are found by name, never by position. The versions differ so: 1.x has ``img_caption``, often no boxes, and
lists as text of several lines; 2.x has ``image_caption`` and boxes of 0..1000; 2.5 adds lists, code and the discarded
blocks (headers, page numbers ...); 3.x adds charts, indexes and ``content_list_v2``, a list of blocks for each page
whose texts are lists of spans. Middle JSON and the model's own output are read too (``source.py``).
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartForm
from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, PageInfo, Role
from cosee.parse.mineru.boxes import BoxScale, Corners, corners
from cosee.parse.mineru.collector import Collector, count_warnings, equation_label, margin_role, tie_caption
from cosee.parse.mineru.source import NotAContentList, Source, SourceBlock, layout_blocks, read_source
from cosee.parse.mineru.text import (
    encodable,
    is_bulleted,
    is_latex,
    is_readable,
    lines_of,
    plain,
    string,
    strings,
    text_of,
    without_unmapped,
)
from cosee.parse.mineru.thresholds import (
    DEFAULT_SIZE,
    MAX_LEVEL,
    MAX_PAGES,
    MAX_QUOTED_PATH,
    MAX_QUOTED_TYPE,
    SAME_BLOCK,
    UNPLACED_AREA,
)
from cosee.parse.tables.html_table import table_from_markup, text_outside_cells

__all__ = ["NotAContentList", "adapt", "warnings_of"]

_TYPES: dict[Role, str] = {
    "paragraph": "text paragraph plain_text phonetic abstract vertical_text formula_number interline_text md",
    "heading": "title doc_title paragraph_title section_header heading",
    "image": "image figure chart seal image_body chart_body",
    "table": "table table_body simple_table complex_table",
    "equation": "equation interline_equation equation_interline display_formula formula isolate_formula isolated",
    "list": "list ref_text reference reference_content list_item",
    "toc": "index toc",
    "code": "code algorithm code_body",
    "header": "header page_header header_image",
    "footer": "footer page_footer footer_image aside_text page_aside_text",
    "page_number": "page_number number",
    "footnote": "page_footnote footnote image_footnote table_footnote chart_footnote code_footnote vision_footnote",
    "caption": "image_caption table_caption chart_caption code_caption caption figure_title chart_title table_title",
}
_ROLES: dict[str, Role] = {kind: role for role, kinds in _TYPES.items() for kind in kinds.split()}
_DISCARDED = frozenset(("discarded", "discarded_block", "abandon"))
"""What older versions call a block of the page's margins, whichever it is."""
_KINDS = ("image", "img", "chart", "table", "code", "algorithm")
_CAPTIONS = tuple(f"{kind}_caption" for kind in _KINDS)
_NOTES = tuple(f"{kind}_footnote" for kind in _KINDS)
_TABLES = ("table_body", "html", "table_html", "latex", "content")
_FORMS: tuple[ChartForm, ...] = ("line", "bar", "pie", "scatter")
_LOST = "lost_by_source"
"""Drop reason of a block that MinerU's layout has and its content list lacks."""
_log = logging.getLogger(__name__)


def adapt(
    raw: Any,
    doc_id: str,
    *,
    pages: Sequence[PageInfo] | None = None,
    has_image: Callable[[str], bool] | None = None,
    folder: str = "",
    layout: Any = None,
) -> ContentList:
    """The adapted content list of a parsed ``content_list.json``, ``content_list_v2.json`` or ``middle.json``.

    ``pages`` are the PDF's, where known; ``has_image`` tells whether a picture exists below ``folder``, the path of the
    list's own folder inside the document's. ``layout`` is the parsed layout (middle JSON) that was made with the list:
    a block that only it has is in ``dropped`` with the reason ``lost_by_source``. What is wrong with an item is in its
    flags: ``unknown_type`` (kept as a paragraph), ``image_missing``, ``unsafe_path``, ``no_bbox`` (its box only keeps
    the order), ``bad_page``.

    Raises:
        NotAContentList: no list of blocks was found.
    """
    source = read_source(raw)
    builder = _Builder(doc_id, source, pages, has_image, folder)
    for block in source.blocks:
        if isinstance(block.value, dict):
            builder.add(block.value, block.listed_on)
        else:
            builder.drop(block.value)
    for page_idx, fields in layout_blocks(layout):
        builder.note_lost(page_idx, fields)
    return builder.finish(source.version)


def warnings_of(content: ContentList) -> dict[str, int]:
    """Flag -> number of items that have it, for the flags that tell of something wrong in the source.

    ``lost_block`` counts the blocks of its layout that the source's list lacks.
    """
    return count_warnings(content, _LOST)


class _Builder(Collector):
    """Collects the items of a list's blocks."""

    def __init__(
        self,
        doc_id: str,
        source: Source,
        pages: Sequence[PageInfo] | None,
        has_image: Callable[[str], bool] | None,
        folder: str,
    ) -> None:
        super().__init__(doc_id)
        self.known_pages = list(pages) if pages is not None else None
        self.scale = BoxScale(list(self._placed(source.blocks)), self.known_pages, source.on_grid)
        self.has_image = has_image
        self.folder = folder

    def _placed(self, blocks: Sequence[SourceBlock]) -> Iterator[tuple[int, Corners]]:
        """Page and box of every block that has both."""
        for block in blocks:
            if isinstance(block.value, dict) and (box := corners(block.value.get("bbox"))):
                page_idx = self._named_page(block.value, block.listed_on)
                if page_idx is not None:
                    yield page_idx, box

    def add(self, block: dict[str, Any], listed_on: int | None) -> None:
        """Add one block with its captions and notes."""
        flags: list[str] = []
        page_idx = self._page(block, listed_on, flags)
        box = self._box(block, page_idx, flags)
        content = _content(block)
        role, level = self._role(block, content, box, flags)
        item = ContentItem(id=self.new_id(role), role=role, page_idx=page_idx, bbox=box, flags=flags)
        item.text = "" if role == "table" else text_of(content, role, everything="unknown_type" in flags)
        if role == "heading":
            item.level = level
        if role in ("image", "table", "equation"):
            self._picture(item, content)
        stray = self._table(item, content) if role == "table" else ""
        if role == "image":
            _chart(item, block, content)
        if role == "equation":
            item.label = equation_label(item.text)
            item.latex = item.text if is_latex(content) else None
        self.note_page_number(item)
        parts = self._attached(item, content, stray)
        if role not in ("image", "table") and not (item.text or item.image_path) and not parts:
            self.drop_item(item, "empty")
        elif item.text and not is_readable(item.text) and not parts and role not in ("image", "table"):
            self.drop_item(item, "garbage_text")
        else:
            self.items += [item, *parts]

    def drop(self, value: Any) -> None:
        """Keep an entry of the list that is no block in the drop list, with what it says."""
        text = plain(" ".join(lines_of(value)))
        if text or value not in (None, [], {}, ""):
            self.dropped.append(
                DroppedItem(id=self.new_id("paragraph"), reason="not_a_block", page_idx=self.page_idx, text=text)
            )

    def note_lost(self, page_idx: int, block: dict[str, Any]) -> None:
        """Note a block of the source's layout that none of the items on its page stands for."""
        box = corners(block.get("bbox"))
        if box is None or not 0 <= page_idx < self._page_limit():
            return
        place = self.scale.to_page(page_idx, box)
        here = [item for item in self.items if item.page_idx == page_idx]
        if any("no_bbox" in item.flags for item in here):
            return
        boxes = [item.bbox for item in here] + [d.bbox for d in self.dropped if d.page_idx == page_idx and d.bbox]
        if geometry.area(place) <= 0 or any(
            geometry.intersection(place, other) >= SAME_BLOCK * geometry.area(place) for other in boxes
        ):
            return
        role = _ROLES.get(_kind(block), "paragraph")
        text = "" if role == "image" else text_of(_content(block), "paragraph")
        self.dropped.append(DroppedItem(id=self.new_id(role), reason=_LOST, page_idx=page_idx, bbox=place, text=text))

    def _role(
        self, block: dict[str, Any], content: dict[str, Any], box: BBox, flags: list[str]
    ) -> tuple[Role, int | None]:
        kind = _kind(block)
        level = _level(block.get("text_level", content.get("level")))
        if kind in _DISCARDED:
            return margin_role(
                plain(" ".join(lines_of(content.get("text")))), None if "no_bbox" in flags else box
            ), None
        role = _ROLES.get(kind)
        if role is None:
            quoted = kind[:MAX_QUOTED_TYPE]
            _log.warning("%s: block %d has the unknown type %r; kept as a paragraph", self.doc_id, self.count, quoted)
            role = "paragraph"
            flags.append("unknown_type")
        if role == "paragraph" and level is not None:
            role = "heading"
        elif role == "paragraph" and is_bulleted(content.get("text")):
            role = "list"
        return role, level

    def _table(self, item: ContentItem, content: dict[str, Any]) -> str:
        """Set cells and text; returns what the markup says outside of its cells."""
        source = encodable(string(content, _TABLES))
        markup = without_unmapped(source)
        item.table = table_from_markup(markup)
        item.table.html = source
        if item.table.rows:
            item.text = "\n".join(" | ".join(row) for row in item.table.rows)
            return text_outside_cells(markup)
        item.text = text_outside_cells(markup) or plain(markup) or plain(" ".join(lines_of(content.get("text"))))
        return ""

    def _attached(self, item: ContentItem, content: dict[str, Any], stray: str) -> list[ContentItem]:
        """Captions and notes of a block as items of their own, tied to it; ``stray`` text of a table is one of them."""
        parts: list[ContentItem] = []
        captions, notes = strings(content, _CAPTIONS), strings(content, _NOTES)
        if stray:
            (notes if captions else captions).append(stray)
        for texts, role in ((captions, "caption"), (notes, "footnote")):
            for text in texts:
                flags = [flag for flag in item.flags if flag in ("no_bbox", "bad_page")]
                part = ContentItem(
                    id=self.new_id("caption"), role="caption", page_idx=item.page_idx, bbox=item.bbox, flags=flags
                )
                part.text = text
                if role == "footnote":
                    part.role = "footnote"
                    item.footnote_ids.append(part.id)
                elif item.role in ("image", "table"):
                    tie_caption(part, item)
                else:
                    part.role = "paragraph"
                parts.append(part)
        return parts

    def _picture(self, item: ContentItem, content: dict[str, Any]) -> None:
        path = string(content, ("img_path", "image_path", "path"))
        if not path and isinstance(content.get("image_source"), dict):
            path = string(content["image_source"], ("path", "img_path"))
        # A folder without a name is how several versions write that there is no picture.
        if not path or (path.endswith("/") and _is_safe(path.rstrip("/"))):
            if item.role == "image":
                item.flags.append("image_missing")
        elif not _is_safe(path):
            quoted = path[:MAX_QUOTED_PATH]
            _log.warning(
                "%s: item %s: picture path %r is not below the document; left out", self.doc_id, item.id, quoted
            )
            item.flags += ["unsafe_path", "image_missing"]
        elif self.has_image is not None and not self.has_image(path):
            if item.role != "equation" or not item.text:
                item.flags.append("image_missing")
        else:
            item.image_path = f"{self.folder}/{path}" if self.folder else path

    def _page_limit(self) -> int:
        return len(self.known_pages) if self.known_pages is not None else MAX_PAGES

    def _named_page(self, block: dict[str, Any], listed_on: int | None) -> int | None:
        """The page that a block names or was listed under; None where it is none of the document's."""
        value: Any = block.get("page_idx", listed_on)
        digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 9
        if digits or (isinstance(value, float) and value.is_integer()):
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < self._page_limit():
            return value
        return None

    def _page(self, block: dict[str, Any], listed_on: int | None, flags: list[str]) -> int:
        """The block's page; one that names none, or none of the document's, stays on the page before it."""
        value = self._named_page(block, listed_on)
        if value is None:
            flags.append("bad_page")
        else:
            self.page_idx = value
        return self.page_idx

    def _box(self, block: dict[str, Any], page_idx: int, flags: list[str]) -> BBox:
        """The block's box in 0..1; ``no_bbox`` where it has none."""
        box = corners(block.get("bbox"))
        if box is not None:
            return self.scale.to_page(page_idx, box)
        flags.append("no_bbox")
        return UNPLACED_AREA

    def finish(self, source: str) -> ContentList:
        """The list of everything added; as many pages as it names where the PDF does not tell."""
        pages = self.known_pages
        if pages is None:
            used = [item.page_idx for item in self.items] + [block.page_idx for block in self.dropped]
            count = max(used, default=-1) + 1
            width, height = DEFAULT_SIZE
            pages = [PageInfo(page_idx=page_idx, width=width, height=height) for page_idx in range(count)]
        return self.content_list(source, self.scale.unit, pages)


def _is_safe(path: str) -> bool:
    """Whether a picture's path stays below its folder: relative, no ``..``, no address, no odd characters."""
    parts = path.split("/")
    return (
        not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path)
        and "\\" not in path
        and path.isprintable()
        and all(part not in ("", ".", "..") for part in parts)
    )


def _content(block: dict[str, Any]) -> dict[str, Any]:
    """The block's fields, those of version 2's inner ``content`` with them."""
    inner = block.get("content")
    return {**block, **inner} if isinstance(inner, dict) else block


def _kind(block: dict[str, Any]) -> str:
    return str(block.get("type") or "").strip().lower()


def _chart(item: ContentItem, block: dict[str, Any], content: dict[str, Any]) -> None:
    """Kind and form of a chart that the source knows as one."""
    form = str(block.get("sub_type") or content.get("sub_type") or "").lower()
    if _kind(block) == "chart" or "chart" in form or "plot" in form:
        item.kind = item.chart_type = "statistical"
        item.chart_form = next((name for name in _FORMS if name in form), item.chart_form)


def _level(value: Any) -> int | None:
    """A heading level; 0 and anything that is no number mean none."""
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value[:3])
    return min(value, MAX_LEVEL) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
