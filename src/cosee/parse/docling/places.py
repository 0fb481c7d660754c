"""Where docling's nodes are: pages counted from 1, boxes in points from either corner, turned into 0..1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import PageInfo, Region
from cosee.parse.docling.document import Fields
from cosee.parse.docling.thresholds import MAX_OFFSET
from cosee.parse.mineru.boxes import is_number
from cosee.parse.mineru.thresholds import DEFAULT_SIZE, MAX_PAGES


class Places:
    """Pages and boxes of a document; ``pages`` are the PDF's, where known."""

    def __init__(self, raw: Fields, pages: Sequence[PageInfo] | None) -> None:
        self.pages = list(pages) if pages is not None else None
        self._sizes = dict(_sizes(raw.get("pages")))
        self.count = len(self.pages) if self.pages is not None else min(max(self._sizes, default=-1) + 1, MAX_PAGES)

    def size(self, page_idx: int) -> tuple[float, float]:
        """Of a page as docling measured it, else as the PDF has it."""
        if page_idx in self._sizes:
            return self._sizes[page_idx]
        if self.pages is not None:
            return self.pages[page_idx].width, self.pages[page_idx].height
        return DEFAULT_SIZE

    def info(self) -> list[PageInfo]:
        """Every page."""
        if self.pages is not None:
            return self.pages
        sizes = [self.size(page_idx) for page_idx in range(self.count)]
        return [PageInfo(page_idx=n, width=width, height=height) for n, (width, height) in enumerate(sizes)]

    def of(self, node: Fields, flags: list[str]) -> list[Region]:
        """The regions of a node, one a page and box; adds ``bad_page`` for a page that is none of the document's."""
        found: list[Region] = []
        listed = node.get("prov")
        for given in listed if isinstance(listed, list) else ():
            page = given.get("page_no") if isinstance(given, dict) else None
            if not is_whole(page) or not 1 <= page <= self.count:
                flags.append("bad_page")
            elif box := self._box(given.get("bbox"), page - 1):
                found.append(Region(page_idx=page - 1, bbox=box, begins=_begins(given.get("charspan"))))
        flags[:] = dict.fromkeys(flags)
        return found

    def _box(self, given: Any, page_idx: int) -> BBox | None:
        sides = _numbers(given, "ltrb")
        if len(sides) != 4:
            return None
        width, height = self.size(page_idx)
        x0, x1 = sorted((sides[0] / width, sides[2] / width))
        y0, y1 = sorted((sides[1] / height, sides[3] / height))
        if str(given.get("coord_origin", "TOPLEFT")).upper() == "BOTTOMLEFT":
            y0, y1 = 1 - y1, 1 - y0
        return geometry.rounded(geometry.clamp((x0, y0, x1, y1), (0.0, 0.0, 1.0, 1.0)), 6)


def by_page(regions: Sequence[Region]) -> list[Region]:
    """One region a page, around those that are on it, in the order of the pages' first; for a list of many lines."""
    found: dict[int, Region] = {}
    for region in regions:
        known = found.get(region.page_idx)
        box = geometry.union([known.bbox, region.bbox]) if known else region.bbox
        found[region.page_idx] = (known or region).model_copy(update={"bbox": box})
    return list(found.values())


def _sizes(pages: Any) -> list[tuple[int, tuple[float, float]]]:
    """(0-based page, width and height) of every page that has a sensible one."""
    found = []
    for name, page in pages.items() if isinstance(pages, dict) else ():
        sides = _numbers(page.get("size") if isinstance(page, dict) else None, ("width", "height"))
        known = name.isascii() and name.isdigit() and len(name) < 10 and 1 <= int(name) <= MAX_PAGES
        if known and len(sides) == 2 and min(sides) >= 1:
            found.append((int(name) - 1, (sides[0], sides[1])))
    return found


def _begins(span: Any) -> int:
    first = span[0] if isinstance(span, list) and span else 0
    return first if is_whole(first) and 0 <= first < MAX_OFFSET else 0


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number; a truth value is none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _numbers(given: Any, names: Sequence[str]) -> list[float]:
    """The fields of a dict that are sensible numbers."""
    values = [given.get(name) for name in names] if isinstance(given, dict) else []
    return [float(value) for value in values if is_number(value)]
