"""Finding tables on words and ruling lines: ruled grids, tables between horizontal rules, aligned columns."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import replace

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import Fragment, Rule, TableFound, Vector
from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import table_found, with_blocks_stacked
from cosee.parse.tables.columns import read_aligned
from cosee.parse.tables.grid import Grid, find_grids, levels_of
from cosee.parse.tables.packed_columns import split_packed
from cosee.parse.tables.rows import Row, rows_of, runs_of
from cosee.parse.tables.text import LEADER, header_row_count, is_numeric
from cosee.text.caption_words import NOTE


def find_ruled(
    fragments: list[Fragment], vectors: list[Vector], horizontal: list[Rule], vertical: list[Rule]
) -> list[TableFound]:
    """Tables that show in the page's rules; no two of them overlap."""
    found = [
        table_found(grid.bbox, with_blocks_stacked(split_packed(grid.rows)), grid.fragments, ruled=True)
        for grid in find_grids(horizontal, vertical, fragments)
        if not _holds_drawing(grid.bbox, fragments, vectors) and not _holds_columns(grid, fragments, horizontal)
    ]
    tables = _disjoint(found)
    taken = {n for table in tables for n in table.fragments}
    for table in _between_rules(fragments, horizontal, taken):
        most = thresholds.SHARED_WITH_OTHER * geometry.area(table.bbox)
        free = all(geometry.intersection(table.bbox, other.bbox) < most for other in tables)
        if free and not _holds_drawing(table.bbox, fragments, vectors):
            tables.append(table)
    return tables


def _holds_columns(grid: Grid, fragments: list[Fragment], rules: list[Rule]) -> bool:
    """Whether the cells of a grid hold columns that no rule divides: then it is read by alignment, as a whole."""
    rows = rows_of(fragments, sorted(grid.fragments))
    width = len(grid.rows[0])
    finer = sum(
        len(row.cells) > width and all(len(c.text.split()) <= thresholds.COMPLETE_CELL for c in row.cells)
        for row in rows
    )
    share = thresholds.FINER_ROWS if finer > thresholds.FEW_FINER else thresholds.FINER_FEW_ROWS
    if finer < max(thresholds.FEW_FINER, share * len(rows)) or len(rows) < len(grid.rows):
        return False
    aligned = read_aligned(rows, rules, framed=True)
    if aligned is None or len(aligned.rows) < len(grid.rows):
        return False
    return len(aligned.rows) * len(aligned.rows[0]) > len(grid.rows) * width


def _labelled_outside(fragments: list[Fragment], rows: list[Row], box: BBox) -> bool:
    """Whether the rules span only the value columns: most rows have a short label on their baseline left of the box."""
    right, bottom = box[0] + thresholds.LABEL_GAP, box[3] + thresholds.LABEL_GAP
    outside = [f for f in fragments if f.bbox[2] <= right and box[1] <= f.bbox[3] <= bottom and not f.hidden]
    labels = [[f for f in outside if abs(f.bbox[3] - row.bbox[3]) <= thresholds.LABEL_LEVEL] for row in rows]
    words = sorted(len(LEADER.sub(" ", f.text).split()) for found in labels for f in found)
    bare = sum(is_numeric(row.cells[0].text) for row in rows) >= thresholds.BARE_NUMBERS * len(rows)
    longest = thresholds.MAX_LABEL_OF_NUMBERS if bare else thresholds.MAX_OUTER_LABEL
    return sum(map(bool, labels)) >= thresholds.LABELLED_LINES * len(rows) and words[len(words) // 2] <= longest


def _holds_drawing(box: BBox, fragments: list[Fragment], vectors: list[Vector]) -> bool:
    """Whether a chart or drawing stands in a frame: slanted paths that are not all grounds of words, or filled
    rectangles without text."""
    largest = thresholds.MARK_SHARE * geometry.area(box)
    paths = [v for v in vectors if geometry.center_inside(v.bbox, box) and geometry.area(v.bbox) < largest]
    texts = [f.bbox for f in fragments if geometry.center_inside(f.bbox, box)]
    slanted = [v for v in paths if not v.rectangular and max(geometry.sides(v.bbox)) > thresholds.MIN_SLANTED]
    if len(slanted) >= thresholds.MIN_SLANTED_MARKS:
        words = [word.bbox for f in fragments for word in f.words if geometry.center_inside(word.bbox, box)]
        words.sort(key=_level)
        if not all(_is_ground_of_words(v, words) for v in slanted[: thresholds.MAX_MARKS]):
            return True
    rectangles = [v for v in paths if v.rectangular and not v.stroked and not _is_white(v.color)]
    filled = [v.bbox for v in rectangles if min(geometry.sides(v.bbox)) > thresholds.MIN_FILLED]
    filled = filled[: thresholds.MAX_MARKS]
    if len(filled) < thresholds.MIN_BARE:
        return False
    bare = sum(not any(geometry.overlap(box, text) for text in texts) for box in filled)
    per_text = max(thresholds.BARE_SHARE * len(filled), thresholds.BARE_PER_TEXT * len(texts))
    return bare >= max(thresholds.MIN_BARE, per_text)


def _is_ground_of_words(vector: Vector, words: list[BBox]) -> bool:
    """Whether a light fill is hardly higher than a word on it, as behind a piece of code or a mark. ``words`` are in
    the order of their middles."""
    light = vector.color & thresholds.LIGHT == thresholds.LIGHT
    least = geometry.height(vector.bbox) / thresholds.GROUND_OF_WORDS
    if vector.stroked or not light:
        return False
    first = bisect_left(words, vector.bbox[1], key=_level)
    last = bisect_right(words, vector.bbox[3], key=_level)
    return any(
        geometry.height(word) >= least and geometry.center_inside(word, vector.bbox) for word in words[first:last]
    )


def _level(box: BBox) -> float:
    return (box[1] + box[3]) / 2


def _is_white(color: int) -> bool:
    return color & thresholds.NEAR_WHITE == thresholds.NEAR_WHITE


def _disjoint(tables: list[TableFound]) -> list[TableFound]:
    """The tables from top to bottom, of those with common text the largest."""
    kept: list[TableFound] = []
    for table in sorted(tables, key=lambda t: -geometry.area(t.bbox)):
        if not any(table.fragments & other.fragments for other in kept):
            kept.append(table)
    return sorted(kept, key=lambda t: (t.bbox[1], t.bbox[0]))


def _between_rules(fragments: list[Fragment], horizontal: list[Rule], taken: set[int]) -> list[TableFound]:
    """Tables as books set them: a rule above, one below the header, one below the body, all of one extent."""
    long = [rule for rule in _with_broken_rules(horizontal) if rule.end - rule.start >= thresholds.MIN_FRAME_RULE]
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
        frames = [[rule]]
        for low in (long[m] for m in group[1:]):
            inside = _inside(fragments, free, middles, frames[-1][-1], low)
            if _is_no_part_of_table(fragments, inside, frames[-1][-1], low):
                frames.append([low])
            else:
                frames[-1].append(low)
        for frame in frames:
            if len(frame) >= thresholds.MIN_FRAME_RULES:
                inside = _inside(fragments, free, middles, frame[0], frame[-1])
                found += _framed(fragments, frame, horizontal, inside, taken)
    return _disjoint(found)


def _inside(fragments: list[Fragment], free: list[int], middles: list[float], top: Rule, bottom: Rule) -> list[int]:
    """The fragments of ``free`` (sorted by their ``middles``) that stand between two rules."""
    slack = thresholds.SLACK
    between = free[bisect_left(middles, top.at - slack) : bisect_right(middles, bottom.at + slack)]
    start, end = min(top.start, bottom.start) - slack, max(top.end, bottom.end) + slack
    return [n for n in between if start <= (fragments[n].bbox[0] + fragments[n].bbox[2]) / 2 <= end]


def _is_no_part_of_table(fragments: list[Fragment], inside: list[int], top: Rule, bottom: Rule) -> bool:
    """Whether what stands between two rules of one extent is no part of a table.

    That is running text, a note, text that reaches over the ends of the rules, or nothing at all.
    """
    boxes = [fragments[n].bbox for n in inside]
    width = bottom.end - bottom.start
    left = bottom.start + thresholds.WIDE_LINE_START * width
    wide = sum(geometry.width(box) > thresholds.WIDE_LINE * width and box[0] < left for box in boxes)
    start, end = bottom.start - thresholds.OVER_RULE, bottom.end + thresholds.OVER_RULE
    over = any(box[0] < start or box[2] > end for box in boxes)
    noted = any(NOTE.match(fragments[n].text) for n in inside)
    empty = not boxes and bottom.at - top.at > thresholds.MAX_EMPTY
    return over or noted or empty or (wide >= thresholds.MIN_WIDE_LINES and 2 * wide > len(boxes))


def _header_above(fragments: list[Fragment], rows: list[Row], box: BBox, taken: set[int]) -> list[Row]:
    """Rows of a header that stand above the topmost long rule, where the first row below it is data already."""
    first = next((row for row in rows[: thresholds.FIRST_ROWS] if row.tabular), rows[0])
    values = [cell.text for cell in first.cells[1:]]
    if not values or header_row_count([[cell.text for cell in row.cells] for row in [first] * 2]):
        return []
    if sum(map(is_numeric, values)) < thresholds.MOSTLY_NUMBERS * len(values):
        return []
    line = geometry.height(rows[0].bbox)
    height = thresholds.MAX_ROWS_ABOVE * thresholds.HEADER_LINE * line
    region = (box[0], box[1] - height, box[2], box[1] + thresholds.SLACK)
    above = [
        n
        for n, f in enumerate(fragments)
        if n not in taken and not f.hidden and not f.rotated and geometry.center_inside(f.bbox, region)
    ]
    header: list[Row] = []
    top = rows[0]
    values_from = rows[0].cells[0].bbox[0] + thresholds.INDENTED * geometry.width(box)
    left, right = box[0] - thresholds.OVER_RULE, box[2] + thresholds.OVER_RULE
    for row in reversed(rows_of(fragments, above)):
        over = [cell for cell in row.cells if cell.bbox[0] > values_from]
        near = top.bbox[1] - row.bbox[3] <= line and row.bbox[0] >= left and row.bbox[2] <= right
        short = all(len(cell.text) <= thresholds.MAX_NAME_ABOVE for cell in over)
        if not near or not short or len(over) < (1 if header else 2) or len(row.cells) > len(over) + 1:
            break
        header.insert(0, row)
        top = row
    return header[-thresholds.MAX_ROWS_ABOVE :]


def _with_broken_rules(horizontal: list[Rule]) -> list[Rule]:
    """The rules, and for rules broken at column gaps (at least three pieces at one height) the whole they make."""
    whole = []
    for level in levels_of(horizontal):
        level.sort(key=lambda rule: rule.start)
        close = all(b.start - a.end <= thresholds.MAX_RULE_GAP for a, b in zip(level, level[1:], strict=False))
        if len(level) >= thresholds.MIN_RULE_PIECES and close:
            whole.append(Rule(level[0].at, level[0].start, max(rule.end for rule in level)))
    return [*horizontal, *whole]


def _same_extent(one: Rule, other: Rule) -> bool:
    return max(abs(one.start - other.start), abs(one.end - other.end)) <= thresholds.SAME_EXTENT


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
    indent = box[0] + thresholds.INDENTED * geometry.width(box)
    if sum(row.tabular or row.bbox[0] >= indent for row in rows) < thresholds.TABULAR_LINES * len(rows):
        return []
    rows = _header_above(fragments, rows, box, taken) + rows
    runs = runs_of(rows, framed=True)
    if runs:
        if turned:
            runs[0] = [row for row in rows if row.bbox[3] <= runs[0][0].bbox[1]] + runs[0]
        runs[0] = _first_lines(rows, runs[0]) + runs[0]
        runs[-1] = runs[-1] + _last_lines(rows, runs[-1])
    tables = [read_aligned(run, horizontal, framed=True) for run in runs]
    return [replace(t, ruled=True) for t in tables if t is not None]


def _turned_names(fragments: list[Fragment], rules: list[Rule], box: BBox, taken: set[int]) -> dict[int, Fragment]:
    """Names of columns that are set slanted or upwards between a table's first two rules: each laid flat above the
    column that it starts at, on the line that they end at."""
    top, bottom = rules[0].at - thresholds.TURNED_MARGIN, rules[1].at + thresholds.TURNED_MARGIN
    names = [
        n
        for n, f in enumerate(fragments)
        if f.rotated and not f.hidden and n not in taken
        if top <= f.bbox[1] and f.bbox[3] <= bottom and box[0] <= f.bbox[0] <= box[2]
    ]
    if len(names) < thresholds.MIN_TURNED:
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
    for row in rows[last + 1 : last + 1 + thresholds.MAX_LAST_LINES]:
        above = below[-1] if below else run[-1]
        if row.tabular or not _are_lines_of_cell(above, row, geometry.height(row.bbox)):
            break
        below.append(row)
    return below if last + 1 + len(below) == len(rows) else []


def _first_lines(rows: list[Row], run: list[Row]) -> list[Row]:
    """Lines right above the run, inside the frame: the first lines of a name that is longer than the others."""
    first = next(n for n, row in enumerate(rows) if row is run[0])
    above: list[Row] = []
    for row in reversed(rows[max(0, first - thresholds.MAX_FIRST_LINES) : first]):
        below = above[0] if above else run[0]
        short = not row.tabular and len(row.cells[0].text) <= thresholds.MAX_NAME_ABOVE
        if not short or not _are_lines_of_cell(row, below, geometry.height(row.bbox)):
            break
        above.insert(0, row)
    return above


def _are_lines_of_cell(upper: Row, lower: Row, line: float) -> bool:
    return lower.bbox[1] - upper.bbox[3] <= thresholds.LINE_OF_CELL * line
