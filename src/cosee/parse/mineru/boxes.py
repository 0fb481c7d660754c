"""The unit of a source's boxes, decided over the whole list: one odd box must not scale a page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeGuard

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import PageInfo
from cosee.parse.mineru.collector import Unit
from cosee.parse.mineru.thresholds import BOX_ROOM, GRID, MAX_COORDINATE, RESOLUTIONS, STRAY_BOXES

Corners = tuple[float, float, float, float]


def corners(value: Any) -> Corners | None:
    """``x0, y0, x1, y1`` of a box or of a polygon's eight numbers, in order; None for anything else."""
    if not isinstance(value, (list, tuple)) or len(value) not in (4, 8) or not all(map(is_number, value)):
        return None
    xs, ys = sorted(float(v) for v in value[0::2]), sorted(float(v) for v in value[1::2])
    return xs[0], ys[0], xs[-1], ys[-1]


class BoxScale:
    """Turns boxes of a source into 0..1 of their page. ``unit`` is what most of them are measured in."""

    def __init__(self, boxes: Sequence[tuple[int, Corners]], pages: Sequence[PageInfo] | None, on_grid: bool) -> None:
        self._pages = pages
        self._boxes = [(page_idx, box) for page_idx, box in boxes if max(box) > 1]
        self.unit: Unit = "grid" if on_grid else self._unit() if self._boxes else "fraction" if boxes else "grid"
        self._ratio = self._pixel_ratio() if self.unit == "pixels" and pages else 1.0
        self._extent = (
            max((box[2] for _, box in self._boxes), default=GRID),
            max((box[3] for _, box in self._boxes), default=GRID),
        )

    def to_page(self, page_idx: int, box: Corners) -> BBox:
        """The box in 0..1, cut to the page; one within 1 is taken to be so already."""
        width, height = (1.0, 1.0) if max(box) <= 1 else self._size(page_idx)
        scaled = (box[0] / width, box[1] / height, box[2] / width, box[3] / height)
        return geometry.rounded(geometry.clamp(scaled, (0.0, 0.0, 1.0, 1.0)), 6)

    def _size(self, page_idx: int) -> tuple[float, float]:
        if self.unit in ("grid", "fraction"):
            return GRID, GRID
        if self._pages is None:
            return self._extent
        page = self._pages[page_idx]
        return max(page.width * self._ratio, 1.0), max(page.height * self._ratio, 1.0)

    def _unit(self) -> Unit:
        stray = len(self._boxes) * STRAY_BOXES
        beyond_grid = sum(max(box) > GRID * BOX_ROOM for _, box in self._boxes)
        are_points = self._pages is not None and sum(not self._on_page(n, box) for n, box in self._boxes) <= stray
        if beyond_grid > stray:
            return "points" if are_points else "pixels"
        # The grid has whole numbers only; points rarely do.
        broken = sum(any(value != int(value) for value in box) for _, box in self._boxes)
        return "points" if are_points and broken > stray else "grid"

    def _on_page(self, page_idx: int, box: Corners) -> bool:
        assert self._pages is not None
        page = self._pages[page_idx]
        return box[2] <= page.width * BOX_ROOM and box[3] <= page.height * BOX_ROOM

    def _pixel_ratio(self) -> float:
        """Pixels of a point: the smallest usual resolution at which all boxes are on their pages."""
        assert self._pages is not None
        least = 1.0
        for page_idx, box in self._boxes:
            page = self._pages[page_idx]
            least = max(least, box[2] / max(page.width, 1.0), box[3] / max(page.height, 1.0))
        return next((ratio for ratio in RESOLUTIONS if ratio * BOX_ROOM >= least), least)


def is_number(value: Any) -> TypeGuard[int | float]:
    """Whether a value of a source can be a coordinate."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < MAX_COORDINATE
