"""The form of a chart, read from its vector paths and labels without a model."""

from __future__ import annotations

import re
from statistics import median

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartForm
from cosee.parse.pdf.page_model import Vector

_NUMBER = re.compile(r"^[\s$€£¥(+\-−–]*\d[\d,. ]*(?:%|[KMBkmb]n?|bn|°)?\)?$")
_MAX = 1_500


def chart_form(box: BBox, vectors: list[Vector], labels: list[str]) -> ChartForm | None:
    """The form of the chart in ``box``; None when it does not look like a chart at all.

    A chart needs at least two numeric labels (axis ticks or data labels), or named bars on an axis. ``unknown`` never
    comes from here: a chart whose marks are not understood is ``other``.
    """
    vectors = [v for v in vectors if not _is_frame(v, box)][:_MAX]
    numeric = sum(1 for label in labels if is_number(label))
    if numeric < 2:
        named = len(labels) >= 3 and _has_axis(box, vectors)
        return "bar" if named and _bar_count(box, vectors) >= 3 else None
    if _is_pie(box, vectors):
        return "pie"
    lines = _line_paths(box, vectors)
    marks = _marker_count(vectors)
    bars = _bar_count(box, vectors)
    if bars >= 3 and bars >= 2 * lines:
        return "bar"
    if lines:
        return "line"
    if bars >= 2:
        return "bar"
    if marks >= 8:
        return "scatter"
    drawn = sum(1 for v in vectors if not v.rectangular)
    return "other" if numeric >= 4 and drawn >= 2 and _has_axis(box, vectors) else None


def is_number(label: str) -> bool:
    """Whether a label is a number, or several of them (``2018 2019 2020``)."""
    return bool(_NUMBER.match(label)) or (" " in label and all(_NUMBER.match(part) for part in label.split()))


def _is_frame(vector: Vector, box: BBox) -> bool:
    """Whether a path is the plot's background or frame."""
    return vector.rectangular and geometry.area(vector.bbox) > 0.5 * geometry.area(box)


def _thin(vector: Vector) -> bool:
    return min(geometry.width(vector.bbox), geometry.height(vector.bbox)) <= 2.0


def _has_axis(box: BBox, vectors: list[Vector]) -> bool:
    wide = any(_thin(v) and geometry.width(v.bbox) > 0.4 * geometry.width(box) for v in vectors if v.rectangular)
    high = any(_thin(v) and geometry.height(v.bbox) > 0.4 * geometry.height(box) for v in vectors if v.rectangular)
    return wide or high


def _bar_count(box: BBox, vectors: list[Vector]) -> int:
    """Filled rectangles of equal thickness on one base line (stacked ones count too)."""
    filled = [v.bbox for v in vectors if v.rectangular and not v.stroked and not _thin(v)]
    limit_w, limit_h = 0.5 * geometry.width(box), 0.5 * geometry.height(box)
    upright = [b for b in filled if geometry.width(b) < limit_w]
    lying = [b for b in filled if geometry.height(b) < limit_h]
    return max(_on_base(upright, 0, 2, 3, 1), _on_base(lying, 1, 3, 0, 2))


def _on_base(boxes: list[BBox], low: int, high: int, base: int, top: int) -> int:
    """Most boxes of one thickness (``high - low``) that share the base coordinate and differ in length."""
    best = 0
    for thickness in {round(b[high] - b[low]) for b in boxes}:
        same = [b for b in boxes if abs(b[high] - b[low] - thickness) <= 1.0]
        for at in {round(b[base]) for b in same}:
            bars = [b for b in same if abs(b[base] - at) <= 1.0]
            places = {round(b[low]) for b in bars}
            lengths = {round(b[top]) for b in bars}
            if len(places) >= 2 and len(lengths) >= min(3, len(places)):
                best = max(best, len(places))
    return best


def _line_paths(box: BBox, vectors: list[Vector]) -> int:
    """Stroked slanted paths that reach over much of the plot, single or as chains of segments of one colour."""
    slanted = [v for v in vectors if v.stroked and not v.rectangular and geometry.width(v.bbox) > 1.0]
    slanted = [v for v in slanted if not _small_and_even(v.bbox)]
    wide = sum(1 for v in slanted if geometry.width(v.bbox) > 0.35 * geometry.width(box))
    if wide:
        return wide
    by_color: dict[int, list[BBox]] = {}
    for v in slanted:
        by_color.setdefault(v.color, []).append(v.bbox)
    chains = 0
    for boxes in by_color.values():
        segments = sorted(b for b in boxes if geometry.width(b) > 3)
        joined = sum(1 for a, b in zip(segments, segments[1:], strict=False) if abs(a[2] - b[0]) <= 2.0)
        if joined >= 3 and joined >= 0.5 * len(segments):
            chains += 1
    return chains


def _small_and_even(box: BBox) -> bool:
    """Whether a box has the size and shape of a marker."""
    wide, high = geometry.width(box), geometry.height(box)
    return 1.0 < wide < 12 and 1.0 < high < 12 and 0.6 < wide / high < 1.7


def _marker_count(vectors: list[Vector]) -> int:
    """Small shapes of one size that are spread over both axes."""
    small = [v.bbox for v in vectors if _small_and_even(v.bbox)]
    if len(small) < 8:
        return 0
    size = median(geometry.width(b) for b in small)
    same = [b for b in small if abs(geometry.width(b) - size) < 1.0]
    spread = min(len({round(b[0] / 4) for b in same}), len({round(b[1] / 4) for b in same}))
    return len(same) if spread >= 4 else 0


def _is_pie(box: BBox, vectors: list[Vector]) -> bool:
    """Filled sectors around one centre: together about as wide as high, each touching the middle."""
    sectors = [v.bbox for v in vectors if not v.rectangular and not v.stroked and geometry.area(v.bbox) > 100]
    sectors = [b for b in sectors if geometry.area(b) < 0.98 * geometry.area(box)]
    if not 2 <= len(sectors) <= 24:
        return False
    whole = geometry.union(sectors)
    ratio = geometry.width(whole) / max(geometry.height(whole), 1.0)
    middle = ((whole[0] + whole[2]) / 2, (whole[1] + whole[3]) / 2) * 2
    reach = 0.12 * max(geometry.width(whole), geometry.height(whole))
    touching = sum(1 for b in sectors if geometry.contains(b, middle, reach))
    return 0.75 < ratio < 1.35 and touching >= 0.8 * len(sectors) and geometry.width(whole) > 30
