"""Tables drawn with ruling lines: a grid of horizontal and vertical rules, cells merged where a rule is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import Fragment, Rule, Vector, Word
from cosee.parse.tables.cells import Slots, TableCell, cells_in, compact
from cosee.parse.tables.lines import join_lines
from cosee.parse.tables.text import cell_text, is_numeric, superscript_words
from cosee.text.caption_words import CAPTION, NOTE

THIN = 3.0
"""A rectangle thinner than this many points is a rule."""
TOUCH = 3.0
MAX_GRID = 20_000
"""Grids with more slots than this are drawings."""
MAX_CELL_WORDS = 200
"""Words in one cell of a table of two columns; more are columns of running text in a frame. Wider grids have longer."""
MAX_RULES = 4_000
MAX_SWOLLEN = 16.0
"""Thickness in points up to which a stroked box may be a line with room for its mitres."""


def find_rules(vectors: list[Vector]) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical rules of a page, collinear pieces joined."""
    swollen = _swollen(vectors)
    horizontal = [
        Rule((b[1] + b[3]) / 2, b[0] + half, b[2] - half) for b, half in swollen.items() if b[2] - b[0] >= b[3] - b[1]
    ]
    vertical = [
        Rule((b[0] + b[2]) / 2, b[1] + half, b[3] - half) for b, half in swollen.items() if b[2] - b[0] < b[3] - b[1]
    ]
    for vector in vectors:
        x0, y0, x1, y1 = vector.bbox
        wide, high = x1 - x0, y1 - y0
        if not vector.rectangular or vector.bbox in swollen:
            continue
        if high <= THIN and wide >= 6:
            horizontal.append(Rule((y0 + y1) / 2, x0, x1))
        elif wide <= THIN and high >= 4:
            vertical.append(Rule((x0 + x1) / 2, y0, y1))
        elif vector.stroked and wide >= 6 and high >= 6:
            horizontal += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
            vertical += [Rule(x0, y0, y1), Rule(x1, y0, y1)]
    return _joined(horizontal[:MAX_RULES]), _joined(vertical[:MAX_RULES])


def _swollen(vectors: list[Vector]) -> dict[BBox, float]:
    """Boxes of lines that were grown on all sides by room for mitres, with the growth.

    They look like boxes; their neighbours along the line overlap them by just their thickness, which cells never do.
    """
    thick: dict[tuple[bool, float], list[BBox]] = {}
    for vector in vectors:
        wide, high = geometry.width(vector.bbox), geometry.height(vector.bbox)
        if vector.rectangular and vector.stroked and THIN < min(wide, high) <= MAX_SWOLLEN < max(wide, high):
            thick.setdefault((wide >= high, round(min(wide, high), 1)), []).append(vector.bbox)
    found: dict[BBox, float] = {}
    for (lying, size), boxes in thick.items():
        along, across = (0, 1) if lying else (1, 0)
        boxes.sort(key=lambda box: (round(box[across]), box[along]))
        pairs = sum(
            1
            for a, b in zip(boxes, boxes[1:], strict=False)
            if abs(a[across] - b[across]) < 1.0 and abs(a[along + 2] - b[along] - size) < 1.0
        )
        if pairs >= 3 and pairs >= 0.4 * len(boxes):
            found |= dict.fromkeys(boxes, size / 2)
    return found


def _joined(rules: list[Rule]) -> list[Rule]:
    lines: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.start)):
        if lines and rule.at - lines[-1][0].at <= 1.5:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    joined: list[Rule] = []
    for line in lines:
        at = line[0].at
        start, end = None, 0.0
        for rule in sorted(line, key=lambda r: r.start):
            if start is not None and rule.start <= end + TOUCH:
                end = max(end, rule.end)
                continue
            if start is not None:
                joined.append(Rule(at, start, end))
            start, end = rule.start, rule.end
        if start is not None:
            joined.append(Rule(at, start, end))
    return joined


@dataclass(frozen=True, slots=True)
class Grid:
    """A ruled table: its cells row by row, and the fragments inside."""

    bbox: BBox
    rows: list[Slots]
    fragments: set[int]


def find_grids(horizontal: list[Rule], vertical: list[Rule], fragments: list[Fragment]) -> list[Grid]:
    """Tables whose cells are ruled."""
    tables = []
    for rows, columns in _components(horizontal, vertical):
        if len(columns) >= 1 and len(rows) >= 2:
            table = _read_grid(rows, columns, fragments)
            if table is not None:
                tables.append(table)
    return tables


def _components(horizontal: list[Rule], vertical: list[Rule]) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that touch or cross each other, as (horizontal, vertical) groups."""
    boxes: list[BBox] = [(r.start, r.at, r.end, r.at) for r in horizontal]
    boxes += [(r.at, r.start, r.at, r.end) for r in vertical]
    count = len(horizontal)
    groups = []
    for members in geometry.clusters(boxes, TOUCH):
        rows = [horizontal[i] for i in members if i < count]
        columns = [vertical[i - count] for i in members if i >= count]
        if rows and columns:
            groups.append((rows, columns))
    return groups


def _positions(values: list[float]) -> list[float]:
    positions: list[float] = []
    for value in sorted(values):
        if not positions or value - positions[-1] > 4.0:
            positions.append(value)
    return positions


def _read_grid(rows: list[Rule], columns: list[Rule], fragments: list[Fragment]) -> Grid | None:
    xs = _positions([c.at for c in columns] + _open_ends(rows, [c.at for c in columns]))
    ys = _positions([r.at for r in rows] + _open_ends(columns, [r.at for r in rows]))
    if len(xs) < 3 or len(ys) < 3 or (len(xs) - 1) * (len(ys) - 1) > MAX_GRID:
        return None
    box: BBox = (xs[0], ys[0], xs[-1], ys[-1])
    inside = {n for n, f in enumerate(fragments) if not f.hidden and geometry.center_inside(f.bbox, box)}
    inside |= {n for n, f in enumerate(fragments) if not f.hidden and _mostly_inside(f, box)}
    if not inside:
        return None
    cells = _merged_cells(xs, ys, rows, columns)
    if not _closed(cells, box, rows, columns):
        return None
    lines = _numbers_apart(cells, xs, _fill(cells, xs, ys, [fragments[n] for n in sorted(inside)]))
    made = {slot: _cell(found) for slot, found in lines.items()}
    filled = [cell.text for cell in made.values() if cell is not None]
    longest = max((text.count(" ") for text in filled), default=0)
    if len(filled) < 2 or len(filled) < 0.3 * len(made) or longest > MAX_CELL_WORDS * (1 if len(xs) < 4 else 4):
        return None
    bands = [
        _Band(ys[n], row, [made[slot] for slot in row]) for n, row in enumerate(cells) if not n or row != cells[n - 1]
    ]
    box, bands = _without_notes(box, bands)
    inside = {n for n in inside if geometry.center_inside(fragments[n].bbox, box) or _mostly_inside(fragments[n], box)}
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


def _closed(cells: list[list[int]], box: BBox, rows: list[Rule], columns: list[Rule]) -> bool:
    """Whether rules frame the table (above and below, or at both sides) and cut it into many cells: no flow chart."""

    def share(rules: list[Rule], at: float, start: float, end: float) -> float:
        covered = sum(max(0.0, min(r.end, end) - max(r.start, start)) for r in rules if abs(r.at - at) <= 4.0)
        return covered / max(end - start, 1.0)

    level = min(share(rows, box[1], box[0], box[2]), share(rows, box[3], box[0], box[2]))
    upright = min(share(columns, box[0], box[1], box[3]), share(columns, box[2], box[1], box[3]))
    distinct = len({cell for row in cells for cell in row})
    return max(level, upright) >= 0.7 and distinct >= 0.4 * len(cells) * len(cells[0])


def _mostly_inside(fragment: Fragment, box: BBox) -> bool:
    return geometry.intersection(fragment.bbox, box) > 0.6 * geometry.area(fragment.bbox)


def _open_ends(rules: list[Rule], known: list[float]) -> list[float]:
    """Ends of rules well outside the outermost crossing rules: the side of the table is not ruled."""
    start, end = min(r.start for r in rules), max(r.end for r in rules)
    long = [r for r in rules if r.end - r.start > 0.5 * (end - start)]
    if len(long) < 2:
        return []
    ends = []
    if start < min(known) - 12:
        ends.append(start)
    if end > max(known) + 12:
        ends.append(end)
    return ends


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
        covered = sum(min(r.end, end) - max(r.start, start) for r in rules if r.end > start and r.start < end)
        return covered >= 0.6 * (end - start)

    upright = [[rule for rule in columns if abs(rule.at - x) <= 4.0] for x in xs]
    level = [[rule for rule in rows if abs(rule.at - y) <= 4.0] for y in ys]
    for r in range(height):
        for c in range(width):
            if c + 1 < width and not ruled(upright[c + 1], ys[r], ys[r + 1]):
                parent[root(r * width + c + 1)] = root(r * width + c)
            if r + 1 < height and not ruled(level[r + 1], xs[c], xs[c + 1]):
                parent[root((r + 1) * width + c)] = root(r * width + c)
    return [[root(r * width + c) for c in range(width)] for r in range(height)]


def _slot(values: list[float], value: float) -> int:
    for n in range(len(values) - 2):
        if value < values[n + 1]:
            return n
    return len(values) - 2


def _fill(
    cells: list[list[int]], xs: list[float], ys: list[float], inside: list[Fragment]
) -> dict[int, list[list[Word]]]:
    """Text lines of each cell. Words go by their own centre: one fragment may reach over several cells."""
    words: dict[int, list[Word]] = {cell: [] for row in cells for cell in row}
    for fragment in inside:
        marks = superscript_words(fragment)
        for word in fragment.words:
            if word.bbox not in marks:
                row = _slot(ys, (word.bbox[1] + word.bbox[3]) / 2)
                words[cells[row][_slot(xs, (word.bbox[0] + word.bbox[2]) / 2)]].append(word)
    return {cell: _lines(found) for cell, found in words.items()}


def _numbers_apart(
    cells: list[list[int]], xs: list[float], lines: dict[int, list[list[Word]]]
) -> dict[int, list[list[Word]]]:
    """Cells over several columns that hold a number in each are taken apart, in place; returns all cells' lines."""
    lines = dict(lines)
    reach: dict[int, set[int]] = {}
    for row in cells:
        for column, slot in enumerate(row):
            reach.setdefault(slot, set()).add(column)
    for slot, found in list(lines.items()):
        columns = sorted(reach[slot])
        if len(columns) < 2 or not found:
            continue
        parts = [Counter(_slot(xs, (word.bbox[0] + word.bbox[2]) / 2) for word in line) for line in found]
        single = [max(counts.values()) == 1 for counts in parts]
        numeric = sum(one and _numbers([[word] for word in line]) for one, line in zip(single, found, strict=True))
        if numeric < 0.8 * len(found) or max(map(len, parts)) < 2:
            continue
        names = {column: max(lines) + 1 + n for n, column in enumerate(columns)}
        for column, name in names.items():
            own = [[word for word in line if _slot(xs, (word.bbox[0] + word.bbox[2]) / 2) == column] for line in found]
            lines[name] = [line for line in own if line]
        for row in cells:
            row[:] = [names[c] if other == slot else other for c, other in enumerate(row)]
        del lines[slot]
    return lines


def _lines(words: list[Word]) -> list[list[Word]]:
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
    listed = [found for found in columns if len(found) >= 2 and _numbers(found)]
    even = sum(1 for found in columns if len(found) == len(longest)) >= 2
    if len(bases) < 2 or sum(hits) < 0.9 * len(hits):
        return []
    values = bool(listed) and sum(1 for found in columns if len(found) >= len(listed[0])) >= 2
    if not values and (first or len(bases) < 3 or not even or not _short_lines(columns)):
        return []
    rows: list[Slots] = [
        [
            _cell([line for line, place in zip(found, places, strict=True) if place == n])
            for found, places in zip(columns, placed, strict=True)
        ]
        for n in range(len(bases))
    ]
    return join_lines([row for row in rows if cells_in(row)], [])


def _numbers(lines: list[list[Word]]) -> bool:
    return all(is_numeric(" ".join(word.text for word in line)) for line in lines)


def _nearest(bases: list[float], y: float) -> int | None:
    best = min(range(len(bases)), key=lambda n: abs(bases[n] - y))
    return best if abs(bases[best] - y) <= 3.0 else None


def _short_lines(columns: list[list[list[Word]]]) -> bool:
    """Whether the lines are too short to be wrapped prose, and none reads on from the line above."""
    counts = [len(line) for found in columns for line in found]
    following = [line[0].text[0] for found in columns for line in found[1:]]
    low = sum(1 for letter in following if letter.islower() or letter == "(")
    return sum(1 for count in counts if count <= 4) >= 0.6 * len(counts) and low <= 0.1 * len(following)
