"""Tables drawn with ruling lines: a grid of horizontal and vertical rules, cells merged where a rule is missing."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from itertools import count

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import Fragment, Rule, Vector, Word
from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import Slots, TableCell, cells_in, compact
from cosee.parse.tables.lines import join_lines
from cosee.parse.tables.text import cell_text, footnote_mark_boxes, is_numeric
from cosee.text.caption_words import CAPTION, NOTE


def find_rules(vectors: list[Vector]) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical rules of a page, collinear pieces joined."""
    swollen = _swollen(vectors)
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for (x0, y0, x1, y1), half in swollen.items():
        if x1 - x0 >= y1 - y0:
            horizontal.append(Rule((y0 + y1) / 2, x0 + half, x1 - half))
        else:
            vertical.append(Rule((x0 + x1) / 2, y0 + half, y1 - half))
    for vector in vectors:
        x0, y0, x1, y1 = vector.bbox
        wide, high = x1 - x0, y1 - y0
        if not vector.rectangular or vector.bbox in swollen:
            continue
        if high <= thresholds.THIN and wide >= thresholds.MIN_LEVEL_RULE:
            horizontal.append(Rule((y0 + y1) / 2, x0, x1))
        elif wide <= thresholds.THIN and high >= thresholds.MIN_UPRIGHT_RULE:
            vertical.append(Rule((x0 + x1) / 2, y0, y1))
        elif vector.stroked and min(wide, high) >= thresholds.MIN_BOX:
            horizontal += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
            vertical += [Rule(x0, y0, y1), Rule(x1, y0, y1)]
    return _joined(horizontal[: thresholds.MAX_RULES]), _joined(vertical[: thresholds.MAX_RULES])


def _swollen(vectors: list[Vector]) -> dict[BBox, float]:
    """Boxes of lines that were grown on all sides by room for mitres, with the growth.

    They look like boxes; their neighbours along the line overlap them by just their thickness, which cells never do.
    """
    thick: dict[tuple[bool, float], list[BBox]] = {}
    for vector in vectors:
        wide, high = geometry.sides(vector.bbox)
        thickness = min(wide, high)
        swollen = thresholds.THIN < thickness <= thresholds.MAX_SWOLLEN < max(wide, high)
        if swollen and vector.rectangular and vector.stroked:
            thick.setdefault((wide >= high, round(thickness, 1)), []).append(vector.bbox)
    found: dict[BBox, float] = {}
    for (lying, size), boxes in thick.items():
        along, across = (0, 1) if lying else (1, 0)
        boxes.sort(key=lambda box: (round(box[across]), box[along]))
        pairs = sum(
            1
            for a, b in zip(boxes, boxes[1:], strict=False)
            if max(abs(a[across] - b[across]), abs(a[along + 2] - b[along] - size)) < thresholds.MITRES_MEET
        )
        if pairs >= max(thresholds.MIN_MITRES, thresholds.MITRES_SHARE * len(boxes)):
            found |= dict.fromkeys(boxes, size / 2)
    return found


def levels_of(rules: list[Rule]) -> list[list[Rule]]:
    """Rules on one line, as thin rectangles beside each other are drawn: in order, grouped by ``at``."""
    levels: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.start)):
        if levels and rule.at - levels[-1][0].at <= thresholds.SAME_LEVEL:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    return levels


def _joined(rules: list[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for level in levels_of(rules):
        pieces: list[Rule] = []
        for rule in sorted(level, key=lambda r: r.start):
            if pieces and rule.start <= pieces[-1].end + thresholds.TOUCH:
                pieces[-1] = Rule(level[0].at, pieces[-1].start, max(pieces[-1].end, rule.end))
            else:
                pieces.append(Rule(level[0].at, rule.start, rule.end))
        joined += pieces
    return joined


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: its cells row by row, and the fragments inside."""

    bbox: BBox
    rows: list[Slots]
    fragments: set[int]


def find_grids(horizontal: list[Rule], vertical: list[Rule], fragments: list[Fragment]) -> list[Grid]:
    """Tables whose cells are ruled."""
    boxes: list[BBox] = [(r.start, r.at, r.end, r.at) for r in horizontal]
    boxes += [(r.at, r.start, r.at, r.end) for r in vertical]
    count = len(horizontal)
    grids = []
    for members in geometry.clusters(boxes, thresholds.TOUCH):
        rows = [horizontal[i] for i in members if i < count]
        columns = [vertical[i - count] for i in members if i >= count]
        if len(rows) >= 2 and columns and (grid := _read_grid(rows, columns, fragments)) is not None:
            grids.append(grid)
    return grids


def _distinct(values: list[float]) -> list[float]:
    """The coordinates without those that are nearly the one before."""
    positions: list[float] = []
    for value in sorted(values):
        if not positions or value - positions[-1] > thresholds.GRID_LINE:
            positions.append(value)
    return positions


def _read_grid(rows: list[Rule], columns: list[Rule], fragments: list[Fragment]) -> Grid | None:
    xs = _distinct([c.at for c in columns] + _open_ends(rows, [c.at for c in columns]))
    ys = _distinct([r.at for r in rows] + _open_ends(columns, [r.at for r in rows]))
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > thresholds.MAX_GRID:
        return None
    box: BBox = (xs[0], ys[0], xs[-1], ys[-1])
    inside = {n for n, f in enumerate(fragments) if not f.hidden and _is_inside(f, box)}
    if not inside:
        return None
    cell_ids = _merged_cells(xs, ys, rows, columns)
    if not _is_ruled_table(cell_ids, box, rows, columns):
        return None
    lines = _taken_apart(cell_ids, xs, _lines_by_cell(cell_ids, xs, ys, [fragments[n] for n in sorted(inside)]))
    cell_of = {slot: _cell(found) for slot, found in lines.items()}
    filled = [cell.text for cell in cell_of.values() if cell is not None]
    longest = max((text.count(" ") for text in filled), default=0)
    if len(filled) < max(2, thresholds.FILLED_GRID * len(cell_of)):
        return None
    if longest > (thresholds.MAX_CELL_WORDS if len(xs) == 3 else thresholds.MAX_WIDE_CELL_WORDS):
        return None
    bands = [
        _Band(ys[n], row, [cell_of[slot] for slot in row])
        for n, row in enumerate(cell_ids)
        if not n or row != cell_ids[n - 1]
    ]
    box, bands = _without_notes(box, bands)
    inside = {n for n in inside if _is_inside(fragments[n], box)}
    counts = Counter(slot for band in bands for slot in set(band.slots))
    grid: list[Slots] = []
    for band in bands:
        own = [lines[slot] if counts[slot] == 1 else [] for slot in band.slots]
        grid += _unruled_rows(own, first=not grid) or [band.cells]
    grid = compact(grid)
    return Grid(box, grid, inside) if len(grid) >= 2 and len(grid[0]) >= 2 else None


@dataclass(frozen=True, slots=True)
class _Band:
    """What stands between two rules: its top, its slots, and the cell in each."""

    top: float
    slots: list[int]
    cells: Slots


def _without_notes(box: BBox, bands: list[_Band]) -> tuple[BBox, list[_Band]]:
    """A caption in the first row and a note in the last are text above and below the table."""
    if len(bands) > 2 and CAPTION.match(_whole(bands[0])):
        bands = bands[1:]
        box = box[0], bands[0].top, box[2], box[3]
    if len(bands) > 2 and NOTE.match(_whole(bands[-1])):
        box = box[0], box[1], box[2], bands[-1].top
        bands = bands[:-1]
    return box, bands


def _whole(band: _Band) -> str:
    """The text of a row that is one cell, else nothing."""
    cell = band.cells[0]
    return cell.text if cell is not None and len(set(band.slots)) == 1 else ""


def _cell(lines: list[list[Word]]) -> TableCell | None:
    text = cell_text(lines)
    return TableCell(text, geometry.union(word.bbox for line in lines for word in line)) if text else None


def _is_ruled_table(cell_ids: list[list[int]], box: BBox, rows: list[Rule], columns: list[Rule]) -> bool:
    """Whether rules frame the table (above and below, or at both sides) and cut it into many cells: no flow chart."""

    def share(rules: list[Rule], at: float, start: float, end: float) -> float:
        return _covered(_rules_at(rules, at), start, end) / max(end - start, 1.0)

    level = min(share(rows, box[1], box[0], box[2]), share(rows, box[3], box[0], box[2]))
    upright = min(share(columns, box[0], box[1], box[3]), share(columns, box[2], box[1], box[3]))
    distinct = len({cell for row in cell_ids for cell in row})
    many = distinct >= thresholds.DISTINCT_CELLS * len(cell_ids) * len(cell_ids[0])
    return many and max(level, upright) >= thresholds.FRAMED


def _is_inside(fragment: Fragment, box: BBox) -> bool:
    """Whether the middle or most of a fragment is in the box."""
    text = fragment.bbox
    most = thresholds.MOSTLY_INSIDE * geometry.area(text)
    return geometry.center_inside(text, box) or geometry.intersection(text, box) > most


def _open_ends(rules: list[Rule], known: list[float]) -> list[float]:
    """Ends of rules well outside the outermost crossing rules: the side of the table is not ruled."""
    start, end = min(r.start for r in rules), max(r.end for r in rules)
    long = [r for r in rules if r.end - r.start > thresholds.MIN_LONG_RULE * (end - start)]
    if len(long) < 2:
        return []
    ends = [start] if start < min(known) - thresholds.OPEN_SIDE else []
    return [*ends, end] if end > max(known) + thresholds.OPEN_SIDE else ends


def _merged_cells(xs: list[float], ys: list[float], rows: list[Rule], columns: list[Rule]) -> list[list[int]]:
    """For each grid slot the number of its cell; slots without a rule between them share one."""
    width, height = len(xs) - 1, len(ys) - 1
    parent = list(range(width * height))

    def root(slot: int) -> int:
        while parent[slot] != slot:
            parent[slot] = parent[parent[slot]]
            slot = parent[slot]
        return slot

    def ruled(rules: list[Rule], start: float, end: float) -> bool:
        return _covered(rules, start, end) >= thresholds.RULED * (end - start)

    upright = [_rules_at(columns, x) for x in xs]
    level = [_rules_at(rows, y) for y in ys]
    for r in range(height):
        for c in range(width):
            if c + 1 < width and not ruled(upright[c + 1], ys[r], ys[r + 1]):
                parent[root(r * width + c + 1)] = root(r * width + c)
            if r + 1 < height and not ruled(level[r + 1], xs[c], xs[c + 1]):
                parent[root((r + 1) * width + c)] = root(r * width + c)
    return [[root(r * width + c) for c in range(width)] for r in range(height)]


def _rules_at(rules: list[Rule], at: float) -> list[Rule]:
    return [rule for rule in rules if abs(rule.at - at) <= thresholds.GRID_LINE]


def _covered(rules: list[Rule], start: float, end: float) -> float:
    """How much of an interval rules run along."""
    return sum(min(r.end, end) - max(r.start, start) for r in rules if r.end > start and r.start < end)


def _interval(values: list[float], value: float) -> int:
    """The interval between ``values`` that a coordinate is in; the first or last for one outside."""
    return bisect_right(values, value, 1, len(values) - 1) - 1


def _lines_by_cell(
    cell_ids: list[list[int]], xs: list[float], ys: list[float], inside: list[Fragment]
) -> dict[int, list[list[Word]]]:
    """Text lines of each cell. Words go by their own centre: one fragment may reach over several cells."""
    words: dict[int, list[Word]] = {cell: [] for row in cell_ids for cell in row}
    for fragment in inside:
        footnote_marks = footnote_mark_boxes(fragment)
        for word in fragment.words:
            if word.bbox not in footnote_marks:
                row = _interval(ys, (word.bbox[1] + word.bbox[3]) / 2)
                words[cell_ids[row][_interval(xs, (word.bbox[0] + word.bbox[2]) / 2)]].append(word)
    return {cell: _lines(found) for cell, found in words.items()}


def _taken_apart(
    cell_ids: list[list[int]], xs: list[float], lines: dict[int, list[list[Word]]]
) -> dict[int, list[list[Word]]]:
    """Cells over several columns that hold a number or a name in each are taken apart, in place; returns all cells'
    lines."""
    reach: dict[int, set[int]] = {}
    for row in cell_ids:
        for column, slot in enumerate(row):
            reach.setdefault(slot, set()).add(column)
    numbers = count(max(lines, default=0) + 1)
    names: dict[tuple[int, int], int] = {}
    apart: dict[int, list[list[Word]]] = {}
    for slot, found in lines.items():
        columns = sorted(reach[slot])
        parts = _places(found, xs) if len(columns) > 1 else []
        if not parts or not (_holds_numbers(found, parts) or _holds_names(found, parts, xs, columns)):
            apart[slot] = found
            continue
        for column in columns:
            own = [
                [word for word, at in zip(line, places, strict=True) if at == column]
                for line, places in zip(found, parts, strict=True)
            ]
            names[slot, column] = number = next(numbers)
            apart[number] = [line for line in own if line]
    if names:
        for row in cell_ids:
            row[:] = [names.get((slot, column), slot) for column, slot in enumerate(row)]
    return apart


def _places(lines: list[list[Word]], xs: list[float]) -> list[list[int]]:
    """The column of each word."""
    return [[_interval(xs, (word.bbox[0] + word.bbox[2]) / 2) for word in line] for line in lines]


def _holds_numbers(found: list[list[Word]], parts: list[list[int]]) -> bool:
    """Whether nearly all lines of a cell are numbers, one in a column."""
    single = [max(Counter(places).values()) == 1 for places in parts]
    numeric = sum(one and _are_numbers([[word] for word in line]) for one, line in zip(single, found, strict=True))
    return numeric >= thresholds.NUMBER_LINES * len(found) and max(len(set(places)) for places in parts) > 1


def _holds_names(found: list[list[Word]], parts: list[list[int]], xs: list[float], columns: list[int]) -> bool:
    """Whether each column that a cell reaches over has words of its own in it, far from those of the next."""
    if {place for places in parts for place in places} != set(columns):
        return False
    for line, places in zip(found, parts, strict=True):
        if any(word.bbox[0] < xs[at] or word.bbox[2] > xs[at + 1] for word, at in zip(line, places, strict=True)):
            return False
        apart = thresholds.NAMES_APART * max(geometry.height(word.bbox) for word in line)
        near = zip(line, line[1:], places, places[1:], strict=False)
        if any(one != other and right.bbox[0] - left.bbox[2] < apart for left, right, one, other in near):
            return False
    return True


def _lines(words: list[Word]) -> list[list[Word]]:
    """Words as lines from top to bottom, each from left to right."""
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda w: ((w.bbox[1] + w.bbox[3]) / 2, w.bbox[0])):
        middle = (word.bbox[1] + word.bbox[3]) / 2
        if lines and lines[-1][0].bbox[1] <= middle <= lines[-1][0].bbox[3]:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda w: w.bbox[0]) for line in lines]


def _unruled_rows(columns: list[list[list[Word]]], *, first: bool) -> list[Slots]:
    """Rows of what stands between two rules where only columns are ruled; empty where it is one row.

    Several columns of it must have lines on common baselines that are values of their own, not wrapped text; the
    lines of the ``first`` row, which may be names of columns, must be numbers.
    """
    longest = max(columns, key=len)
    bases = [line[0].bbox[3] for line in longest]
    placed = [[_nearest(bases, line[0].bbox[3]) for line in found] for found in columns]
    hits = [n is not None for found in placed for n in found]
    listed = [found for found in columns if len(found) >= 2 and _are_numbers(found)]
    even = sum(1 for found in columns if len(found) == len(longest)) >= 2
    if len(bases) < 2 or sum(hits) < thresholds.BASELINE_SHARE * len(hits):
        return []
    values = bool(listed) and sum(1 for found in columns if len(found) >= len(listed[0])) >= 2
    if not values and (first or len(bases) < thresholds.MIN_UNRULED_ROWS or not even or not _short_lines(columns)):
        return []
    rows: list[Slots] = [
        [
            _cell([line for line, place in zip(found, places, strict=True) if place == n])
            for found, places in zip(columns, placed, strict=True)
        ]
        for n in range(len(bases))
    ]
    return join_lines([row for row in rows if cells_in(row)], [])


def _are_numbers(lines: list[list[Word]]) -> bool:
    return all(is_numeric(" ".join(word.text for word in line)) for line in lines)


def _nearest(bases: list[float], y: float) -> int | None:
    best = min(range(len(bases)), key=lambda n: abs(bases[n] - y))
    return best if abs(bases[best] - y) <= thresholds.ON_BASELINE else None


def _short_lines(columns: list[list[list[Word]]]) -> bool:
    """Whether the lines are too short to be wrapped prose, and none reads on from the line above."""
    counts = [len(line) for found in columns for line in found]
    following = [line[0].text[0] for found in columns for line in found[1:]]
    reading_on = sum(1 for letter in following if letter.islower() or letter == "(")
    short = sum(1 for count in counts if count <= thresholds.SHORT_LINE)
    return short >= thresholds.SHORT_LINES * len(counts) and reading_on <= thresholds.READING_ON * len(following)
