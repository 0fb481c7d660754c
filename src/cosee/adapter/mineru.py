"""MinerU's content list, of any version, becomes ours (contract D4).

Fields are found by name, never by position. The versions differ so: 1.x has ``img_caption`` and often no boxes; 2.x has
``image_caption`` and boxes of 0..1000; 2.5 adds lists, code and the discarded blocks (headers, page numbers ...);
3.x adds charts and ``content_list_v2``, a list of blocks for each page whose texts are lists of spans.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cosee.adapter import geometry
from cosee.adapter.html_table import table_from_html
from cosee.adapter.paragraphs import BULLET
from cosee.adapter.text import clean, one_line
from cosee.artifacts.base import BBox
from cosee.artifacts.content import ContentItem, ContentList, DroppedItem, PageInfo, Role

MAX_PAGES = 20_000
MAX_DEPTH = 12
GRID = 1000.0
DEFAULT_SIZE = 612.0, 792.0
"""Page size in points where the PDF is not at hand."""
_ROLES: dict[str, Role] = {
    "text": "paragraph", "paragraph": "paragraph", "plain_text": "paragraph", "abandon": "paragraph",
    "title": "heading", "doc_title": "heading", "paragraph_title": "heading", "section_header": "heading",
    "heading": "heading",
    "image": "image", "figure": "image", "chart": "image", "seal": "image",
    "table": "table",
    "equation": "equation", "interline_equation": "equation", "equation_interline": "equation", "formula": "equation",
    "list": "list", "ref_text": "list", "index": "toc", "toc": "toc",
    "code": "code", "algorithm": "code",
    "header": "header", "page_header": "header",
    "footer": "footer", "page_footer": "footer", "aside_text": "footer", "page_aside_text": "footer",
    "page_number": "page_number",
    "page_footnote": "footnote", "footnote": "footnote",
    "image_caption": "caption", "table_caption": "caption", "caption": "caption",
}  # fmt: skip
_CAPTIONS = ("image_caption", "img_caption", "chart_caption", "table_caption", "code_caption", "algorithm_caption")
_NOTES = ("image_footnote", "img_footnote", "chart_footnote", "table_footnote", "code_footnote")
_TEXTS = ("text", "list_items", "code_body", "math_content", "content")
_LISTS = ("content_list_v2", "content_list", "structured_content", "content", "results", "data")
_PREFIX = {"image": "img", "table": "tab", "equation": "eq"}
_UNMAPPED = re.compile(r"\(cid:\d+\)")
_TAG = re.compile(r"\\tag\s*\*?\s*\{\s*([^{}]{1,20}?)\s*\}")
_PAGE_NUMBER = re.compile(r"^[^\w]*(?:page\s+)?([A-Za-z]?-?\d{1,4}|[ivxlcIVXLC]{1,7})[^\w]*$", re.IGNORECASE)
_log = logging.getLogger(__name__)


class NotAContentList(ValueError):
    """The value is not a content list of any known version; the message says what was found."""


def adapt(
    raw: list[Any] | dict[str, Any],
    doc_id: str,
    *,
    pages: Sequence[PageInfo] | None = None,
    has_image: Callable[[str], bool] | None = None,
    folder: str = "",
) -> ContentList:
    """The adapted content list of a parsed ``content_list.json`` or ``content_list_v2.json``.

    ``pages`` are the PDF's, where known; ``has_image`` tells whether a picture exists below ``folder``, the path of the
    list's own folder inside the document's. What is wrong with an item is in its flags: ``unknown_type`` (kept as a
    paragraph), ``image_missing``, ``unsafe_path``, ``no_bbox`` (its box only keeps the order), ``bad_page``.

    Raises:
        NotAContentList: no list of blocks was found.
    """
    blocks, source = _blocks(raw)
    builder = _Builder(doc_id, pages, has_image, folder)
    for block, page_idx in blocks:
        builder.add(block, page_idx)
    return builder.finish(source)


def warnings_of(content: ContentList) -> dict[str, int]:
    """Flag -> number of items that have it, for the flags that tell of something wrong in the source."""
    flags = [flag for item in content.items for flag in item.flags]
    return {
        name: flags.count(name)
        for name in ("unknown_type", "unsafe_path", "image_missing", "bad_page")
        if name in flags
    }


def _blocks(raw: Any) -> tuple[list[tuple[dict[str, Any], int | None]], str]:
    """Every block with the page it was listed under (None: the block says), and the version that the list shows."""
    found = _unwrapped(raw, 0)
    if found is None:
        raise NotAContentList(f"no list of MinerU blocks in it, but {type(raw).__name__}")
    if any(isinstance(page, list) for page in found):
        paged: list[tuple[dict[str, Any], int | None]] = [
            (block, page_idx)
            for page_idx, page in enumerate(found)
            for block in (page if isinstance(page, list) else [page])
            if isinstance(block, dict)
        ]
        return paged, "mineru-3"
    flat: list[tuple[dict[str, Any], int | None]] = [(block, None) for block in found if isinstance(block, dict)]
    keys = {key for block, _ in flat for key in block}
    types = {str(block.get("type")) for block, _ in flat}
    if types & {"chart", "seal"}:
        return flat, "mineru-3"
    if types & {"list", "code", "header", "footer", "page_number", "aside_text", "page_footnote"}:
        return flat, "mineru-2.5"
    return flat, "mineru-1" if "img_caption" in keys or "bbox" not in keys else "mineru-2"


def _unwrapped(raw: Any, depth: int) -> list[Any] | None:
    """The list of blocks (or of pages of blocks) inside a value of any wrapping."""
    if isinstance(raw, list):
        blocks = [entry for entry in raw if isinstance(entry, (dict, list))]
        return blocks if blocks or not raw else None
    if not isinstance(raw, dict) or depth > 3:
        return None
    for key in (*_LISTS, *(key for key in raw if key not in _LISTS)):
        value = raw.get(key)
        found = _unwrapped(value, depth + 1) if isinstance(value, (list, dict)) else None
        if found is not None and (key in _LISTS or any(isinstance(entry, list) or "type" in entry for entry in found)):
            return found
    return None


class _Builder:
    """Collects items; ids count over items and dropped blocks together, in the order of the source."""

    def __init__(
        self,
        doc_id: str,
        pages: Sequence[PageInfo] | None,
        has_image: Callable[[str], bool] | None,
        folder: str,
    ) -> None:
        self.doc_id = doc_id
        self.known_pages = list(pages) if pages is not None else None
        self.has_image = has_image
        self.folder = folder
        self.items: list[ContentItem] = []
        self.dropped: list[DroppedItem] = []
        self.labels: dict[int, str] = {}
        self.page_idx = 0
        self.count = 0

    def add(self, block: dict[str, Any], listed_on: int | None) -> None:
        """Add one block with its captions and notes."""
        flags: list[str] = []
        page_idx = self._page(block, listed_on, flags)
        box = self._box(block, page_idx, flags)
        kind = str(block.get("type") or "").strip().lower()
        role = _ROLES.get(kind)
        if role is None:
            _log.warning(
                "%s: block %d has the unknown type %r; kept as a paragraph", self.doc_id, self.count, kind[:60]
            )
            role = "paragraph"
            flags.append("unknown_type")
        content = _content(block)
        level = _level(block.get("text_level", content.get("level")))
        if role == "paragraph" and level is not None:
            role = "heading"
        elif role == "paragraph" and _is_bulleted(content.get("text")):
            role = "list"
        item = ContentItem(id=self._id(role), role=role, page_idx=page_idx, bbox=box, flags=flags)
        item.text = _text_of(content, role)
        if role == "heading":
            item.level = level
        if role in ("image", "table") or (role == "equation" and not item.text):
            self._picture(item, content)
        if role == "table":
            item.table = table_from_html(_string(content, ("table_body", "html", "table_html")))
            item.text = "\n".join(" | ".join(row) for row in item.table.rows)
        if role == "equation" and (tag := _TAG.search(item.text)):
            item.label = f"({tag.group(1).strip('()')})"
        if role == "page_number" and (number := _PAGE_NUMBER.match(item.text)):
            self.labels.setdefault(page_idx, number.group(1))
        parts = self._attached(item, content)
        if role not in ("image", "table") and not item.text and not parts:
            self.dropped.append(DroppedItem(id=item.id, reason="empty", page_idx=page_idx, bbox=box))
            return
        self.items.append(item)
        self.items += parts

    def _attached(self, item: ContentItem, content: dict[str, Any]) -> list[ContentItem]:
        """Captions and notes of a block as items of their own, tied to it."""
        parts: list[ContentItem] = []
        for keys, role in ((_CAPTIONS, "caption"), (_NOTES, "footnote")):
            for text in _strings(content, keys):
                flags = [flag for flag in item.flags if flag in ("no_bbox", "bad_page")]
                part = ContentItem(
                    id=self._id("caption"), role="caption", page_idx=item.page_idx, bbox=item.bbox, flags=flags
                )
                part.text = text
                if role == "footnote":
                    part.role = "footnote"
                    item.footnote_ids.append(part.id)
                elif item.role in ("image", "table"):
                    part.caption_of = item.id
                    item.caption_ids.append(part.id)
                    item.caption = f"{item.caption} {text}" if item.caption else text
                else:
                    part.role = "paragraph"
                parts.append(part)
        return parts

    def _picture(self, item: ContentItem, content: dict[str, Any]) -> None:
        path = _string(content, ("img_path", "image_path", "path"))
        if not path and isinstance(content.get("image_source"), dict):
            path = _string(content["image_source"], ("path", "img_path"))
        if not path:
            if item.role == "image":
                item.flags.append("image_missing")
        elif not is_safe(path):
            _log.warning(
                "%s: item %s: picture path %r is not below the document; left out", self.doc_id, item.id, path[:80]
            )
            item.flags += ["unsafe_path", "image_missing"]
        elif self.has_image is not None and not self.has_image(path):
            item.flags.append("image_missing")
        else:
            item.image_path = f"{self.folder}/{path}" if self.folder else path

    def _id(self, role: str) -> str:
        self.count += 1
        return f"{_PREFIX.get(role, 't')}_{self.count - 1}"

    def _page(self, block: dict[str, Any], listed_on: int | None, flags: list[str]) -> int:
        """The block's page; one that names none, or none of the document's, stays on the page before it."""
        value = block.get("page_idx", listed_on)
        last = (len(self.known_pages) if self.known_pages is not None else MAX_PAGES) - 1
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= last:
            self.page_idx = value
        else:
            flags.append("bad_page")
        return self.page_idx

    def _box(self, block: dict[str, Any], page_idx: int, flags: list[str]) -> BBox:
        """The block's box in 0..1; ``no_bbox`` where it has none."""
        values = block.get("bbox")
        if isinstance(values, (list, tuple)) and len(values) == 4 and all(_is_number(value) for value in values):
            x0, y0, x1, y1 = (float(value) for value in values)
            if x0 <= x1 and y0 <= y1:
                width, height = self._scale(max(x0, y0, x1, y1), page_idx)
                box = (x0 / width, y0 / height, x1 / width, y1 / height)
                return geometry.rounded(geometry.clamp(box, (0.0, 0.0, 1.0, 1.0)), 6)
        flags.append("no_bbox")
        return 0.1, 0.15, 0.9, 0.85

    def _scale(self, largest: float, page_idx: int) -> tuple[float, float]:
        """What a box is divided by: 1, the grid of 1000, or the page's points where it reaches beyond that grid."""
        if 0 < largest <= 1:
            return 1.0, 1.0
        if largest <= GRID or self.known_pages is None:
            return (GRID, GRID) if largest <= GRID else (largest, largest)
        page = self.known_pages[page_idx]
        return max(page.width, 1.0), max(page.height, 1.0)

    def finish(self, source: str) -> ContentList:
        """The list of everything added."""
        _spread_boxes(self.items)
        pages = self.known_pages
        if pages is None:
            used = [item.page_idx for item in self.items] + [block.page_idx for block in self.dropped]
            count = max(used, default=-1) + 1
            width, height = DEFAULT_SIZE
            pages = [PageInfo(page_idx=page_idx, width=width, height=height) for page_idx in range(count)]
        pages = [
            page.model_copy(update={"page_label": page.page_label or self.labels.get(page.page_idx)}) for page in pages
        ]
        return ContentList(
            doc_id=self.doc_id, stage="adapted", source=source, pages=pages, items=self.items, dropped=self.dropped
        )


def is_safe(path: str) -> bool:
    """Whether a picture's path stays below its folder: relative, no ``..``, no address, no odd characters."""
    parts = path.split("/")
    return (
        not re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", path)
        and "\\" not in path
        and path.isprintable()
        and all(part not in ("", ".", "..") for part in parts)
    )


def _spread_boxes(items: list[ContentItem]) -> None:
    """Give the items of a page that have no box one below the other, in order, clear of the margins."""
    on_page: dict[int, list[ContentItem]] = {}
    for item in items:
        if "no_bbox" in item.flags:
            on_page.setdefault(item.page_idx, []).append(item)
    for found in on_page.values():
        step = 0.7 / len(found)
        for n, item in enumerate(found):
            item.bbox = geometry.rounded((0.1, 0.15 + n * step, 0.9, 0.15 + (n + 0.8) * step), 6)


def _content(block: dict[str, Any]) -> dict[str, Any]:
    """The block's fields, those of version 2's inner ``content`` with them."""
    inner = block.get("content")
    return {**block, **inner} if isinstance(inner, dict) else block


def _text_of(content: dict[str, Any], role: Role) -> str:
    """The block's own text; lists and code keep their lines."""
    if role in ("image", "table"):
        return one_line(" ".join(_lines(content.get("content")))) if role == "image" else ""
    keys = [*_TEXTS, *(key for key in content if key.endswith("_content") and key not in _TEXTS)]
    value = next((content[key] for key in keys if content.get(key) and not isinstance(content[key], dict)), None)
    lines = _lines(value)
    if role == "code":
        text = "\n".join(clean(line).rstrip() for line in "\n".join(lines).split("\n")).strip("\n")
        return _UNMAPPED.sub("", text)
    if role in ("list", "toc"):
        lines = [part for line in lines for part in line.split("\n")]
        return "\n".join(line for line in (one_line(_UNMAPPED.sub("", line)) for line in lines) if line)
    text = one_line(_UNMAPPED.sub("", " ".join(lines)))
    return text.strip("$ ") if role == "equation" else text


def _is_bulleted(text: Any) -> bool:
    """Whether a text of several lines is a list, as MinerU wrote it before it had a type for lists."""
    lines = [line for line in text.split("\n") if line.strip()] if isinstance(text, str) else []
    return len(lines) >= 2 and all(BULLET.match(line) for line in lines)


def _lines(value: Any) -> list[str]:
    """Texts of a value: a string is one; in a list, spans run together and items or strings are each a text."""
    if isinstance(value, str):
        return [value]
    if not isinstance(value, list):
        joined = "".join(_spans(value, 0))
        return [joined] if joined else []
    if any(isinstance(entry, dict) and ("item_content" in entry or "item_type" in entry) for entry in value):
        return [text for entry in value if (text := "".join(_spans(entry, 0)))]
    if all(isinstance(entry, str) for entry in value):
        return [entry for entry in value if entry]
    joined = "".join(_spans(value, 0))
    return [joined] if joined else []


def _spans(value: Any, depth: int) -> Iterator[str]:
    """Every text inside nested spans, in order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < MAX_DEPTH:
        for entry in value:
            yield from _spans(entry, depth + 1)
    elif isinstance(value, dict) and depth < MAX_DEPTH:
        for key in ("text", "content", "item_content", "children"):
            if value.get(key):
                yield from _spans(value[key], depth + 1)
                break


def _strings(content: dict[str, Any], keys: Sequence[str]) -> list[str]:
    """Texts of all of the given fields, cleaned, without empty ones."""
    texts = [one_line(_UNMAPPED.sub("", text)) for key in keys for text in _lines(content.get(key))]
    return [text for text in texts if text]


def _string(content: dict[str, Any], keys: Sequence[str]) -> str:
    return next((value for key in keys if isinstance(value := content.get(key), str) and value), "")


def _level(value: Any) -> int | None:
    """A heading level; 0 and anything that is no number mean none."""
    return min(value, 9) if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e6
