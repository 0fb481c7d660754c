"""Header rows of a table from its header lines: wrapped names whole, names over several columns as one cell."""

from __future__ import annotations

from dataclasses import dataclass

from cosee import geometry
from cosee.parse.pdf.page_model import Rule
from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import Slots, TableCell, cells_in, joined_cells
from cosee.parse.tables.text import UNITS, is_value

Columns = list[tuple[float, float]]
"""Horizontal intervals of the columns."""


@dataclass(slots=True, eq=False)
class _Name:
    """A header cell in the making: its columns, and its row from the top."""

    cell: TableCell
    columns: set[int]
    level: int


def header_lines(lines: list[Slots], across: list[float]) -> int:
    """Number of lines that name columns: those above the first line of data, lines of labels right above it left out.

    A rule ``across`` the table ends the header before a line with a label. Without much data in numbers it is what
    stands above the first such rule, if any.
    """
    data = [n for n, line in enumerate(lines) if _is_data(line)]
    tops = [min((cell.bbox[1] + cell.bbox[3]) / 2 for cell in cells_in(line)) for line in lines]
    above = sorted(sum(1 for top in tops if top < at) for at in across)
    most = thresholds.MAX_HEADER_LINES
    if not data or data[0] > most or len(data) < thresholds.MIN_DATA_LINES * (len(lines) - data[0]):
        return next((count for count in above if 0 < count <= min(most, len(lines) - 2)), 0)
    ruled = max((count for count in above if count <= data[0]), default=0)
    if ruled and any(line[0] is not None for line in lines[ruled : data[0]]):
        return ruled
    count = next((n for n in range(1, data[0]) if _opens_body(lines[n], lines[:n])), data[0])
    while count and not any(cell is not None for cell in lines[count - 1][1:]):
        count -= 1
    return count


def _opens_body(line: Slots, above: list[Slots]) -> bool:
    """Whether the line starts with a label of its own below a line that names most columns, the labels' too."""
    most = thresholds.NAMED_COLUMNS * len(line)
    named = any(row[0] is not None and len(row) - row.count(None) >= most for row in above)
    short = len(line) - line.count(None) < thresholds.LABEL_LINE * len(line)
    return named and short and line[0] is not None and line[0].text[0].isupper()


def _is_data(line: Slots) -> bool:
    values = [cell.text for cell in cells_in(line[1:])]
    numbers = sum(map(is_value, values))
    return numbers > 0 and numbers >= thresholds.MOSTLY_NUMBERS * len(values)


def read_header(lines: list[Slots], columns: Columns, rules: list[Rule]) -> list[Slots]:
    """The header's rows; a name with nothing below or beside it reaches over the rows left."""
    names: list[_Name] = []
    for n, line in enumerate(lines):
        cells = [(cell, {c for c, other in enumerate(line) if other is cell}) for cell in cells_in(line)]
        cells = _columns_of_names(cells, lines[n + 1 :], columns, rules)
        lowest = {column: name for name in names for column in name.columns}
        above = [
            list({id(name): name for c in sorted(covered) if (name := lowest.get(c))}.values()) for _, covered in cells
        ]
        for (cell, covered), over in zip(cells, above, strict=True):
            shared = sum(1 for other in above if over and over[0] in other)
            if len(over) == 1 and shared == 1 and _is_next_line(over[0], cell, covered, rules):
                name = over[0]
                name.cell = joined_cells(name.cell, cell) or cell
                name.columns |= covered
            else:
                level = 1 + max((name.level for name in over), default=-1)
                names.append(_Name(cell, covered, level))
    return _rows(names, len(columns))


def _is_next_line(name: _Name, cell: TableCell, covered: set[int], rules: list[Rule]) -> bool:
    """Whether ``cell`` is the next line of ``name``: right below it, no rule between, over the same middle."""
    above, below = name.cell.bbox, cell.bbox
    line = geometry.height(below)
    if below[1] - above[3] > thresholds.NEXT_LINE * line:
        return False
    left, right = max(above[0], below[0]), min(above[2], below[2])
    overlap, least = thresholds.RULE_BETWEEN * line, thresholds.RULE_SHARE * (right - left)
    between = [r for r in rules if above[3] - overlap <= r.at <= below[1] + overlap]
    if any(min(r.end, right) - max(r.start, left) >= least for r in between):
        return False
    if name.columns == covered:
        return True
    middles = abs((above[0] + above[2]) - (below[0] + below[2])) / 2
    return middles <= thresholds.SAME_MIDDLE * line or abs(above[0] - below[0]) <= thresholds.SAME_START


def _columns_of_names(
    cells: list[tuple[TableCell, set[int]]], below: list[Slots], columns: Columns, rules: list[Rule]
) -> list[tuple[TableCell, set[int]]]:
    """The columns of each name: those over a rule right below it, else those whose common middle it stands on."""
    named = {c for line in below for c, cell in enumerate(line) if cell is not None}
    shares = _equal_shares([cell for cell, covered in cells if 0 not in covered], below, columns, rules)
    spread = []
    for n, (cell, covered) in enumerate(cells):
        first = max(cells[n - 1][1]) + 1 if n else 0
        last = min(cells[n + 1][1]) - 1 if n + 1 < len(cells) else len(columns) - 1
        under = _over_rule(cell, [other for other, _ in cells], columns, rules)
        if under and under >= covered and first <= min(under) and max(under) <= last:
            spread.append((cell, under))
        elif id(cell) in shares:
            spread.append((cell, shares[id(cell)]))
        else:
            spread.append((cell, _centred(cell, covered, range(max(first, 1), last + 1), columns, named)))
    return spread


def _equal_shares(
    names: list[TableCell], below: list[Slots], columns: Columns, rules: list[Rule]
) -> dict[int, set[int]]:
    """The columns of each name by its ``id`` where the names share all value columns equally, each over its middle;
    the columns before these are of labels.

    One name over all columns may also be the first line of a longer name; dates and numbers below tell it is none.
    """
    if len(names) == 1 and UNITS.match(names[0].text):
        return {id(names[0]): set(range(1, len(columns)))}
    if not names or not below or any(cell is None for cell in below[0][1:]):
        return {}
    if len(names) == 1 and not all(any(map(str.isdigit, cell.text)) for cell in cells_in(below[0][1:])):
        return {}
    for labels in range(1, thresholds.MAX_LABEL_COLUMNS + 1 if len(names) > 1 else 2):
        share, rest = divmod(len(columns) - labels, len(names))
        if share >= 2 and not rest and (shares := _equal_share_of_each(names, labels, share, columns, rules)):
            return shares
    return {}


def _equal_share_of_each(
    names: list[TableCell], labels: int, share: int, columns: Columns, rules: list[Rule]
) -> dict[int, set[int]]:
    """``share`` columns for each name, behind the columns of labels; none where a name is not over their middle."""
    shares: dict[int, set[int]] = {}
    for n, name in enumerate(names):
        first, last = labels + n * share, labels + (n + 1) * share - 1
        middle = _middle(name.bbox[0], name.bbox[2])
        off = abs(_middle(columns[first][0], columns[last][1]) - middle)
        own = min(abs(_middle(*column) - middle) for column in columns)
        pitch = _pitch(columns, first)
        if off > min(own + thresholds.OFF_MIDDLE, thresholds.OFF_PITCH * pitch) and not (
            off <= thresholds.OFF_PITCH_RULED * pitch and _is_underlined(name, columns[first : last + 1], rules)
        ):
            return {}
        shares[id(name)] = set(range(first, last + 1))
    return shares


def _rules_below(name: TableCell, rules: list[Rule]) -> list[Rule]:
    """The rules that are right below the name's text."""
    foot, line = name.bbox[3], geometry.height(name.bbox)
    return [r for r in rules if foot - thresholds.RULE_ABOVE * line <= r.at <= foot + thresholds.RULE_BELOW * line]


def _is_underlined(name: TableCell, columns: Columns, rules: list[Rule]) -> bool:
    """Whether rules, be they one or a piece for each column, run below the name under all ``columns``."""
    below = _rules_below(name, rules)
    return all(any(r.start <= _middle(*column) <= r.end for r in below) for column in columns)


def _over_rule(cell: TableCell, names: list[TableCell], columns: Columns, rules: list[Rule]) -> set[int]:
    """The columns over the rule right below ``cell``; where several names share the rule, those nearest to ``cell``."""
    ends = thresholds.RULE_ENDS
    for rule in _rules_below(cell, rules):
        if rule.start > cell.bbox[0] + ends or rule.end < cell.bbox[2] - ends:
            continue
        own = _middle(cell.bbox[0], cell.bbox[2])
        sharing = [own, *(_middle(b[0], b[2]) for b in (name.bbox for name in names) if rule.start <= b[2] <= rule.end)]
        over = {n for n, (x0, x1) in enumerate(columns) if rule.start - ends <= _middle(x0, x1) <= rule.end + ends}
        if len(over) == len(columns):
            continue
        over = {n for n in over if min(sharing, key=lambda x: abs(x - _middle(*columns[n]))) == own}
        if len(over) >= 2:
            return over
    return set()


def _middle(start: float, end: float) -> float:
    return (start + end) / 2


def _centred(cell: TableCell, covered: set[int], free: range, columns: Columns, named: set[int]) -> set[int]:
    """The columns whose common middle is the middle of ``cell``, where that is not the middle of its own column."""
    if 0 in covered:
        return covered
    middle = _middle(cell.bbox[0], cell.bbox[2])

    def error(first: int, last: int) -> float:
        return abs(_middle(columns[first][0], columns[last][1]) - middle)

    start, end = columns[min(covered)][0], columns[max(covered)][1]
    own = error(min(covered), max(covered))
    flush = min(abs(cell.bbox[0] - start), abs(cell.bbox[2] - end)) <= thresholds.COLUMN_EDGE
    if flush or own <= thresholds.OWN_MIDDLE * _pitch(columns, max(covered)):
        return covered
    best, chosen = thresholds.BETTER_MIDDLE * own, covered
    for first in free:
        for last in range(first + 1, free.stop):
            span = set(range(first, last + 1))
            if covered <= span and span <= named and error(first, last) < best:
                best, chosen = error(first, last), span
    return chosen


def _pitch(columns: Columns, column: int) -> float:
    """Distance from the middle of a column to the next one's."""
    middles = [_middle(*column) for column in columns]
    others = [abs(middles[column] - middles[n]) for n in (column - 1, column + 1) if 0 <= n < len(columns)]
    return min(others)


def _rows(names: list[_Name], width: int) -> list[Slots]:
    height = 1 + max(name.level for name in names)
    grid: list[Slots] = [[None] * width for _ in range(height)]
    for name in names:
        below = [other.level for other in names if other.level > name.level and other.columns & name.columns]
        for level in range(name.level, min(below, default=height)):
            for column in sorted(name.columns):
                grid[level][column] = grid[level][column] or name.cell
    return grid
