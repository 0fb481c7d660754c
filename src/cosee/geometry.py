"""Arithmetic on boxes ``(x0, y0, x1, y1)`` with the origin at the top left.

The boxes of one call share one unit: points, pixels, or fractions of the page. A *length* or *gap* is in that unit, a
*share* is 0..1 whatever the unit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cosee.artifacts.base import BBox


def union(boxes: Iterable[BBox]) -> BBox:
    """The smallest box around all ``boxes``; raises ValueError when there is none."""
    remaining = iter(boxes)
    first = next(remaining, None)
    if first is None:
        raise ValueError("no box to unite")
    x0, y0, x1, y1 = first
    for left, top, right, bottom in remaining:
        if left < x0:
            x0 = left
        if top < y0:
            y0 = top
        if right > x1:
            x1 = right
        if bottom > y1:
            y1 = bottom
    return x0, y0, x1, y1


def width(box: BBox) -> float:
    """Horizontal extent."""
    return box[2] - box[0]


def height(box: BBox) -> float:
    """Vertical extent."""
    return box[3] - box[1]


def sides(box: BBox) -> tuple[float, float]:
    """Width and height."""
    return box[2] - box[0], box[3] - box[1]


def area(box: BBox) -> float:
    """Area; 0 for an empty or inverted box."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def overlap_length_x(one: BBox, other: BBox) -> float:
    """Length of the common horizontal interval; negative is the gap between them."""
    return min(one[2], other[2]) - max(one[0], other[0])


def overlap_length_y(one: BBox, other: BBox) -> float:
    """Length of the common vertical interval; negative is the gap between them."""
    return min(one[3], other[3]) - max(one[1], other[1])


def overlap_share_x(one: BBox, other: BBox) -> float:
    """Length of the common horizontal interval over the shorter of the two, 0..1."""
    return _overlap_share(one[0], one[2], other[0], other[2])


def overlap_share_y(one: BBox, other: BBox) -> float:
    """Length of the common vertical interval over the shorter of the two, 0..1."""
    return _overlap_share(one[1], one[3], other[1], other[3])


def _overlap_share(low: float, high: float, other_low: float, other_high: float) -> float:
    shorter = min(high - low, other_high - other_low)
    common = min(high, other_high) - max(low, other_low)
    if shorter <= 0:
        return 1.0 if common >= 0 else 0.0
    return max(0.0, common) / shorter


def gap_x(one: BBox, other: BBox) -> float:
    """Horizontal white space between two boxes; 0 where their horizontal intervals meet."""
    return max(0.0, one[0] - other[2], other[0] - one[2])


def gap_y(one: BBox, other: BBox) -> float:
    """Vertical white space between two boxes; 0 where their vertical intervals meet."""
    return max(0.0, one[1] - other[3], other[1] - one[3])


def distance(one: BBox, other: BBox) -> float:
    """The larger of the horizontal and the vertical gap between two boxes; negative where both extents overlap."""
    return max(-overlap_length_x(one, other), -overlap_length_y(one, other))


def overlap(one: BBox, other: BBox) -> bool:
    """Whether both boxes cover a common area."""
    return min(one[2], other[2]) > max(one[0], other[0]) and min(one[3], other[3]) > max(one[1], other[1])


def intersection(one: BBox, other: BBox) -> float:
    """Area that both boxes cover."""
    wide = min(one[2], other[2]) - max(one[0], other[0])
    if wide <= 0.0:
        return 0.0
    return wide * max(0.0, min(one[3], other[3]) - max(one[1], other[1]))


def share_inside(inner: BBox, outer: BBox) -> float:
    """Share of ``inner``'s area that lies in ``outer``, 0..1; 0 for an ``inner`` without area."""
    total = area(inner)
    return intersection(inner, outer) / total if total > 0 else 0.0


def center_inside(inner: BBox, outer: BBox, margin: float = 0.0) -> bool:
    """Whether the centre of ``inner`` lies in ``outer`` grown by ``margin``."""
    x, y = (inner[0] + inner[2]) / 2, (inner[1] + inner[3]) / 2
    return outer[0] - margin <= x <= outer[2] + margin and outer[1] - margin <= y <= outer[3] + margin


def contains(outer: BBox, inner: BBox, margin: float = 0.0) -> bool:
    """Whether ``inner`` lies wholly in ``outer`` grown by ``margin``."""
    return (
        inner[0] >= outer[0] - margin
        and inner[1] >= outer[1] - margin
        and inner[2] <= outer[2] + margin
        and inner[3] <= outer[3] + margin
    )


def clamp(box: BBox, bounds: BBox) -> BBox:
    """``box`` cut to ``bounds``; a box outside becomes an empty box on the border."""
    x0, y0 = min(max(box[0], bounds[0]), bounds[2]), min(max(box[1], bounds[1]), bounds[3])
    x1, y1 = min(max(box[2], bounds[0]), bounds[2]), min(max(box[3], bounds[1]), bounds[3])
    return x0, y0, max(x0, x1), max(y0, y1)


def scaled(box: BBox, factor: float) -> BBox:
    """``box`` in units ``factor`` times as fine."""
    return box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor


def rounded(box: BBox, digits: int = 2) -> BBox:
    """Coordinates rounded, so that artifacts repeat byte for byte."""
    return round(box[0], digits), round(box[1], digits), round(box[2], digits), round(box[3], digits)


def bands(boxes: Sequence[BBox], gap: float) -> list[list[int]]:
    """Indexes of boxes between which horizontal white space higher than ``gap`` goes across, from top to bottom."""
    found: list[list[int]] = []
    bottom = float("-inf")
    for n in sorted(range(len(boxes)), key=lambda n: (boxes[n][1], boxes[n][0])):
        if not found or boxes[n][1] - bottom > gap:
            found.append([])
        found[-1].append(n)
        bottom = max(bottom, boxes[n][3])
    return found


def clusters(boxes: list[BBox], distance: float) -> list[list[int]]:
    """Indexes of boxes grouped by closeness: two boxes join when at most ``distance`` apart on both axes.

    Sweep over y with a union-find; groups and members come in order of their first index.
    """
    parent = list(range(len(boxes)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    active: list[tuple[float, float, float, int]] = []
    expires = float("inf")
    for index in sorted(range(len(boxes)), key=lambda i: boxes[i][1]):
        x0, y0, x1, y1 = boxes[index]
        if expires < y0:
            active = [other for other in active if other[2] >= y0]
            expires = min((other[2] for other in active), default=float("inf"))
        own = index
        for left, right, _, other in active:
            if x1 - left >= -distance and right - x0 >= -distance:
                head = root(other)
                if head != own:
                    parent[max(own, head)] = own = min(own, head)
        active.append((x0, x1, y1 + distance, index))
        expires = min(expires, y1 + distance)
    groups: dict[int, list[int]] = {}
    for index in range(len(boxes)):
        groups.setdefault(root(index), []).append(index)
    return list(groups.values())


def area_f1(found: Iterable[tuple[int, BBox]], wanted: Iterable[tuple[int, BBox]]) -> float:
    """F1 of the area that the boxes of ``found`` and of ``wanted`` cover, each with its page; 0 where they share none.

    Precision is the share of the area found that is wanted, recall that of the area wanted that is found, as Wolf and
    Jolion have them (IJDAR 8(4), 2006, section 3); boxes that overlap count once. Areas are shares of a page.
    """
    first, second = _by_page(found), _by_page(wanted)
    shared = sum(
        union_area([both for one in boxes for other in second.get(page, []) if (both := _common(one, other))])
        for page, boxes in first.items()
    )
    areas = sum(map(union_area, first.values())) + sum(map(union_area, second.values()))
    return round(2 * shared / areas, 6) if areas else 0.0


def union_area(boxes: Sequence[BBox]) -> float:
    """The area that boxes cover together."""
    lefts = sorted({edge for box in boxes for edge in (box[0], box[2])})
    area = 0.0
    for left, right in zip(lefts, lefts[1:], strict=False):
        covered, end = 0.0, float("-inf")
        for top, bottom in sorted((box[1], box[3]) for box in boxes if box[0] <= left and box[2] >= right):
            covered += max(0.0, bottom - max(top, end))
            end = max(end, bottom)
        area += covered * (right - left)
    return area


def _common(first: BBox, second: BBox) -> BBox | None:
    left, top = max(first[0], second[0]), max(first[1], second[1])
    right, bottom = min(first[2], second[2]), min(first[3], second[3])
    return (left, top, right, bottom) if left < right and top < bottom else None


def _by_page(boxes: Iterable[tuple[int, BBox]]) -> dict[int, list[BBox]]:
    found: dict[int, list[BBox]] = {}
    for page, box in boxes:
        found.setdefault(page, []).append(box)
    return found
