"""Painted paths grouped to drawings: by closeness, then by what repeats (grid lines, bars without an axis)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.figures import thresholds
from cosee.parse.pdf.page_model import RawPage, TableFound, Vector
from cosee.parse.pdf.page_text import PageText

_WHITE = 0xFFFFFF

Boxes = NDArray[np.float64]


@dataclass
class VectorGroup:
    """Paths that belong together, and the box around them."""

    bbox: BBox
    vectors: list[Vector]


def find_groups(page: RawPage, text: PageText, tables: list[TableFound]) -> list[VectorGroup]:
    """The groups of a page's paths, without page grounds, paths of tables and lines under words."""
    vectors = _paths_of_drawings(page, text, tables)
    if not vectors:
        return []
    boxes = np.array([v.bbox for v in vectors])
    groups = []
    for members in _grouped_by_closeness(boxes, page.bbox):
        own = [vectors[i] for i in members]
        groups.append(VectorGroup(geometry.clamp(geometry.union(v.bbox for v in own), page.bbox), own))
    return _with_repeats_joined(groups, text)


def _paths_of_drawings(page: RawPage, text: PageText, tables: list[TableFound]) -> list[Vector]:
    if not page.vectors:
        return []
    boxes = np.array([v.bbox for v in page.vectors])
    wide, high = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    rectangular = np.array([v.rectangular for v in page.vectors])
    white = np.array([v.color == _WHITE for v in page.vectors])
    keep = (wide * high < thresholds.PAGE_GROUND * page.width * page.height) & ~(white & rectangular)
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    for table in tables:
        (x0, y0, x1, y1), margin = table.bbox, thresholds.TABLE_MARGIN
        keep &= ~((x >= x0 - margin) & (x <= x1 + margin) & (y >= y0 - margin) & (y <= y1 + margin))
    rules = np.flatnonzero(keep & rectangular & (high <= thresholds.THIN) & (wide >= thresholds.MIN_UNDERLINE))
    keep[rules[_under_words(boxes[rules], text)]] = False
    return [page.vectors[i] for i in np.flatnonzero(keep)]


def _under_words(rules: Boxes, text: PageText) -> NDArray[np.bool_]:
    """Which rules underline (or strike out) a piece of text: within its width, at its lower half."""
    found = np.zeros(len(rules), dtype=bool)
    lines = text.boxes[text.shown]
    if not len(lines):
        return found
    top, bottom = lines[:, 1], lines[:, 3]
    highest = top + thresholds.UNDERLINE_FROM * (bottom - top)
    lowest = bottom + thresholds.UNDERLINE_TO * (bottom - top)
    left, right = lines[:, 0] - thresholds.UNDERLINE_ENDS, lines[:, 2] + thresholds.UNDERLINE_ENDS
    for start in range(0, len(rules), thresholds.RULES_AT_ONCE):
        part = rules[start : start + thresholds.RULES_AT_ONCE, None, :]
        y = (part[..., 1] + part[..., 3]) / 2
        under = (y > highest) & (y < lowest) & (part[..., 0] >= left) & (part[..., 2] <= right)
        found[start : start + thresholds.RULES_AT_ONCE] = under.any(axis=1)
    return found


def _grouped_by_closeness(boxes: Boxes, bounds: BBox) -> list[list[int]]:
    """Indexes of boxes grouped by closeness, groups in the order of their first member."""
    if len(boxes) <= thresholds.MAX_COMPARED:
        return geometry.clusters([(b[0], b[1], b[2], b[3]) for b in boxes.tolist()], thresholds.GROUP_GAP)
    from scipy import ndimage

    cell = max(geometry.width(bounds), geometry.height(bounds), 1.0) / thresholds.RASTER
    reach = thresholds.GROUP_GAP / 2
    low = np.floor((boxes[:, :2] - reach - bounds[0]) / cell).astype(np.intp) + thresholds.RASTER_MARGIN
    high = np.floor((boxes[:, 2:] + reach - bounds[0]) / cell).astype(np.intp) + thresholds.RASTER_MARGIN
    low, high = np.maximum(low, 0), np.maximum(high, 0)
    size = high.max(axis=0) + 2
    painted = np.zeros((size[0], size[1]), dtype=np.int32)
    for column, row, sign in ((low[:, 0], low[:, 1], 1), (high[:, 0] + 1, high[:, 1] + 1, 1)):
        np.add.at(painted, (column, row), sign)
    for column, row in ((low[:, 0], high[:, 1] + 1), (high[:, 0] + 1, low[:, 1])):
        np.add.at(painted, (column, row), -1)
    covered = painted.cumsum(axis=0).cumsum(axis=1) > 0
    labels, _ = ndimage.label(covered, structure=np.ones((3, 3)))
    groups: dict[int, list[int]] = {}
    for index, label in enumerate(labels[low[:, 0], low[:, 1]].tolist()):
        groups.setdefault(label, []).append(index)
    return list(groups.values())


def _with_repeats_joined(groups: list[VectorGroup], text: PageText) -> list[VectorGroup]:
    """The groups, with those joined that repeat one another: rules of one extent, bars of one thickness."""
    if not 2 <= len(groups) <= thresholds.MAX_GROUPS:
        return groups
    parent = list(range(len(groups)))

    def root(index: int) -> int:
        while parent[index] != index:
            index = parent[index]
        return index

    for first, second in [*_parallel_rules(groups, text), *_rows_of_bars(groups, text)]:
        a, b = root(first), root(second)
        parent[max(a, b)] = min(a, b)
    joined = _merged(groups, [root(n) for n in range(len(groups))])
    if len(joined) == len(groups):
        return groups
    # What stands between the rules of a grid belongs to it.
    large = sorted(joined, key=lambda group: -geometry.area(group.bbox))
    hosts = []
    for group in joined:
        inside = (n for n, h in enumerate(large) if h is group or geometry.center_inside(group.bbox, h.bbox))
        hosts.append(next(inside))
    return _merged(joined, hosts)


def _merged(groups: list[VectorGroup], hosts: list[int]) -> list[VectorGroup]:
    parts: dict[int, list[VectorGroup]] = {}
    for group, host in zip(groups, hosts, strict=True):
        parts.setdefault(host, []).append(group)
    return [
        VectorGroup(geometry.union(g.bbox for g in own), [v for g in own for v in g.vectors]) for own in parts.values()
    ]


def _parallel_rules(groups: list[VectorGroup], text: PageText) -> list[tuple[int, int]]:
    """Neighbours among at least three rules of one horizontal extent with no running text between them."""
    extents: dict[tuple[int, int], list[int]] = {}
    for n, group in enumerate(groups):
        box = group.bbox
        if geometry.height(box) <= thresholds.THIN and geometry.width(box) >= thresholds.MIN_RULE:
            extent = round(box[0] / thresholds.SAME_EXTENT), round(box[2] / thresholds.SAME_EXTENT)
            extents.setdefault(extent, []).append(n)
    pairs = []
    wordy = text.prose | (text.shown & (text.words >= thresholds.MIN_TEXT_WORDS))
    for members in extents.values():
        members.sort(key=lambda n: groups[n].bbox[1])
        steps = [
            (a, b)
            for a, b in zip(members, members[1:], strict=False)
            if groups[b].bbox[1] - groups[a].bbox[3] <= thresholds.MAX_GRID_GAP
            and not text.touches(geometry.union((groups[a].bbox, groups[b].bbox)), wordy)
        ]
        if len(steps) >= thresholds.MIN_GRID_STEPS:
            pairs += steps
    return pairs


def _rows_of_bars(groups: list[VectorGroup], text: PageText) -> list[tuple[int, int]]:
    """Pairs of groups that are bars of one thickness beside each other, or above each other, of several lengths."""
    pairs: list[tuple[int, int]] = []
    for low, high, along in ((0, 2, 1), (1, 3, 0)):
        bars = [n for n, group in enumerate(groups) if _is_bar(group, low, high)]
        bars.sort(key=lambda n: (groups[n].bbox[low], n))
        rows: list[list[int]] = []
        row_of: dict[int, list[int]] = {}
        for place, n in enumerate(bars):
            row = row_of.get(n)
            if row is None:
                row = row_of[n] = [n]
                rows.append(row)
            following = _next_bar(groups, text, bars[place:], low, high, along)
            if following is not None and following not in row_of:
                row.append(following)
                row_of[following] = row
        for row in rows:
            # Stripes of a table have one extent; bars of a chart do not.
            ends = {(round(groups[n].bbox[along]), round(groups[n].bbox[along + 2])) for n in row}
            if len(ends) > 1:
                pairs += zip(row, row[1:], strict=False)
    return pairs


def _next_bar(
    groups: list[VectorGroup], text: PageText, bars: list[int], low: int, high: int, along: int
) -> int | None:
    """The first of the bars after ``bars[0]`` that is like it, near it and beside it."""
    box = groups[bars[0]].bbox
    thickness = box[high] - box[low]
    for other in bars[1:]:
        following = groups[other].bbox
        gap = following[low] - box[high]
        if gap > min(thresholds.BAR_GAP * thickness, thresholds.MAX_BAR_GAP):
            return None
        alike = abs(following[high] - following[low] - thickness) <= thresholds.SAME_BAR
        common = min(box[along + 2], following[along + 2]) - max(box[along], following[along])
        beside = common > -thresholds.BAR_OFFSET and gap > -thresholds.BAR_OVERLAP
        if alike and beside and not text.touches(geometry.union((box, following)), text.prose):
            return other
    return None


def _is_bar(group: VectorGroup, low: int, high: int) -> bool:
    """Whether a group is one filled rectangle, or several of its thickness stacked to a bar."""
    thickness = group.bbox[high] - group.bbox[low]
    return (
        thresholds.MIN_BAR <= thickness <= thresholds.MAX_BAR
        and len(group.vectors) <= thresholds.MAX_SEGMENTS
        and all(
            v.rectangular and abs(v.bbox[high] - v.bbox[low] - thickness) <= thresholds.SAME_SEGMENT
            for v in group.vectors
        )
        and any(not v.stroked and v.color != _WHITE for v in group.vectors)
    )
