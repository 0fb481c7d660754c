"""What another reader found, collected into our adapted content list: by MinerU's reader and by docling's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, PageInfo, Role
from cosee.parse.mineru.thresholds import UNPLACED_AREA, UNPLACED_HEIGHT

Unit = Literal["fraction", "grid", "points", "pixels"]
"""What boxes of a source are measured in."""
_PREFIX = {"image": "img", "table": "tab", "equation": "eq"}
_TAG = re.compile(r"\\tag\s*\*?\s*\{\s*([^{}]{1,20}?)\s*\}")
_PAGE_NUMBER = re.compile(r"^[^\w]*(?:page\s+)?([A-Za-z]?-?\d{1,4}|[ivxlcIVXLC]{1,7})[^\w]*$", re.IGNORECASE)
_WARNINGS = ("unknown_type", "unsafe_path", "image_missing", "bad_page")


class Collector:
    """Collects items; ids count over items and dropped blocks together, in the order of the source."""

    def __init__(self, doc_id: str) -> None:
        self.doc_id = doc_id
        self.items: list[ContentItem] = []
        self.dropped: list[DroppedItem] = []
        self.page_idx = 0
        """Page of the last item; one that names no page stays on it."""
        self.count = 0
        """Ids given so far."""
        self._labels: dict[int, str] = {}

    def new_id(self, role: str) -> str:
        """The id of the next item or dropped block."""
        self.count += 1
        return f"{_PREFIX.get(role, 't')}_{self.count - 1}"

    def drop_item(self, item: ContentItem, reason: str) -> None:
        """Put an item that is not kept into the drop list, with its text."""
        self.dropped.append(
            DroppedItem(id=item.id, reason=reason, page_idx=item.page_idx, bbox=item.bbox, text=item.text)
        )

    def note_page_number(self, item: ContentItem) -> None:
        """Take the number printed on a page as its label, the first where there are several."""
        if item.role == "page_number" and (number := printed_page(item.text)):
            self._labels.setdefault(item.page_idx, number)

    def content_list(self, source: str, unit: Unit, pages: Sequence[PageInfo]) -> ContentList:
        """The list of everything added, page by page; within a page in the order of the source."""
        self.items.sort(key=lambda item: item.page_idx)
        _spread_boxes(self.items)
        return ContentList(
            doc_id=self.doc_id,
            stage="adapted",
            source=source,
            bbox_unit=unit,
            pages=[
                page.model_copy(update={"page_label": page.page_label or self._labels.get(page.page_idx)})
                for page in pages
            ],
            items=self.items,
            dropped=self.dropped,
        )


def count_warnings(content: ContentList, lost_reason: str) -> dict[str, int]:
    """Flag -> number of items that have it, for the flags that tell of something wrong in the source.

    ``lost_block`` counts what was dropped for ``lost_reason``.
    """
    flags = [flag for item in content.items for flag in item.flags]
    found = {name: flags.count(name) for name in _WARNINGS if name in flags}
    lost = sum(item.reason == lost_reason for item in content.dropped)
    return {**found, "lost_block": lost} if lost else found


def tie_caption(caption: ContentItem, whole: ContentItem) -> None:
    """Make an item the caption of a picture or table, behind those that it has already."""
    caption.caption_of = whole.id
    whole.caption_ids.append(caption.id)
    whole.caption = f"{whole.caption} {caption.text}" if whole.caption else caption.text


def margin_role(text: str, box: BBox | None) -> Role:
    """Which part of the page's margins a block is that its source only calls discarded; ``box``: where known."""
    if printed_page(text):
        return "page_number"
    return "header" if box is not None and box[1] + box[3] < 1 else "footer"


def printed_page(text: str) -> str | None:
    """The page's number, of a text that is nothing else."""
    match = _PAGE_NUMBER.match(text)
    return match.group(1) if match else None


def equation_label(text: str) -> str | None:
    """``(3.1)`` of a formula that is tagged so."""
    tag = _TAG.search(text)
    return f"({tag.group(1).strip('()')})" if tag else None


def _spread_boxes(items: list[ContentItem]) -> None:
    """Give the items of a page that have no box one below the other, in order, clear of the margins."""
    on_page: dict[int, list[ContentItem]] = {}
    for item in items:
        if "no_bbox" in item.flags:
            on_page.setdefault(item.page_idx, []).append(item)
    left, top, right, bottom = UNPLACED_AREA
    for found in on_page.values():
        step = (bottom - top) / len(found)
        for n, item in enumerate(found):
            box = (left, top + n * step, right, top + (n + UNPLACED_HEIGHT) * step)
            item.bbox = geometry.rounded(box, 6)
