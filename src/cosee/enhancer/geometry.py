"""Boxes ``(x0, y0, x1, y1)`` in 0..1 of the page as seen."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.base import BBox


def union(boxes: Sequence[BBox]) -> BBox:
    """The smallest box around all of them."""
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def area(box: BBox) -> float:
    """Area; 0 for a box without extent."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap_x(one: BBox, other: BBox) -> float:
    """Length of the common horizontal extent over the shorter of the two, 0..1."""
    return _overlap(one[0], one[2], other[0], other[2])


def overlap_y(one: BBox, other: BBox) -> float:
    """Length of the common vertical extent over the shorter of the two, 0..1."""
    return _overlap(one[1], one[3], other[1], other[3])


def gap_y(one: BBox, other: BBox) -> float:
    """Vertical white space between two boxes, 0 when they overlap in height."""
    return max(0.0, one[1] - other[3], other[1] - one[3])


def gap_x(one: BBox, other: BBox) -> float:
    """Horizontal white space between two boxes, 0 when they overlap in width."""
    return max(0.0, one[0] - other[2], other[0] - one[2])


def share_inside(inner: BBox, outer: BBox) -> float:
    """Share of ``inner``'s area that lies in ``outer``, 0..1."""
    if inner[2] <= outer[0] or inner[0] >= outer[2] or inner[3] <= outer[1] or inner[1] >= outer[3]:
        return 0.0
    common = (max(inner[0], outer[0]), max(inner[1], outer[1]), min(inner[2], outer[2]), min(inner[3], outer[3]))
    total = area(inner)
    return area(common) / total if total > 0 else 0.0


def _overlap(low: float, high: float, other_low: float, other_high: float) -> float:
    shorter = min(high - low, other_high - other_low)
    common = min(high, other_high) - max(low, other_low)
    if shorter <= 0:
        return 1.0 if common >= 0 else 0.0
    return max(0.0, common) / shorter
