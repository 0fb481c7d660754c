"""Tables drawn with ruling lines: a grid of horizontal and vertical rules, cells merged where a rule is missing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from cosee.adapter import geometry
from cosee.adapter.packed_columns import split_packed
from cosee.adapter.page_model import Fragment, TableFound, Vector, Word
from cosee.adapter.table_text import cell_text, superscript_words
from cosee.artifacts.base import BBox

THIN = 3.0
"""A rectangle thinner than this many points is a rule."""
TOUCH = 3.0
MAX_GRID = 20_000
"""Grids with more slots than this are drawings."""
MAX_CELL_WORDS = 200
MAX_RULES = 4_000


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line: ``at`` on its own axis, from ``start`` to ``end`` on the other."""

    at: float
    start: float
    end: float


def find_rules(vectors: list[Vector]) -> tuple[list[Rule], list[Rule]]:
    """Horizontal and vertical rules of a page, collinear pieces joined."""
    horizontal: list[Rule] = []
    vertical: list[Rule] = []
    for vector in vectors:
        x0, y0, x1, y1 = vector.bbox
        wide, high = x1 - x0, y1 - y0
        if not vector.rectangular:
            continue
        if high <= THIN and wide >= 6:
            horizontal.append(Rule((y0 + y1) / 2, x0, x1))
        elif wide <= THIN and high >= 4:
            vertical.append(Rule((x0 + x1) / 2, y0, y1))
        elif vector.stroked and wide >= 6 and high >= 6:
            horizontal += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
            vertical += [Rule(x0, y0, y1), Rule(x1, y0, y1)]
    return _joined(horizontal[:MAX_RULES]), _joined(vertical[:MAX_RULES])


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


def find_grids(horizontal: list[Rule], vertical: list[Rule], fragments: list[Fragment]) -> list[TableFound]:
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


def _read_grid(rows: list[Rule], columns: list[Rule], fragments: list[Fragment]) -> TableFound | None:
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
    texts, lines = _fill(cells, xs, ys, [fragments[n] for n in sorted(inside)])
    filled = sum(1 for text in texts.values() if text)
    if filled < 2 or filled < 0.3 * len(texts) or any(text.count(" ") > MAX_CELL_WORDS for text in texts.values()):
        return None
    held = [c for c in range(len(xs) - 1) if any(texts[row[c]] for row in cells)]
    cells = [[row[c] for c in held] for row in cells]
    cells = [row for r, row in enumerate(cells) if not r or row != cells[r - 1]]
    grid = [[texts[cell] for cell in row] for row in cells]
    grid = _split_unruled_rows(grid, cells, lines)
    grid = split_packed(compact(grid))
    if len(grid) < 2 or len(grid[0]) < 2:
        return None
    return TableFound(box, grid, inside, ruled=True)


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
        covered = sum(max(0.0, min(r.end, end) - max(r.start, start)) for r in rules if r.end > start)
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
) -> tuple[dict[int, str], dict[int, list[list[Word]]]]:
    """Text and text lines of each cell. Words go by their own centre: one fragment may reach over several cells."""
    words: dict[int, list[Word]] = {cell: [] for row in cells for cell in row}
    for fragment in inside:
        marks = superscript_words(fragment)
        for word in fragment.words:
            if word.bbox not in marks:
                row = _slot(ys, (word.bbox[1] + word.bbox[3]) / 2)
                words[cells[row][_slot(xs, (word.bbox[0] + word.bbox[2]) / 2)]].append(word)
    lines = {cell: _lines(found) for cell, found in words.items()}
    return {cell: cell_text(found) for cell, found in lines.items()}, lines


def _lines(words: list[Word]) -> list[list[Word]]:
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda w: ((w.bbox[1] + w.bbox[3]) / 2, w.bbox[0])):
        middle = (word.bbox[1] + word.bbox[3]) / 2
        if lines and lines[-1][0].bbox[1] <= middle <= lines[-1][0].bbox[3]:
            lines[-1].append(word)
        else:
            lines.append([word])
    return [sorted(line, key=lambda w: w.bbox[0]) for line in lines]


def _split_unruled_rows(
    grid: list[list[str]], cells: list[list[int]], lines: dict[int, list[list[Word]]]
) -> list[list[str]]:
    """Split a row between two rules whose cells hold several text lines on common baselines (only columns ruled)."""
    result: list[list[str]] = []
    slots = Counter(cell for row in cells for cell in row)
    for row, ids in zip(grid, cells, strict=True):
        own = [lines[cell] if slots[cell] == 1 else [] for cell in ids]
        counts = sorted((len(found) for found in own), reverse=True)
        if len(counts) < 2 or counts[1] < 3:
            result.append(row)
            continue
        longest = max(own, key=len)
        bases = [line[0].bbox[3] for line in longest]
        placed = [[_nearest(bases, line[0].bbox[3]) for line in found] for found in own]
        hits = [n is not None for found in placed for n in found]
        single = sum(1 for found in own if len(found) == len(longest))
        if sum(hits) < 0.9 * len(hits) or single < 2 or not _short_lines(own):
            result.append(row)
            continue
        for n in range(len(bases)):
            result.append(
                [
                    cell_text([line for line, place in zip(found, places, strict=True) if place == n])
                    for found, places in zip(own, placed, strict=True)
                ]
            )
    return result


def _nearest(bases: list[float], y: float) -> int | None:
    best = min(range(len(bases)), key=lambda n: abs(bases[n] - y))
    return best if abs(bases[best] - y) <= 3.0 else None


def _short_lines(cells: list[list[list[Word]]]) -> bool:
    """Whether most lines are too short to be wrapped prose."""
    counts = [len(line) for cell in cells for line in cell]
    return sum(1 for count in counts if count <= 4) >= 0.6 * len(counts)


def compact(grid: list[list[str]]) -> list[list[str]]:
    """Without empty rows and columns, and without a column that repeats its left neighbour throughout."""
    grid = [row for row in grid if any(row)]
    if not grid:
        return []
    keep = [
        c
        for c in range(len(grid[0]))
        if any(row[c] for row in grid) and not (c and all(row[c] == row[c - 1] for row in grid))
    ]
    grid = [[row[c] for c in keep] for row in grid]
    return [row for n, row in enumerate(grid) if not n or row != grid[n - 1] or len(set(row)) > 1]
