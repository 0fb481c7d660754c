"""Reading order of a page: columns by gutters on evidence of the whole region, then bands, then rows.

The input is boxes of text fragments and of floats (tables, figures). A region is cut in this order:

1. *Columns.* A gutter is a vertical strip that hardly any box crosses while text stands on both sides of it. Boxes that
   cross it (titles, wide floats) cut the region into bands; each band is read left column first. A float that only
   reaches over the gutter stays in the column that holds most of it.
2. *Bands.* Without columns, wide horizontal white space cuts the region, and each band is tried again.
3. *Rivers.* White space between columns that stand in a part of the region only (text beside a table).
4. *Rows.* What remains is read row by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import median

from cosee.adapter import geometry
from cosee.artifacts.base import BBox

MAX_DEPTH = 24
MAX_RIVERS = 60
MIN_LINES = 3
"""A column has at least this many lines."""


@dataclass(frozen=True, slots=True)
class Atom:
    """A box to be ordered. ``words`` is 0 for a float (table, figure); ``numeric`` marks a number alone."""

    bbox: BBox
    words: int = 0
    numeric: bool = False

    @property
    def is_text(self) -> bool:
        """Whether this is a fragment of text."""
        return self.words > 0


def reading_order(atoms: list[Atom]) -> list[list[int]]:
    """Indexes of ``atoms`` in reading order, as a list of regions; every index occurs exactly once."""
    if not atoms:
        return []
    regions: list[list[int]] = []
    _order(atoms, list(range(len(atoms))), regions, 0)
    return regions


def _order(atoms: list[Atom], indexes: list[int], regions: list[list[int]], depth: int) -> None:
    if len(indexes) == 1 or depth >= MAX_DEPTH:
        regions.append(_rows(atoms, indexes))
        return
    gutter = _best_gutter(atoms, indexes)
    if gutter is not None:
        for part in _column_bands(atoms, indexes, gutter):
            _order(atoms, part, regions, depth + 1)
        return
    bands = _bands(atoms, indexes)
    if len(bands) > 1:
        for band in bands:
            _order(atoms, band, regions, depth + 1)
        return
    parts = _river_parts(atoms, indexes)
    if parts is not None:
        for part in parts:
            _order(atoms, part, regions, depth + 1)
        return
    regions.append(_rows(atoms, indexes))


def _river_parts(atoms: list[Atom], indexes: list[int]) -> list[list[int]] | None:
    """Columns in a part of the region only: above, left, right, below of the best river of white space; or None."""
    texts = [i for i in indexes if atoms[i].is_text]
    if len(texts) < 2 * MIN_LINES + 1:
        return None
    line = _line_height(atoms, texts)
    best: tuple[float, tuple[float, float], list[int]] | None = None
    for strip, inside in _rivers(atoms, texts, line):
        score = _gutter_score(atoms, inside, strip, line)
        if score is not None and (best is None or score > best[0]):
            best = score, strip, inside
    if best is None:
        return None
    _, strip, inside = best
    middle = (strip[0] + strip[1]) / 2
    top, bottom = min(atoms[i].bbox[1] for i in inside), max(atoms[i].bbox[3] for i in inside)
    parts: list[list[int]] = [[], [], [], []]
    held = set(inside)
    for i in indexes:
        y = _middle_y(atoms[i])
        x = (atoms[i].bbox[0] + atoms[i].bbox[2]) / 2
        between = i in held or (not atoms[i].is_text and top <= y <= bottom)
        parts[(1 if x < middle else 2) if between else 0 if y < (top + bottom) / 2 else 3].append(i)
    parts = [part for part in parts if part]
    return parts if len(parts) > 1 else None


def _rivers(atoms: list[Atom], texts: list[int], line: float) -> list[tuple[tuple[float, float], list[int]]]:
    """Vertical white space between fragments that goes on over several rows, with the fragments beside it."""
    rows: list[list[int]] = []
    for i in sorted(texts, key=lambda i: (_middle_y(atoms[i]), atoms[i].bbox[0], i)):
        if rows and abs(_middle_y(atoms[rows[-1][0]]) - _middle_y(atoms[i])) <= 0.3 * line:
            rows[-1].append(i)
        else:
            rows.append([i])
    rivers: dict[tuple[int, int, int], tuple[tuple[float, float], list[int]]] = {}
    for n, row in enumerate(rows):
        boxes = sorted(atoms[i].bbox for i in row)
        for one, other in zip(boxes, boxes[1:], strict=False):
            if other[0] - one[2] < 0.8 * line:
                continue
            strip, first = _flow(atoms, rows, n, (one[2], other[0]), -1, line)
            strip, last = _flow(atoms, rows, n, strip, 1, line)
            if last - first >= MIN_LINES:
                members = [i for r in rows[first : last + 1] for i in r]
                rivers[(first, last, round(strip[0]))] = strip, members
    return list(rivers.values())[:MAX_RIVERS]


def _flow(
    atoms: list[Atom], rows: list[list[int]], start: int, strip: tuple[float, float], step: int, line: float
) -> tuple[tuple[float, float], int]:
    """Follow a river from row ``start`` up (-1) or down (1): its narrowed strip and the last row it reaches."""
    n = start
    while 0 <= n + step < len(rows):
        x0, x1 = strip
        for i in rows[n + step]:
            box = atoms[i].bbox
            if box[2] <= (x0 + x1) / 2:
                x0 = max(x0, box[2])
            else:
                x1 = min(x1, box[0])
        if x1 - x0 < 0.8 * line:
            break
        strip = x0, x1
        n += step
    return strip, n


def _line_height(atoms: list[Atom], indexes: list[int]) -> float:
    heights = [geometry.height(atoms[i].bbox) for i in indexes if atoms[i].is_text]
    return max(median(heights), 1.0) if heights else 12.0


def _best_gutter(atoms: list[Atom], indexes: list[int]) -> tuple[float, float] | None:
    """The strip ``(x0, x1)`` that separates columns, or None."""
    texts = [i for i in indexes if atoms[i].is_text]
    if len(texts) < 2 * MIN_LINES:
        return None
    line = _line_height(atoms, texts)
    best: tuple[float, tuple[float, float]] | None = None
    for strip in _strips(atoms, texts, minimum=0.45 * line):
        score = _gutter_score(atoms, texts, strip, line)
        if score is not None and (best is None or score > best[0]):
            best = score, strip
    return best[1] if best else None


def _strips(atoms: list[Atom], texts: list[int], minimum: float) -> list[tuple[float, float]]:
    """Vertical strips that few boxes cover, from a sweep over their left and right edges."""
    events: list[tuple[float, float]] = []
    for i in texts:
        box = atoms[i].bbox
        events += [(box[0], geometry.height(box)), (box[2], -geometry.height(box))]
    events.sort()
    total = sum(geometry.height(atoms[i].bbox) for i in texts)
    strips: list[tuple[float, float]] = []
    covered, start = 0.0, None
    for x, change in events:
        low_before = covered <= 0.2 * total
        covered += change
        low_after = covered <= 0.2 * total
        if low_after and not low_before:
            start = x
        elif low_before and not low_after and start is not None:
            if x - start >= minimum:
                strips += _narrowest(atoms, texts, start, x, minimum)
            start = None
    return strips


def _narrowest(atoms: list[Atom], texts: list[int], x0: float, x1: float, minimum: float) -> list[tuple[float, float]]:
    """Inside a sparsely covered strip, the sub-strips with the fewest crossings."""
    edges = sorted({x0, x1, *(x for i in texts for x in (atoms[i].bbox[0], atoms[i].bbox[2]) if x0 < x < x1)})
    counted = [
        (sum(1 for i in texts if atoms[i].bbox[0] < (a + b) / 2 < atoms[i].bbox[2]), a, b)
        for a, b in zip(edges, edges[1:], strict=False)
        if b - a >= minimum
    ]
    counted.sort(key=lambda item: (item[0], item[1] - item[2]))
    return [(a, b) for _, a, b in counted[:3]]


def _gutter_score(atoms: list[Atom], texts: list[int], strip: tuple[float, float], line: float) -> float | None:
    middle = (strip[0] + strip[1]) / 2
    left = [i for i in texts if atoms[i].bbox[2] <= middle]
    right = [i for i in texts if atoms[i].bbox[0] >= middle]
    crossing = len(texts) - len(left) - len(right)
    left_rows, right_rows = _row_count(atoms, left), _row_count(atoms, right)
    if min(left_rows, right_rows) < MIN_LINES or crossing > 0.5 * min(left_rows, right_rows) + 1:
        return None
    left_box, right_box = (geometry.union(atoms[i].bbox for i in side) for side in (left, right))
    shared = geometry.overlap_y(left_box, right_box)
    if shared < 2 * line or 2 * sum(atoms[i].numeric for i in right) > len(right):
        return None
    prose = min(_fill(atoms, left, left_box, line), _fill(atoms, right, right_box, line))
    aligned = _aligned(atoms, left, right, line)
    texts_on_both = min(_long_lines(atoms, left, left_box), _long_lines(atoms, right, right_box)) >= 2 and not crossing
    if (
        prose < 0.45
        and not texts_on_both
        and (aligned > _aligned_limit(atoms, left, right) or strip[1] - strip[0] < 1.5 * line)
    ):
        return None
    return (
        shared * (0.3 + prose) * (1.0 - 0.5 * aligned * (prose < 0.6)) - 3.0 * line * crossing + (strip[1] - strip[0])
    )


def _long_lines(atoms: list[Atom], side: list[int], box: BBox) -> int:
    """Lines of at least five words that fill their side: cells of a table seldom are."""
    width = geometry.width(box)
    return sum(1 for i in side if atoms[i].words >= 5 and geometry.width(atoms[i].bbox) >= 0.8 * width)


def _aligned_limit(atoms: list[Atom], left: list[int], right: list[int]) -> float:
    """How many shared baselines two sides that are not prose may have; cells of one or two words are a table."""
    words = min(sum(atoms[i].words for i in side) / len(side) for side in (left, right))
    return 0.6 if words >= 3 else 0.3


def _row_count(atoms: list[Atom], side: list[int]) -> int:
    """Number of text lines, fragments on one baseline counted once."""
    return len(_baselines(atoms, side))


def _baselines(atoms: list[Atom], side: list[int]) -> list[float]:
    bottoms = sorted(atoms[i].bbox[3] for i in side)
    return [y for n, y in enumerate(bottoms) if n == 0 or y - bottoms[n - 1] > 2.0]


def _fill(atoms: list[Atom], side: list[int], box: BBox, line: float) -> float:
    """How much the lines of a side look like prose: share of its lines with several words that fill its width.

    A row that is broken into several fragments is table-like and counts as not filled.
    """
    width = max(geometry.width(box), 1.0)
    filled = sum(1 for i in side if atoms[i].words >= 3 and geometry.width(atoms[i].bbox) >= 0.55 * width)
    return filled / max(len(side), 1) if width > 5 * line else 0.0


def _aligned(atoms: list[Atom], left: list[int], right: list[int], line: float) -> float:
    """Share of the lines of the shorter side that have a partner on the same baseline of the other."""
    baselines = [_baselines(atoms, side) for side in (left, right)]
    one, partners = sorted(baselines, key=len)
    hits = 0
    position = 0
    for y in one:
        while position < len(partners) and partners[position] < y - 0.2 * line:
            position += 1
        hits += position < len(partners) and abs(partners[position] - y) <= 0.2 * line
    return hits / max(len(one), 1)


def _column_bands(atoms: list[Atom], indexes: list[int], strip: tuple[float, float]) -> list[list[int]]:
    """Parts in reading order: for each band between spanning boxes, the left column, then the right one."""
    middle = (strip[0] + strip[1]) / 2
    left: list[int] = []
    right: list[int] = []
    crossing: list[int] = []
    for i in indexes:
        box = atoms[i].bbox
        if box[2] <= middle or (not atoms[i].is_text and box[2] <= strip[1]):
            left.append(i)
        elif box[0] >= middle or (not atoms[i].is_text and box[0] >= strip[0]):
            right.append(i)
        else:
            crossing.append(i)
    left_box, right_box = (geometry.union(atoms[i].bbox for i in side) for side in (left, right))
    spanning: list[int] = []
    for i in crossing:
        side = _home(atoms, i, (left, right), (left_box, right_box), middle)
        (spanning if side is None else (left, right)[side]).append(i)
    _whole_rows(atoms, spanning, left, right)
    parts: list[list[int]] = []
    remaining_left = sorted(left, key=lambda i: atoms[i].bbox[1])
    remaining_right = sorted(right, key=lambda i: atoms[i].bbox[1])
    spanning.sort(key=lambda i: atoms[i].bbox[1])
    stacked: list[int] = []
    for group in _stacked(atoms, spanning):
        top = min(atoms[i].bbox[1] for i in group)
        above_left = [i for i in remaining_left if _middle_y(atoms[i]) < top]
        above_right = [i for i in remaining_right if _middle_y(atoms[i]) < top]
        if parts and parts[-1] is stacked and not above_left and not above_right:
            stacked += group
        else:
            stacked = list(group)
            parts += [above_left, above_right, stacked]
        taken = {*above_left, *above_right}
        remaining_left = [i for i in remaining_left if i not in taken]
        remaining_right = [i for i in remaining_right if i not in taken]
    parts += [remaining_left, remaining_right]
    return [part for part in parts if part]


def _whole_rows(atoms: list[Atom], spanning: list[int], left: list[int], right: list[int]) -> None:
    """Move the neighbours on the baseline of a spanning text (a row of author names) from the columns to it."""
    queue = [i for i in spanning if atoms[i].is_text]
    while queue:
        box = atoms[queue.pop()].bbox
        for side in (left, right):
            for i in [i for i in side if atoms[i].is_text and _same_row(atoms[i].bbox, box)]:
                side.remove(i)
                spanning.append(i)
                queue.append(i)


def _same_row(one: BBox, other: BBox) -> bool:
    line = geometry.height(other)
    return abs(one[3] - other[3]) <= 0.2 * line and geometry.overlap_x(one, other) >= -3.0 * line


def _home(
    atoms: list[Atom], index: int, sides: tuple[list[int], list[int]], boxes: tuple[BBox, BBox], middle: float
) -> int | None:
    """The column (0 or 1) of a box that crosses the gutter, or None when it spans both."""
    box = atoms[index].bbox
    reach = (middle - box[0], box[2] - middle)
    shares = [reach[n] / max(geometry.width(boxes[n]), 1.0) for n in (0, 1)]
    centred = abs((box[0] + box[2]) / 2 - middle) < 0.15 * geometry.width(box)
    if centred or min(shares) >= 0.5:
        return None
    minor = 0 if shares[0] < shares[1] else 1
    beside = any(geometry.overlap_y(atoms[i].bbox, box) > 2 for i in sides[minor])
    if atoms[index].is_text and not beside and shares[minor] > 0.1:
        return None
    return 1 - minor


def _stacked(atoms: list[Atom], spanning: list[int]) -> list[list[int]]:
    """Spanning boxes that follow each other; each is its own group so that column text between them keeps its place."""
    groups: list[list[int]] = []
    for i in spanning:
        if groups and geometry.overlap_y(atoms[groups[-1][0]].bbox, atoms[i].bbox) > 0:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _middle_y(atom: Atom) -> float:
    return (atom.bbox[1] + atom.bbox[3]) / 2


def _bands(atoms: list[Atom], indexes: list[int]) -> list[list[int]]:
    """Cut at horizontal white space wider than a line; one band when there is none."""
    gap = 0.9 * _line_height(atoms, indexes)
    ordered = sorted(indexes, key=lambda i: (atoms[i].bbox[1], atoms[i].bbox[0], i))
    bands: list[list[int]] = []
    bottom = float("-inf")
    for i in ordered:
        if not bands or atoms[i].bbox[1] - bottom > gap:
            bands.append([])
        bands[-1].append(i)
        bottom = max(bottom, atoms[i].bbox[3])
    return bands


def _rows(atoms: list[Atom], indexes: list[int]) -> list[int]:
    """Row by row; boxes on about the same baseline are one row, read from left to right."""
    ordered = sorted(indexes, key=lambda i: (_middle_y(atoms[i]), atoms[i].bbox[0], i))
    rows: list[list[int]] = []
    anchor: BBox | None = None
    for i in ordered:
        box = atoms[i].bbox
        same = (
            anchor is not None
            and geometry.overlap_y(anchor, box) >= 0.5 * min(geometry.height(anchor), geometry.height(box))
            and atoms[i].is_text
            and atoms[rows[-1][0]].is_text
        )
        if same:
            rows[-1].append(i)
        else:
            rows.append([i])
            anchor = box
    return [i for row in rows for i in sorted(row, key=lambda i: (atoms[i].bbox[0], i))]
