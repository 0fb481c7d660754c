"""Where a region with columns has to be cut across its whole width before it is read column by column."""

from __future__ import annotations

from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout.gutters import MIN_LINES, Atom, best_gutter, line_height

SPAN = 0.9
"""A rule that separates sections reaches over at least this share of their width."""


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
    row = [i for i in indexes if geometry.overlap_length_y(atoms[i].bbox, edge) >= 0.5 * geometry.height(edge)]
    rest = [i for i in indexes if i not in set(row)]
    if not rest or not all(atoms[i].is_text for i in row) or len(row) > 3:
        return [], indexes
    box = geometry.union(atoms[i].bbox for i in row)
    gap = min(-geometry.overlap_length_y(atoms[i].bbox, box) for i in rest)
    below = [i for i in rest if any(geometry.overlap_length_x(atoms[i].bbox, atoms[j].bbox) > 0 for j in row)]
    own_gap = min((-geometry.overlap_length_y(atoms[i].bbox, box) for i in below), default=gap)
    small = geometry.height(edge) <= 0.93 * line
    numbered = any(atoms[i].numeric for i in row)
    apart = numbered or small or own_gap >= 1.5 * line or (top and len(row) == 1)
    return (row, rest) if gap > 0.2 * line and own_gap > 0.6 * line and apart else ([], indexes)


def _cut(
    atoms: list[Atom], indexes: list[int], gutter: tuple[float, float], rules: Sequence[BBox], line: float
) -> list[list[int]]:
    bands = white_bands(atoms, indexes, 0.5 * line)
    if len(bands) < 2:
        return [indexes]
    boxes = [geometry.union(atoms[i].bbox for i in band) for band in bands]
    whole = geometry.union(boxes)
    gutters = [best_gutter(atoms, band) if len(band) >= 2 * MIN_LINES else None for band in bands]
    parts = [bands[0]]
    for n in range(1, len(bands)):
        gap = boxes[n - 1][3], boxes[n][1]
        ruled = any(gap[0] - 1 <= rule[1] and rule[3] <= gap[1] + 1 and _reaches(rule, whole) for rule in rules)
        moved = gap[1] - gap[0] > 0.9 * line and _moved(gutters[n - 1], gutters[n], gutter)
        if ruled or moved:
            parts.append(bands[n])
        else:
            parts[-1] = parts[-1] + bands[n]
    return parts


def _reaches(rule: BBox, whole: BBox) -> bool:
    return geometry.overlap_length_x(rule, whole) >= SPAN * geometry.width(whole)


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
