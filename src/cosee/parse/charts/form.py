"""The form of a chart, read from its vector paths and labels without a model."""

from __future__ import annotations

import re
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartForm
from cosee.parse.charts import thresholds
from cosee.parse.pdf.page_model import Vector

_NUMBER = re.compile(r"^[\s$€£¥(+\-−–]*\d[\d,. ]*(?:%|[KMBkmb]n?|bn|°)?\)?$")


def chart_form(box: BBox, vectors: list[Vector], labels: list[str]) -> ChartForm | None:
    """The form of the chart in ``box``; None when it does not look like a chart at all.

    A chart needs at least two numeric labels (axis ticks or data labels), or named bars on an axis. ``unknown`` never
    comes from here: a chart whose marks are not understood is ``other``.
    """
    vectors = [v for v in vectors if not _is_frame(v, box)][: thresholds.MAX_PATHS]
    numeric = sum(1 for label in labels if is_number(label))
    if numeric < thresholds.MIN_NUMBERS:
        named = len(labels) >= thresholds.MIN_NAMES and _has_axis(box, vectors)
        return "bar" if named and _bar_count(box, vectors) >= thresholds.SURE_BARS else None
    if _is_pie(box, vectors):
        return "pie"
    lines = _line_paths(box, vectors)
    markers = _marker_count(vectors)
    bars = _bar_count(box, vectors)
    if bars >= thresholds.SURE_BARS and bars >= thresholds.BARS_OVER_LINES * lines:
        return "bar"
    if lines:
        return "line"
    if bars >= thresholds.MIN_BARS:
        return "bar"
    if markers >= thresholds.MIN_MARKERS:
        return "scatter"
    slanted = sum(1 for v in vectors if not v.rectangular)
    other = numeric >= thresholds.MIN_NUMBERS_OF_OTHER and slanted >= 2 and _has_axis(box, vectors)
    return "other" if other else None


def is_number(label: str) -> bool:
    """Whether a label is a number, or several of them (``2018 2019 2020``)."""
    return bool(_NUMBER.match(label)) or (" " in label and all(_NUMBER.match(part) for part in label.split()))


def _is_frame(vector: Vector, box: BBox) -> bool:
    """Whether a path is the plot's background or frame."""
    return vector.rectangular and geometry.area(vector.bbox) > thresholds.FRAME_SHARE * geometry.area(box)


def _is_thin(vector: Vector) -> bool:
    return min(geometry.sides(vector.bbox)) <= thresholds.THIN


def _has_axis(box: BBox, vectors: list[Vector]) -> bool:
    wide, high = (thresholds.AXIS_SHARE * side for side in geometry.sides(box))
    rules = [v.bbox for v in vectors if v.rectangular and _is_thin(v)]
    return any(geometry.width(rule) > wide or geometry.height(rule) > high for rule in rules)


def _bar_count(box: BBox, vectors: list[Vector]) -> int:
    """Filled rectangles of equal thickness on one base line (stacked ones count too)."""
    filled = [v.bbox for v in vectors if v.rectangular and not v.stroked and not _is_thin(v)]
    widest, highest = (thresholds.MAX_BAR_SHARE * side for side in geometry.sides(box))
    upright = [b for b in filled if geometry.width(b) < widest]
    lying = [b for b in filled if geometry.height(b) < highest]
    return max(_on_base(upright, 0, 2, 3, 1), _on_base(lying, 1, 3, 0, 2))


def _on_base(boxes: list[BBox], low: int, high: int, base: int, top: int) -> int:
    """Most boxes of one thickness (``high - low``) that share the base coordinate and differ in length."""
    best = 0
    for thickness in {round(b[high] - b[low]) for b in boxes}:
        same = [b for b in boxes if abs(b[high] - b[low] - thickness) <= thresholds.BAR_TOLERANCE]
        for at in {round(b[base]) for b in same}:
            bars = [b for b in same if abs(b[base] - at) <= thresholds.BAR_TOLERANCE]
            places = {round(b[low]) for b in bars}
            lengths = {round(b[top]) for b in bars}
            if len(places) >= thresholds.MIN_PLACES and len(lengths) >= min(thresholds.MIN_LENGTHS, len(places)):
                best = max(best, len(places))
    return best


def _line_paths(box: BBox, vectors: list[Vector]) -> int:
    """Stroked slanted paths that reach over much of the plot, single or as chains of segments of one colour."""
    slanted = [v for v in vectors if v.stroked and not v.rectangular and geometry.width(v.bbox) > thresholds.MIN_SLANT]
    slanted = [v for v in slanted if not _is_marker(v.bbox)]
    wide = sum(1 for v in slanted if geometry.width(v.bbox) > thresholds.LINE_SHARE * geometry.width(box))
    if wide:
        return wide
    by_color: dict[int, list[BBox]] = {}
    for v in slanted:
        by_color.setdefault(v.color, []).append(v.bbox)
    chains = 0
    for boxes in by_color.values():
        segments = sorted(b for b in boxes if geometry.width(b) > thresholds.MIN_SEGMENT)
        gaps = [abs(b[0] - a[2]) for a, b in zip(segments, segments[1:], strict=False)]
        joined = sum(gap <= thresholds.SEGMENT_GAP for gap in gaps)
        if joined >= max(thresholds.MIN_JOINED, thresholds.JOINED_SHARE * len(segments)):
            chains += 1
    return chains


def _is_marker(box: BBox) -> bool:
    """Whether a box has the size and shape of a marker."""
    wide, high = geometry.sides(box)
    return (
        thresholds.MIN_MARKER < min(wide, high) <= max(wide, high) < thresholds.MAX_MARKER
        and thresholds.MIN_MARKER_ASPECT < wide / high < thresholds.MAX_MARKER_ASPECT
    )


def _marker_count(vectors: list[Vector]) -> int:
    """Small shapes of one size that are spread over both axes."""
    small = [v.bbox for v in vectors if _is_marker(v.bbox)]
    if len(small) < thresholds.MIN_MARKERS:
        return 0
    size = median(geometry.width(b) for b in small)
    same = [b for b in small if abs(geometry.width(b) - size) < thresholds.SIZE_TOLERANCE]
    spread = min(len({round(b[axis] / thresholds.SPREAD_STEP) for b in same}) for axis in (0, 1))
    return len(same) if spread >= thresholds.MIN_SPREAD else 0


def _is_pie(box: BBox, vectors: list[Vector]) -> bool:
    """Filled sectors around one centre: together about as wide as high, each touching the middle."""
    filled = [v.bbox for v in vectors if not v.rectangular and not v.stroked]
    largest = thresholds.MAX_SECTOR_SHARE * geometry.area(box)
    sectors = [b for b in filled if thresholds.MIN_SECTOR_AREA < geometry.area(b) < largest]
    if not thresholds.MIN_SECTORS <= len(sectors) <= thresholds.MAX_SECTORS:
        return False
    whole = geometry.union(sectors)
    wide, high = geometry.sides(whole)
    middle = ((whole[0] + whole[2]) / 2, (whole[1] + whole[3]) / 2) * 2
    reach = thresholds.CENTRE_SHARE * max(wide, high)
    touching = sum(1 for b in sectors if geometry.contains(b, middle, reach))
    is_round = thresholds.MIN_PIE_ASPECT < wide / max(high, 1.0) < thresholds.MAX_PIE_ASPECT
    return is_round and touching >= thresholds.TOUCHING_SHARE * len(sectors) and wide > thresholds.MIN_PIE
