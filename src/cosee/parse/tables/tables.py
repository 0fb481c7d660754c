"""Finding tables on words and ruling lines: ruled grids, tables between horizontal rules, aligned columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import Fragment, Rule, TableFound, Vector
from cosee.parse.tables.cells import table_found, unfolded
from cosee.parse.tables.columns import read_aligned
from cosee.parse.tables.grid import Grid, find_grids
from cosee.parse.tables.packed_columns import split_packed
from cosee.parse.tables.rows import Row, rows_of, runs_of
from cosee.parse.tables.text import LEADER, header_row_count, is_numeric
from cosee.text.caption_words import NOTE

MAX_MARKS = 300
MAX_BREAK = 100.0
"""Widest gap in points between the pieces of one broken rule."""
MAX_HEADER = 5
"""Header rows looked for above a table's first rule."""
MAX_LAST = 6
"""Lines that the last row of a framed table may go on for in one column."""
MAX_EMPTY = 10.0
"""Most points between two rules of a table without text between them."""
MIN_TURNED = 2
"""Slanted or upright texts above a table that are names of its columns."""
MIN_RULE = 80.0
"""Shortest rule in points that frames a table from above and below."""


def find_ruled(
    fragments: list[Fragment], vectors: list[Vector], horizontal: list[Rule], vertical: list[Rule]
) -> list[TableFound]:
    """Tables that show in the page's rules; no two of them overlap."""
    found = [
        table_found(grid.bbox, unfolded(split_packed(grid.rows)), grid.fragments, ruled=True)
        for grid in find_grids(horizontal, vertical, fragments)
        if not _drawn_in(grid.bbox, fragments, vectors) and not _holds_columns(grid, fragments, horizontal)
    ]
    tables = _disjoint(found)
    taken = {n for table in tables for n in table.fragments}
    for table in _between_rules(fragments, horizontal, taken):
        if not _drawn_in(table.bbox, fragments, vectors) and all(
            geometry.intersection(table.bbox, other.bbox) < 0.2 * geometry.area(table.bbox) for other in tables
        ):
            tables.append(table)
    return tables


def _holds_columns(grid: Grid, fragments: list[Fragment], rules: list[Rule]) -> bool:
    """Whether the cells of a grid hold columns that no rule divides: then it is read by alignment, as a whole."""
    rows = rows_of(fragments, sorted(grid.fragments))
    width = len(grid.rows[0])
    finer = sum(1 for row in rows if len(row.cells) > width and all(len(c.text.split()) <= 8 for c in row.cells))
    if finer < 2 or finer < (0.4 if finer > 2 else 0.8) * len(rows) or len(rows) < len(grid.rows):
        return False
    aligned = read_aligned(rows, rules, framed=True)
    if aligned is None or len(aligned.rows) < len(grid.rows):
        return False
    return len(aligned.rows) * len(aligned.rows[0]) > len(grid.rows) * width


def _labelled_outside(fragments: list[Fragment], rows: list[Row], box: BBox) -> bool:
    """Whether the rules span only the value columns: most rows have a short label on their baseline left of the box."""
    labels = [f for f in fragments if f.bbox[2] <= box[0] + 2 and box[1] <= f.bbox[3] <= box[3] + 2 and not f.hidden]
    partners = [[f for f in labels if abs(f.bbox[3] - row.bbox[3]) <= 2.5] for row in rows]
    words = sorted(len(LEADER.sub(" ", f.text).split()) for found in partners for f in found)
    bare = sum(1 for row in rows if is_numeric(row.cells[0].text)) >= 0.6 * len(rows)
    longest = 14 if bare else 5
    return sum(1 for found in partners if found) >= 0.5 * len(rows) and words[len(words) // 2] <= longest


def _drawn_in(box: BBox, fragments: list[Fragment], vectors: list[Vector]) -> bool:
    """Whether marks of a chart or drawing stand in a frame: slanted paths, or filled rectangles without text."""
    marks = [
        v for v in vectors if geometry.center_inside(v.bbox, box) and geometry.area(v.bbox) < 0.5 * geometry.area(box)
    ]
    slanted = sum(1 for v in marks if not v.rectangular and max(geometry.sides(v.bbox)) > 12)
    filled = [
        v for v in marks if v.rectangular and not v.stroked and min(geometry.sides(v.bbox)) > 4 and not _white(v.color)
    ]
    if slanted >= 3 or len(filled) < 3:
        return slanted >= 3
    filled = filled[:MAX_MARKS]
    texts = [f.bbox for f in fragments if geometry.center_inside(f.bbox, box)]
    bare = sum(1 for v in filled if not any(geometry.overlap(v.bbox, text) for text in texts))
    return bare >= 3 and bare >= 0.5 * len(filled) and bare >= 0.25 * len(texts)


def _white(color: int) -> bool:
    return color & 0xF0F0F0 == 0xF0F0F0


def _disjoint(tables: list[TableFound]) -> list[TableFound]:
    kept: list[TableFound] = []
    for table in sorted(tables, key=lambda t: -geometry.area(t.bbox)):
        if not any(table.fragments & other.fragments for other in kept):
            kept.append(table)
    return sorted(kept, key=lambda t: (t.bbox[1], t.bbox[0]))


def _between_rules(fragments: list[Fragment], horizontal: list[Rule], taken: set[int]) -> list[TableFound]:
    """Tables of the bookish kind: a rule above, one below the header, one below the body, all of one extent."""
    long = [rule for rule in _with_broken(horizontal) if rule.end - rule.start >= MIN_RULE]
    long.sort(key=lambda rule: (rule.at, rule.start))
    free = sorted(
        (n for n, f in enumerate(fragments) if n not in taken and not f.hidden and not f.rotated),
        key=lambda n: fragments[n].bbox[1] + fragments[n].bbox[3],
    )
    middles = [(fragments[n].bbox[1] + fragments[n].bbox[3]) / 2 for n in free]
    found: list[TableFound] = []
    used: set[int] = set()
    for n, rule in enumerate(long):
        if n in used:
            continue
        group = [m for m in range(n, len(long)) if _same_extent(rule, long[m])]
        used.update(group)
        frame = [rule]
        for low in [*(long[m] for m in group[1:]), None]:
            inside = _inside(fragments, free, middles, frame[-1], low) if low is not None else []
            if low is not None and not _is_text(fragments, inside, frame[-1], low):
                frame.append(low)
                continue
            if len(frame) >= 3:
                inside = _inside(fragments, free, middles, frame[0], frame[-1])
                found += _framed(fragments, frame, horizontal, inside, taken)
            frame = [low] if low is not None else []
    return _disjoint(found)


def _inside(fragments: list[Fragment], free: list[int], middles: list[float], top: Rule, bottom: Rule) -> list[int]:
    """The fragments of ``free`` (sorted by their ``middles``) that stand between two rules."""
    between = free[bisect_left(middles, top.at - 1.0) : bisect_right(middles, bottom.at + 1.0)]
    start, end = min(top.start, bottom.start) - 1.0, max(top.end, bottom.end) + 1.0
    return [n for n in between if start <= (fragments[n].bbox[0] + fragments[n].bbox[2]) / 2 <= end]


def _is_text(fragments: list[Fragment], inside: list[int], top: Rule, bottom: Rule) -> bool:
    """Whether what stands between two rules of one extent is no part of a table.

    That is running text, a note, text that reaches over the ends of the rules, or nothing at all.
    """
    boxes = [fragments[n].bbox for n in inside]
    width = bottom.end - bottom.start
    wide = sum(1 for box in boxes if geometry.width(box) > 0.7 * width and box[0] < bottom.start + 0.1 * width)
    over = any(box[0] < bottom.start - 6 or box[2] > bottom.end + 6 for box in boxes)
    noted = any(NOTE.match(fragments[n].text) for n in inside)
    empty = not boxes and bottom.at - top.at > MAX_EMPTY
    return over or noted or empty or (wide >= 2 and 2 * wide > len(boxes))


def _header_above(fragments: list[Fragment], rows: list[Row], box: BBox, taken: set[int]) -> list[Row]:
    """Rows of a header that stand above the topmost long rule, where the first row below it is data already."""
    first = next((row for row in rows[:4] if row.tabular), rows[0])
    values = [cell.text for cell in first.cells[1:]]
    if not values or header_row_count([[cell.text for cell in row.cells] for row in [first] * 2]):
        return []
    if sum(map(is_numeric, values)) < 0.5 * len(values):
        return []
    line = geometry.height(rows[0].bbox)
    region = (box[0], box[1] - MAX_HEADER * 1.6 * line, box[2], box[1] + 1.0)
    above = [
        n
        for n, f in enumerate(fragments)
        if n not in taken and not f.hidden and not f.rotated and geometry.center_inside(f.bbox, region)
    ]
    header: list[Row] = []
    top = rows[0]
    for row in reversed(rows_of(fragments, above)):
        over = [cell for cell in row.cells if cell.bbox[0] > rows[0].cells[0].bbox[0] + 0.25 * geometry.width(box)]
        near = top.bbox[1] - row.bbox[3] <= line and row.bbox[0] >= box[0] - 6 and row.bbox[2] <= box[2] + 6
        short = all(len(cell.text) <= 40 for cell in over)
        if not near or not short or len(over) < (1 if header else 2) or len(row.cells) > len(over) + 1:
            break
        header.insert(0, row)
        top = row
    return header[-MAX_HEADER:]


def _with_broken(horizontal: list[Rule]) -> list[Rule]:
    """The rules, and for rules broken at column gaps (at least three pieces at one height) the whole they make."""
    levels: list[list[Rule]] = []
    for rule in horizontal:
        if levels and rule.at - levels[-1][0].at <= 1.5:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    whole = []
    for level in levels:
        level.sort(key=lambda rule: rule.start)
        close = all(b.start - a.end <= MAX_BREAK for a, b in zip(level, level[1:], strict=False))
        if len(level) >= 3 and close:
            whole.append(Rule(level[0].at, level[0].start, max(rule.end for rule in level)))
    return [*horizontal, *whole]


def _same_extent(one: Rule, other: Rule) -> bool:
    return abs(one.start - other.start) <= 4 and abs(one.end - other.end) <= 4


def _framed(
    fragments: list[Fragment], rules: list[Rule], horizontal: list[Rule], inside: list[int], taken: set[int]
) -> list[TableFound]:
    """Tables between the first and the last of ``rules``; none when running text stands there as well."""
    top, bottom = rules[0], rules[-1]
    box = (min(top.start, bottom.start), top.at, max(top.end, bottom.end), bottom.at)
    if not inside:
        return []
    turned = _turned_names(fragments, rules, box, taken)
    laid = [turned.get(n, fragment) for n, fragment in enumerate(fragments)] if turned else fragments
    rows = rows_of(laid, [*inside, *turned])
    if _labelled_outside(fragments, rows, box):
        return []
    inner = box[0] + 0.25 * geometry.width(box)
    if sum(1 for row in rows if row.tabular or row.bbox[0] >= inner) < 0.6 * len(rows):
        return []
    rows = _header_above(fragments, rows, box, taken) + rows
    runs = runs_of(rows, framed=True)
    if runs:
        if turned:
            runs[0] = [row for row in rows if row.bbox[3] <= runs[0][0].bbox[1]] + runs[0]
        runs[0] = _stub_lines(rows, runs[0]) + runs[0]
        runs[-1] = runs[-1] + _last_lines(rows, runs[-1])
    tables = [read_aligned(run, horizontal, framed=True) for run in runs]
    return [replace(t, ruled=True) for t in tables if t is not None]


def _turned_names(fragments: list[Fragment], rules: list[Rule], box: BBox, taken: set[int]) -> dict[int, Fragment]:
    """Names of columns that are set slanted or upwards between a table's first two rules: each laid flat above the
    column that it starts at, on the line that they end at."""
    top, bottom = rules[0].at - 2, rules[1].at + 2
    names = [
        n
        for n, f in enumerate(fragments)
        if f.rotated and not f.hidden and n not in taken
        if top <= f.bbox[1] and f.bbox[3] <= bottom and box[0] <= f.bbox[0] <= box[2]
    ]
    if len(names) < MIN_TURNED:
        return {}
    foot = max(fragments[n].bbox[3] for n in names)
    return {n: _laid_flat(fragments[n], foot) for n in names}


def _laid_flat(fragment: Fragment, foot: float) -> Fragment:
    start, size = fragment.bbox[0], fragment.size
    place = (start, foot - size, start + min(geometry.width(fragment.bbox), size), foot)
    return Fragment(place, [span.model_copy(update={"bbox": place}) for span in fragment.spans])


def _last_lines(rows: list[Row], run: list[Row]) -> list[Row]:
    """Lines right below the run, inside the frame: the last lines of its last row."""
    last = next(n for n, row in enumerate(rows) if row is run[-1])
    below: list[Row] = []
    for row in rows[last + 1 : last + 1 + MAX_LAST]:
        above = below[-1] if below else run[-1]
        if row.tabular or row.bbox[1] - above.bbox[3] > 0.7 * geometry.height(row.bbox):
            break
        below.append(row)
    return below if last + 1 + len(below) == len(rows) else []


def _stub_lines(rows: list[Row], run: list[Row]) -> list[Row]:
    """Lines right above the run, inside the frame: the first lines of a name that is longer than the others."""
    first = next(n for n, row in enumerate(rows) if row is run[0])
    above: list[Row] = []
    for row in reversed(rows[max(0, first - 3) : first]):
        below = above[0] if above else run[0]
        if row.tabular or len(row.cells[0].text) > 40 or below.bbox[1] - row.bbox[3] > 0.7 * geometry.height(row.bbox):
            break
        above.insert(0, row)
    return above
