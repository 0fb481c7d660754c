"""Reading order of a page: columns by gutters on evidence of the whole region, then bands, then rows.

The input is boxes of text fragments and of floats (tables, figures). A region is cut in this order:

1. *Columns.* A gutter is a vertical strip that hardly any box crosses while text stands on both sides of it. Running
   heads and feet, rules over the whole width and changes of the columns cut the region into sections first. Boxes that
   cross the gutter (titles, wide floats) cut a section into bands; each band is read left column first. A float that
   only reaches over the gutter stays in the column that holds most of it.
2. *Bands.* Without columns, wide horizontal white space cuts the region, and each band is tried again.
3. *Rivers.* White space between columns that stand in a part of the region only (text beside a table).
4. *Rows.* What remains is read row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.layout import thresholds
from cosee.parse.layout.gutters import Atom, best_gutter, float_gutter, gutter_score, line_height, text_indexes
from cosee.parse.layout.page_sections import sections, white_bands
from cosee.parse.layout.thresholds import MIN_LINES


def reading_order(atoms: list[Atom], rules: Sequence[BBox] = ()) -> list[list[int]]:
    """Indexes of ``atoms`` in reading order, as a list of regions; every index occurs exactly once.

    ``rules`` are horizontal lines that are no part of a table or figure.
    """
    if not atoms:
        return []
    regions: list[list[int]] = []
    _order(atoms, list(range(len(atoms))), rules, regions, 0)
    return regions


def _order(atoms: list[Atom], indexes: list[int], rules: Sequence[BBox], regions: list[list[int]], depth: int) -> None:
    is_one = len(indexes) == 1 or depth >= thresholds.MAX_DEPTH
    parts = None if is_one else _parts(atoms, indexes, rules)
    if parts is None:
        regions.append(_rows(atoms, indexes))
        return
    for part in parts:
        _order(atoms, part, rules, regions, depth + 1)


def _parts(atoms: list[Atom], indexes: list[int], rules: Sequence[BBox]) -> list[list[int]] | None:
    """What a region falls into, in reading order: columns, a box and its sides, bands, a river's sides; or None."""
    gutter = best_gutter(atoms, indexes) or float_gutter(atoms, indexes)
    if gutter is not None:
        parts = sections(atoms, indexes, gutter, rules)
        return parts if len(parts) > 1 else _column_bands(atoms, indexes, gutter) or None
    columns = _beside_enclosure(atoms, indexes)
    if columns is not None:
        return columns
    bands = white_bands(atoms, indexes, thresholds.BAND_GAP * line_height(atoms, indexes))
    return bands if len(bands) > 1 else _river_parts(atoms, indexes)


def _beside_enclosure(atoms: list[Atom], indexes: list[int]) -> list[list[int]] | None:
    """Above, left, the box, right, below, where a box drawn around text is a column (a side bar) of the region."""
    texts = [atoms[i].bbox for i in indexes if atoms[i].is_text]
    if len(texts) < MIN_LINES:
        return None
    extent = max(box[3] for box in texts) - min(box[1] for box in texts)
    for i in indexes:
        box = atoms[i].bbox
        if not atoms[i].enclosure or geometry.height(box) < thresholds.SIDEBAR_HEIGHT * extent:
            continue
        slack = thresholds.EDGE_TOLERANCE
        others = [j for j in indexes if j != i]
        stacked = [atoms[j].bbox for j in others if geometry.overlap_length_x(box, atoms[j].bbox) > slack]
        top = max((other[3] for other in stacked if other[1] < box[1]), default=float("-inf"))
        bottom = min((other[1] for other in stacked if other[1] >= box[1]), default=float("inf"))
        parts: list[list[int]] = [[], [], [i], [], []]
        for j in others:
            other = atoms[j].bbox
            if other[3] <= top + slack:
                parts[0].append(j)
            elif other[1] >= bottom - slack:
                parts[4].append(j)
            else:
                parts[1 if other[0] < box[0] else 3].append(j)
        if any(atoms[j].is_text for j in [*parts[1], *parts[3]]):
            return [part for part in parts if part]
    return None


def _river_parts(atoms: list[Atom], indexes: list[int]) -> list[list[int]] | None:
    """Columns in a part of the region only: above, left, right, below of the best river of white space; or None."""
    texts = text_indexes(atoms, indexes)
    if len(texts) < 2 * MIN_LINES + 1:
        return None
    line = line_height(atoms, texts)
    best: tuple[float, tuple[float, float], list[int]] | None = None
    for strip, inside in _rivers(atoms, texts, line):
        score = gutter_score(atoms, inside, strip, line)
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
        if rows and abs(_middle_y(atoms[rows[-1][0]]) - _middle_y(atoms[i])) <= thresholds.RIVER_ROW * line:
            rows[-1].append(i)
        else:
            rows.append([i])
    rivers: dict[tuple[int, int, int], tuple[tuple[float, float], list[int]]] = {}
    for n, row in enumerate(rows):
        boxes = sorted(atoms[i].bbox for i in row)
        for one, other in zip(boxes, boxes[1:], strict=False):
            if other[0] - one[2] < thresholds.RIVER_WIDTH * line:
                continue
            strip, first = _flow(atoms, rows, n, (one[2], other[0]), -1, line)
            strip, last = _flow(atoms, rows, n, strip, 1, line)
            if last - first >= MIN_LINES:
                members = [i for r in rows[first : last + 1] for i in r]
                rivers[(first, last, round(strip[0]))] = strip, members
    return list(rivers.values())[: thresholds.MAX_RIVERS]


def _flow(
    atoms: list[Atom], rows: list[list[int]], start: int, strip: tuple[float, float], step: int, line: float
) -> tuple[tuple[float, float], int]:
    """Follow a river from row ``start`` up (-1) or down (1): its narrowed strip and the last row it reaches."""
    n = start
    while 0 <= n + step < len(rows):
        x0, x1 = strip
        for i in rows[n + step]:
            left, _, right, _ = atoms[i].bbox
            if right <= (x0 + x1) / 2:
                if right > x0:
                    x0 = right
            elif left < x1:
                x1 = left
        if x1 - x0 < thresholds.RIVER_WIDTH * line:
            break
        strip = x0, x1
        n += step
    return strip, n


def _column_bands(atoms: list[Atom], indexes: list[int], strip: tuple[float, float]) -> list[list[int]]:
    """Parts in reading order: for each band between spanning boxes, the left column, then the right one; none where a
    side is empty."""
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
    if not left or not right:
        return []
    left_box, right_box = (geometry.union(atoms[i].bbox for i in side) for side in (left, right))
    spanning: list[int] = []
    for i in crossing:
        side = _column_of(atoms, i, (left, right), (left_box, right_box), middle)
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
    high = geometry.height(other)
    near = geometry.overlap_length_x(one, other) >= -thresholds.AUTHORS_GAP * high
    return near and abs(one[3] - other[3]) <= thresholds.AUTHORS_ROW * high


def _column_of(
    atoms: list[Atom], index: int, sides: tuple[list[int], list[int]], boxes: tuple[BBox, BBox], middle: float
) -> int | None:
    """The column (0 or 1) of a box that crosses the gutter, or None when it spans both."""
    box = atoms[index].bbox
    reach = (middle - box[0], box[2] - middle)
    shares = [reach[n] / max(geometry.width(boxes[n]), 1.0) for n in (0, 1)]
    if not atoms[index].is_text and all(_stands_beside(atoms, side, box) for side in sides):
        return 0 if reach[0] >= reach[1] else 1
    centred = abs((box[0] + box[2]) / 2 - middle) < thresholds.CENTRED * geometry.width(box)
    if centred or min(shares) >= thresholds.SPANS_BOTH:
        return None
    minor = 0 if shares[0] < shares[1] else 1
    beside = any(_shares_height(atoms[i].bbox, box) for i in sides[minor])
    if atoms[index].is_text and not beside and shares[minor] > thresholds.REACHES_OVER:
        return None
    return 1 - minor


def _stands_beside(atoms: list[Atom], side: list[int], box: BBox) -> bool:
    """Whether lines of a column run on beside a float, cut short by it."""
    lines = [atoms[i].bbox for i in side if atoms[i].is_text and _shares_height(atoms[i].bbox, box)]
    return len(lines) >= MIN_LINES and all(geometry.overlap_length_x(line, box) <= 0 for line in lines)


def _shares_height(one: BBox, other: BBox) -> bool:
    return geometry.overlap_length_y(one, other) > thresholds.SHARED_HEIGHT


def _stacked(atoms: list[Atom], spanning: list[int]) -> list[list[int]]:
    """Spanning boxes that follow each other; each is its own group so that column text between them keeps its place."""
    groups: list[list[int]] = []
    for i in spanning:
        if groups and geometry.overlap_length_y(atoms[groups[-1][0]].bbox, atoms[i].bbox) > 0:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _middle_y(atom: Atom) -> float:
    return (atom.bbox[1] + atom.bbox[3]) / 2


def _is_one_row(first: Atom, atom: Atom) -> bool:
    low = min(geometry.height(first.bbox), geometry.height(atom.bbox))
    if geometry.overlap_length_y(first.bbox, atom.bbox) < thresholds.SAME_LINE * low:
        return False
    return (atom.is_text and first.is_text) or _side_by_side(atom, first)


def _side_by_side(one: Atom, other: Atom) -> bool:
    """Whether two floats of about the same height stand beside each other."""
    if one.is_text or other.is_text:
        return False
    shared = geometry.overlap_length_y(one.bbox, other.bbox)
    alike = shared >= thresholds.SIDE_BY_SIDE * max(geometry.height(one.bbox), geometry.height(other.bbox))
    return alike and geometry.overlap_length_x(one.bbox, other.bbox) <= thresholds.EDGE_TOLERANCE


def _rows(atoms: list[Atom], indexes: list[int]) -> list[int]:
    """Row by row; boxes on about the same baseline are one row, read from left to right."""
    ordered = sorted(indexes, key=lambda i: (_middle_y(atoms[i]), atoms[i].bbox[0], i))
    rows: list[list[int]] = []
    for i in ordered:
        if rows and _is_one_row(atoms[rows[-1][0]], atoms[i]):
            rows[-1].append(i)
        else:
            rows.append([i])
    return [i for row in rows for i in sorted(row, key=lambda i: (atoms[i].bbox[0], i))]
