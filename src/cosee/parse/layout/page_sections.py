"""Where a region with columns has to be cut across its whole width before it is read column by column."""

from __future__ import annotations

from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout import thresholds
from cosee.parse.layout.gutters import Atom, best_gutter, line_height
from cosee.parse.layout.thresholds import MIN_LINES


def sections(
    atoms: list[Atom], indexes: list[int], gutter: tuple[float, float], rules: Sequence[BBox]
) -> list[list[int]]:
    """Parts of a region from top to bottom, one where nothing cuts it.

    A running head or foot is a part of its own; a rule over the whole width cuts (articles of a newspaper), and so
    does white space between parts whose columns stand elsewhere.
    """
    line = line_height(atoms, indexes)
    head, rest = _edge_row(atoms, indexes, line, top=True)
    foot, rest = _edge_row(atoms, rest, line, top=False)
    parts = [head, *_cut(atoms, rest, gutter, rules, line), foot]
    return [part for part in parts if part]


def _edge_row(atoms: list[Atom], indexes: list[int], line: float, *, top: bool) -> tuple[list[int], list[int]]:
    """The topmost (lowest) row where it stands apart as a running head (foot) does, and everything else."""
    side, sign = (1, 1.0) if top else (3, -1.0)
    outer = min(indexes, key=lambda i: (sign * atoms[i].bbox[side], atoms[i].bbox[0]))
    edge = atoms[outer].bbox
    least = thresholds.SAME_LINE * geometry.height(edge)
    row = [i for i in indexes if geometry.overlap_length_y(atoms[i].bbox, edge) >= least]
    rest = [i for i in indexes if i not in set(row)]
    if not rest or not all(atoms[i].is_text for i in row) or len(row) > thresholds.HEAD_FRAGMENTS:
        return [], indexes
    box = geometry.union(atoms[i].bbox for i in row)
    gap = min(-geometry.overlap_length_y(atoms[i].bbox, box) for i in rest)
    below = [i for i in rest if any(geometry.overlap_length_x(atoms[i].bbox, atoms[j].bbox) > 0 for j in row)]
    own_gap = min((-geometry.overlap_length_y(atoms[i].bbox, box) for i in below), default=gap)
    small = geometry.height(edge) <= thresholds.HEAD_SIZE * line
    numbered = any(atoms[i].numeric for i in row)
    apart = numbered or small or own_gap >= thresholds.HEAD_APART * line or (top and len(row) == 1)
    spaced = gap > thresholds.HEAD_GAP * line and own_gap > thresholds.HEAD_OWN_GAP * line
    return (row, rest) if spaced and apart else ([], indexes)


def _cut(
    atoms: list[Atom], indexes: list[int], gutter: tuple[float, float], rules: Sequence[BBox], line: float
) -> list[list[int]]:
    """Parts of a region, cut at rules over its whole width and where columns stand elsewhere."""
    bands = white_bands(atoms, indexes, thresholds.SECTION_GAP * line)
    if len(bands) < 2:
        return [indexes]
    boxes = [geometry.union(atoms[i].bbox for i in band) for band in bands]
    whole = geometry.union(boxes)
    gutters = [best_gutter(atoms, band) if len(band) >= 2 * MIN_LINES else None for band in bands]
    parts = [bands[0]]
    for n in range(1, len(bands)):
        top, bottom = boxes[n - 1][3], boxes[n][1]
        ruled = any(_lies_in(rule, top, bottom) and _reaches(rule, whole) for rule in rules)
        moved = bottom - top > thresholds.MOVED_GAP * line and _moved(gutters[n - 1], gutters[n], gutter)
        if ruled or moved:
            parts.append(bands[n])
        else:
            parts[-1] = parts[-1] + bands[n]
    return parts


def _lies_in(rule: BBox, top: float, bottom: float) -> bool:
    return top - thresholds.EDGE_TOLERANCE <= rule[1] and rule[3] <= bottom + thresholds.EDGE_TOLERANCE


def _reaches(rule: BBox, whole: BBox) -> bool:
    return geometry.overlap_length_x(rule, whole) >= thresholds.SECTION_RULE * geometry.width(whole)


def _moved(above: tuple[float, float] | None, below: tuple[float, float] | None, gutter: tuple[float, float]) -> bool:
    """Whether the columns above and below a gap stand elsewhere: both have a gutter, and one is not the region's."""
    if above is None or below is None:
        return False
    apart = max(above[0], below[0]) >= min(above[1], below[1])
    return apart and any(max(one[0], gutter[0]) >= min(one[1], gutter[1]) for one in (above, below))


def white_bands(atoms: list[Atom], indexes: list[int], gap: float) -> list[list[int]]:
    """Cut at horizontal white space wider than ``gap``; one band when there is none."""
    ordered = sorted(indexes)
    return [[ordered[n] for n in band] for band in geometry.bands([atoms[i].bbox for i in ordered], gap)]
