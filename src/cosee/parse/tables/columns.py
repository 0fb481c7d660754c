"""Tables without vertical rules: rows of cells that line up in columns."""

from __future__ import annotations

from collections import Counter

from cosee import geometry
from cosee.parse.pdf.page_model import Fragment, Rule, TableFound, Word
from cosee.parse.tables.cells import Slots, TableCell, cells_in, compact, joined_cells, table_found, unfolded
from cosee.parse.tables.header import Columns, header_lines, read_header
from cosee.parse.tables.lines import join_lines
from cosee.parse.tables.packed_columns import split_packed
from cosee.parse.tables.rows import Cell, Row, is_marker, rows_of, runs_of
from cosee.parse.tables.text import is_numeric, is_text_rule, is_year

CLOSE = 12.0
"""Points between two columns that may be one whose numbers are not set flush."""
MIN_PARTED = 6
"""Rows from which on a gap that some cells run over can part two columns."""
WORD_SPACE = 0.5
"""A gap of this many font sizes between words of one piece of text may be the gap between two columns."""


def find_aligned(fragments: list[Fragment], indexes: list[int], rules: list[Rule]) -> list[TableFound]:
    """Borderless tables among the fragments of one column of the page; ``rules`` are its horizontal ones."""
    tables = []
    for run in runs_of(rows_of(fragments, indexes)):
        table = read_aligned(run, rules)
        if table is not None:
            table.fragments |= {
                n
                for n in indexes
                if geometry.center_inside(fragments[n].bbox, table.bbox) and is_text_rule(fragments[n].text)
            }
            tables.append(table)
    return tables


def read_aligned(rows: list[Row], rules: list[Rule], *, framed: bool = False) -> TableFound | None:
    """The rows as a table when their cells line up; ``framed`` relaxes the evidence (rules above and below)."""
    tabular = [row for row in rows if row.tabular]
    if len(tabular) < 2:
        return None
    columns = _columns(tabular)
    if len(columns) < 2:
        return None
    lines, columns = _headed(*_complementary([_place(row, columns) for row in rows], columns))
    box = geometry.union(row.bbox for row in rows)
    header, grid = _grid(lines, columns, _inside(rules, box))
    texts = [[cell.text if cell is not None else "" for cell in row] for row in grid]
    bridged = not framed and _bridged(grid[header:])
    if bridged or not _plausible(texts, header, tabular, framed) or _contents(texts, rows):
        return None
    used = {i for row in rows for cell in row.cells for i in cell.fragments}
    return table_found(box, unfolded(split_packed(grid)), used)


def _inside(rules: list[Rule], box: tuple[float, float, float, float]) -> list[Rule]:
    return [r for r in rules if box[1] - 2 <= r.at <= box[3] + 2 and r.start < box[2] and r.end > box[0]]


def _grid(lines: list[Slots], columns: Columns, rules: list[Rule]) -> tuple[int, list[Slots]]:
    """The number of header rows, and all rows: names of columns whole, wrapped lines joined."""
    left, right = columns[0][0], columns[-1][1]
    across = [r.at for r in rules if min(r.end, right) - max(r.start, left) >= 0.8 * (right - left)]
    header = header_lines(lines, across)
    named = read_header(lines[:header], columns, rules) if header else []
    return len(named), compact([*named, *join_lines(lines[header:], across)])


def _columns(rows: list[Row]) -> Columns:
    """Horizontal intervals that the cells of most rows keep to, from a coverage count per point.

    Between two columns hardly a cell stands, or half of the rows have their gap and not half as many a cell there:
    names of groups and totals that run over both.
    """
    boxes = [cell.bbox for row in rows for cell in row.cells]
    origin = min(box[0] for box in boxes)
    size = int(max(box[2] for box in boxes) - origin) + 3
    change = [0] * (size + 1)
    for box in boxes:
        change[int(box[0] - origin + 0.5)] += 1
        change[min(int(box[2] - origin + 0.5) + 1, size)] -= 1
    opened = [0] * (size + 1)
    for row in rows:
        for left, right in zip(row.cells, row.cells[1:], strict=False):
            opened[min(int(left.bbox[2] - origin + 0.5) + 1, size)] += 1
            opened[int(right.bbox[0] - origin + 0.5)] -= 1
    tolerated = -(-len(rows) * 12 // 100) if len(rows) >= 3 else 0
    columns: Columns = []
    count, apart, start = 0, 0, None
    for x in range(size):
        count += change[x]
        apart += opened[x]
        parted = len(rows) >= MIN_PARTED and 2 * apart >= len(rows) and 2 * count <= apart
        if count > tolerated and not parted and start is None:
            start = x
        elif (count <= tolerated or parted) and start is not None:
            columns.append((origin + start, origin + x))
            start = None
    if start is not None:
        columns.append((origin + start, origin + size))
    for box in boxes:
        if not any(box[0] < c[1] and box[2] > c[0] for c in columns):
            columns.append((box[0], box[2]))
    return _merged(columns)


def _merged(columns: Columns) -> Columns:
    merged: Columns = []
    for start, end in sorted(columns):
        sliver = bool(merged) and min(end - start, merged[-1][1] - merged[-1][0]) < 4.0 and start - merged[-1][1] <= 2.0
        if merged and (start < merged[-1][1] or sliver):
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _place(row: Row, columns: Columns) -> Slots:
    """The row's cells by column; a cell over the centres of several columns stands in each."""
    slots: Slots = [None] * len(columns)
    for whole in row.cells:
        for cell in _parts(whole, columns):
            x0, _, x1, _ = cell.bbox
            covered = [n for n, c in enumerate(columns) if x0 <= (c[0] + c[1]) / 2 <= x1]
            if len(covered) < 2 or (len(row.cells) == 1 and 0 in covered):
                covered = [max(range(len(columns)), key=lambda n: min(columns[n][1], x1) - max(columns[n][0], x0))]
            placed: dict[int, TableCell | None] = {}
            for n in covered:
                key = id(slots[n])
                placed[key] = placed.get(key) or joined_cells(slots[n], cell)
                slots[n] = placed[key]
    return slots


def _parts(cell: Cell, columns: Columns) -> list[TableCell]:
    """A cell cut where wide spaces fall between two columns."""
    covered = [c for c in columns if c[0] < cell.bbox[2] - 1 and c[1] > cell.bbox[0] + 1]
    words = cell.words
    if len(covered) < 2 or len(words) < 2 or len("".join(w.text for w in words)) < len("".join(cell.text.split())):
        return [TableCell(cell.text, cell.bbox)]
    parts: list[list[Word]] = [[words[0]]]
    gaps = [b.bbox[0] - a.bbox[2] for a, b in zip(words, words[1:], strict=False)]
    wide = WORD_SPACE * cell.size
    if not all(is_numeric(word.text) for word in words):
        wide = max(wide, 1.3 * min(gaps))
    for last, word, gap in zip(words, words[1:], gaps, strict=False):
        if gap >= wide and _column_at(last, columns) < _column_at(word, columns):
            parts.append([word])
        else:
            parts[-1].append(word)
    if len(parts) == 1:
        return [TableCell(cell.text, cell.bbox)]
    return [TableCell(" ".join(w.text for w in part), geometry.union(w.bbox for w in part)) for part in parts]


def _column_at(word: Word, columns: Columns) -> int:
    return max(range(len(columns)), key=lambda n: min(columns[n][1], word.bbox[2]) - max(columns[n][0], word.bbox[0]))


def _complementary(lines: list[Slots], columns: Columns) -> tuple[list[Slots], Columns]:
    """Close columns of numbers of which no row fills both are one (percentages set beyond the amounts above them)."""
    for n in range(len(columns) - 1, 1, -1):
        pairs = [(line[n - 1], line[n]) for line in lines]
        both = any(a is not None and b is not None and a is not b for a, b in pairs)
        counts = [sum(_is_value(pair[side]) for pair in pairs) for side in (0, 1)]
        if not both and min(counts) and columns[n][0] - columns[n - 1][1] < CLOSE:
            lines = [_joined_columns(line, n, n - 1) for line in lines]
            columns = [*columns[: n - 1], (columns[n - 1][0], columns[n][1]), *columns[n + 1 :]]
    return lines, columns


def _headed(lines: list[Slots], columns: Columns) -> tuple[list[Slots], Columns]:
    """Put names over their values: a column that only header rows fill joins a neighbour that they leave empty."""
    data = next((n for n, line in enumerate(lines) if any(_is_value(cell) for cell in line[1:])), 0)
    for column in range(len(lines[0]) - 1, 0, -1):
        named = [n for n in range(data) if lines[n][column]]
        if not named or any(line[column] for line in lines[data:]):
            continue
        for other in (column + 1, column - 1):
            if (
                0 < other < len(lines[0])
                and not any(lines[n][other] not in (None, lines[n][column]) for n in named)
                and any(line[other] for line in lines[data:])
            ):
                lines = [_joined_columns(line, column, other) for line in lines]
                columns = [c for n, c in enumerate(columns) if n != column]
                break
    return lines, columns


def _is_value(cell: TableCell | None) -> bool:
    return cell is not None and is_numeric(cell.text) and not is_year(cell.text)


def _joined_columns(line: Slots, column: int, other: int) -> Slots:
    line = list(line)
    line[other] = line[other] or line[column]
    del line[column]
    return line


def _plausible(grid: list[list[str]], header: int, tabular: list[Row], framed: bool) -> bool:
    if not grid:
        return False
    columns = len(grid[0])
    full = [row for row in grid if sum(1 for text in row if text) >= 2]
    if len(full) < 2 or len(full) < 0.4 * len(grid):
        return False
    cells = [text for row in full for text in row if text]
    words = sum(text.count(" ") + 1 for text in cells) / len(cells)
    body = [row for row in grid[header:] if sum(1 for text in row if text) >= 2]
    numeric_rows = sum(1 for row in body if any(is_numeric(text) for text in row[1:]))
    fill = len(cells) / (columns * len(full))
    if fill < 0.35 or (words > 14 and not framed):
        return False
    if _numbered(full) or (len(full) <= 2 and any(_is_axis(row) for row in full)):
        return False
    if framed:
        return fill >= 0.4 and (words <= 5 or numeric_rows >= 0.4 * len(body) or _named(full))
    values = [text for row in body for text in row[1:] if text]
    if len(full) <= 3 and sum(is_numeric(text) and not is_year(text) for text in values) < 0.5 * len(values):
        numeric_rows = 0
    if numeric_rows and numeric_rows >= 0.5 * len(body):
        return len(full) >= 3 or (columns >= 3 and fill >= 0.6)
    if sum(1 for row in full if row[0].rstrip().endswith(":")) > 0.3 * len(full):
        return False
    if _running_text(tabular):
        return False
    if columns >= 3:
        return len(full) >= 3 and fill >= 0.6 and words <= 7 and _lined_up(tabular)
    starts = [row.cells[-1].bbox[0] for row in tabular if len(row.cells) == 2]
    even = bool(starts) and max(starts) - min(starts) < 3.0
    return len(full) >= 4 and even and words <= 6 and fill >= 0.9


def _is_axis(row: list[str]) -> bool:
    """Whether a row holds evenly spaced numbers alone: the labels of a chart's axis."""
    tokens = " ".join(dict.fromkeys(row)).split()
    numbers = [int(token) for token in tokens if token.isdecimal()]
    steps = {b - a for a, b in zip(numbers, numbers[1:], strict=False)}
    return len(numbers) >= 5 and len(steps) == 1 and len(tokens) <= len(numbers) + 3


def _numbered(full: list[list[str]]) -> bool:
    """Whether two columns are a list: the first holds only its marks, or both hold items with bullets."""
    marks = sum(1 for row in full if is_marker(row[0]))
    items = sum(1 for row in full if all(map(_is_item, row)))
    return len(full[0]) == 2 and max(marks, items) >= 0.6 * len(full)


def _is_item(text: str) -> bool:
    return bool(text) and not text[0].isalnum() and is_marker(text.split(" ")[0]) and not is_numeric(text)


def _named(full: list[list[str]]) -> bool:
    """Whether a row of short names stands over columns of sentences."""
    return len(full) >= 3 and all(text and len(text.split()) <= 5 for text in full[0]) and not is_marker(full[0][0])


def _running_text(rows: list[Row]) -> bool:
    """Whether the rows are lines of text: of columns that stand side by side, or of one that is justified."""
    cells = [cell.text for row in rows for cell in row.cells]
    long = [text for text in cells if text.count(" ") >= 3]
    if len(long) >= 0.5 * len(cells) and sum(text[0].islower() for text in long) >= 0.25 * len(long):
        return True
    ends = [max(row.bbox[2] for row in rows) - row.bbox[2] for row in rows]
    flush = sum(1 for end in ends if end <= 2.0) >= 0.6 * len(rows)
    return flush and sum(text[0].islower() for text in cells) >= 0.6 * len(cells)


def _bridged(body: list[Slots]) -> bool:
    """Whether cells of many rows of words reach over columns: words of justified lines rather than cells."""
    rows = [row for row in body if not any(_is_value(cell) for cell in row)]
    over = [row for row in rows if any(a is not None and a is b for a, b in zip(row, row[1:], strict=False))]
    return len(rows) >= 0.7 * len(body) and sum(len(cells_in(row)) > 1 for row in over) > 0.15 * len(body)


def _lined_up(rows: list[Row]) -> bool:
    """Whether most cells start, end or stand in the middle as others do; words of justified lines do not."""
    boxes = [cell.bbox for row in rows for cell in row.cells[1:]]
    edges = [[box[0] for box in boxes], [box[2] for box in boxes], [(box[0] + box[2]) / 2 for box in boxes]]
    counts = [Counter(round(x / 2) for x in found) for found in edges]
    needed = max(2, round(0.5 * len(rows)))

    def common(count: Counter[int], x: float) -> bool:
        return sum(count[round(x / 2) + step] for step in (-1, 0, 1)) >= needed

    shared = sum(1 for places in zip(*edges, strict=True) if any(map(common, counts, places)))
    return shared >= 0.6 * len(boxes)


def _contents(grid: list[list[str]], rows: list[Row]) -> bool:
    """Whether the last column holds rising page numbers: a table of contents, not data."""
    pages = [row[-1] for row in grid if row[-1]]
    led = sum(1 for row in rows if any(cell.leader for cell in row.cells)) >= max(3, 0.5 * len(pages))
    numbers = [int(text) for text in pages if text.isdigit()]
    enough = 0.8 if led else 1.0
    if len(grid[0]) > 3 or len(pages) < 4 or len(numbers) < enough * len(pages):
        return False
    rising = sum(1 for a, b in zip(numbers, numbers[1:], strict=False) if a <= b)
    titles = sum(1 for row in grid if row[-1] and any(c.isalpha() for c in row[0] + row[-2]))
    if rising < (0.9 if led else 1.0) * (len(numbers) - 1) or titles < 0.8 * len(pages):
        return False
    return numbers[-1] < 1500 and numbers[0] < 200
