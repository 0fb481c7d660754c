"""Tables without vertical rules: rows of cells that line up in columns."""

from __future__ import annotations

from collections import Counter

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.formulas import are_formulas
from cosee.parse.pdf.page_model import Fragment, Rule, TableFound, Word
from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import (
    Slots,
    TableCell,
    cells_in,
    compact,
    joined_cells,
    table_found,
    texts_of,
    with_blocks_stacked,
)
from cosee.parse.tables.header import Columns, header_lines, read_header
from cosee.parse.tables.lines import join_lines
from cosee.parse.tables.packed_columns import split_packed
from cosee.parse.tables.rows import Cell, Row, is_item_marker, rows_of, runs_of
from cosee.parse.tables.text import is_numeric, is_text_rule, is_value


def find_aligned(fragments: list[Fragment], indexes: list[int], rules: list[Rule]) -> list[TableFound]:
    """Borderless tables among the fragments of one column of the page; ``rules`` are its horizontal ones."""
    tables = []
    for run in runs_of(rows_of(fragments, indexes)):
        table = read_aligned(run, rules)
        if table is not None and not are_formulas(fragments[n] for n in table.fragments):
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
    lines, columns = _with_names_over_values(
        *_with_complementary_joined([_slots(row, columns) for row in rows], columns)
    )
    box = geometry.union(row.bbox for row in rows)
    header, grid = _read_rows(lines, columns, _rules_inside(rules, box))
    texts = texts_of(grid)
    bridged = not framed and _is_bridged(grid[header:])
    if bridged or not _is_plausible(texts, header, tabular, framed) or _is_contents(texts, rows):
        return None
    used = {i for row in rows for cell in row.cells for i in cell.fragments}
    return table_found(box, with_blocks_stacked(split_packed(grid)), used)


def _rules_inside(rules: list[Rule], box: BBox) -> list[Rule]:
    top, bottom = box[1] - thresholds.RULE_MARGIN, box[3] + thresholds.RULE_MARGIN
    return [r for r in rules if top <= r.at <= bottom and r.start < box[2] and r.end > box[0]]


def _read_rows(lines: list[Slots], columns: Columns, rules: list[Rule]) -> tuple[int, list[Slots]]:
    """The number of header rows, and all rows: names of columns whole, wrapped lines joined."""
    left, right = columns[0][0], columns[-1][1]
    least = thresholds.ACROSS * (right - left)
    across = [r.at for r in rules if min(r.end, right) - max(r.start, left) >= least]
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
    tolerated = -(-len(rows) * thresholds.STRAY_PER_CENT // 100) if len(rows) >= thresholds.TOLERANT_ROWS else 0
    columns: Columns = []
    count, apart, start = 0, 0, None
    for x in range(size):
        count += change[x]
        apart += opened[x]
        parted = len(rows) >= thresholds.MIN_PARTED and 2 * apart >= len(rows) and 2 * count <= apart
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
    return _overlapping_merged(columns)


def _overlapping_merged(columns: Columns) -> Columns:
    merged: Columns = []
    for start, end in sorted(columns):
        if merged:
            left, right = merged[-1]
            sliver = min(end - start, right - left) < thresholds.SLIVER and start - right <= thresholds.SLIVER_GAP
            if start < right or sliver:
                merged[-1] = left, max(end, right)
                continue
        merged.append((start, end))
    return merged


def _slots(row: Row, columns: Columns) -> Slots:
    """The row's cells by column; a cell over the centres of several columns stands in each."""
    slots: Slots = [None] * len(columns)
    for whole in row.cells:
        for cell in _cut_at_columns(whole, columns):
            x0, _, x1, _ = cell.bbox
            covered = [n for n, c in enumerate(columns) if x0 <= (c[0] + c[1]) / 2 <= x1]
            if len(covered) < 2 or (len(row.cells) == 1 and 0 in covered):
                covered = [_column_at(cell.bbox, columns)]
            placed: dict[int, TableCell | None] = {}
            for n in covered:
                key = id(slots[n])
                placed[key] = placed.get(key) or joined_cells(slots[n], cell)
                slots[n] = placed[key]
    return slots


def _cut_at_columns(cell: Cell, columns: Columns) -> list[TableCell]:
    """A cell cut where wide spaces fall between two columns."""
    left, right = cell.bbox[0] + thresholds.SLACK, cell.bbox[2] - thresholds.SLACK
    covered = [c for c in columns if c[0] < right and c[1] > left]
    words = cell.words
    if len(covered) < 2 or len(words) < 2 or len("".join(w.text for w in words)) < len("".join(cell.text.split())):
        return [TableCell(cell.text, cell.bbox)]
    parts: list[list[Word]] = [[words[0]]]
    gaps = [b.bbox[0] - a.bbox[2] for a, b in zip(words, words[1:], strict=False)]
    wide = thresholds.WORD_SPACE * cell.size
    if not all(is_numeric(word.text) for word in words):
        wide = max(wide, thresholds.WIDE_SPACE * min(gaps))
    for last, word, gap in zip(words, words[1:], gaps, strict=False):
        if gap >= wide and _column_at(last.bbox, columns) < _column_at(word.bbox, columns):
            parts.append([word])
        else:
            parts[-1].append(word)
    if len(parts) == 1:
        return [TableCell(cell.text, cell.bbox)]
    return [TableCell(" ".join(w.text for w in part), geometry.union(w.bbox for w in part)) for part in parts]


def _column_at(box: BBox, columns: Columns) -> int:
    """The column that shares most with a box, or is nearest to it."""
    return max(range(len(columns)), key=lambda n: min(columns[n][1], box[2]) - max(columns[n][0], box[0]))


def _with_complementary_joined(lines: list[Slots], columns: Columns) -> tuple[list[Slots], Columns]:
    """Close columns of numbers of which no row fills both are one (percentages set beyond the amounts above them)."""
    for n in range(len(columns) - 1, 1, -1):
        pairs = [(line[n - 1], line[n]) for line in lines]
        both = any(a is not None and b is not None and a is not b for a, b in pairs)
        counts = [sum(_is_value(pair[side]) for pair in pairs) for side in (0, 1)]
        if not both and min(counts) and columns[n][0] - columns[n - 1][1] < thresholds.COMPLEMENTARY:
            lines = [_joined_columns(line, n, n - 1) for line in lines]
            columns = [*columns[: n - 1], (columns[n - 1][0], columns[n][1]), *columns[n + 1 :]]
    return lines, columns


def _with_names_over_values(lines: list[Slots], columns: Columns) -> tuple[list[Slots], Columns]:
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
    return cell is not None and is_value(cell.text)


def _joined_columns(line: Slots, column: int, other: int) -> Slots:
    line = list(line)
    line[other] = line[other] or line[column]
    del line[column]
    return line


def _is_plausible(grid: list[list[str]], header: int, tabular: list[Row], framed: bool) -> bool:
    """Whether rows that line up are a table: by how full they are, by their numbers, else by their words."""
    full = [row for row in grid if len(row) - row.count("") >= 2]
    if len(full) < max(thresholds.MIN_FULL_ROWS, thresholds.FULL_ROWS * len(grid)):
        return False
    columns = len(grid[0])
    cells = [text for row in full for text in row if text]
    words = sum(text.count(" ") + 1 for text in cells) / len(cells)
    body = [row for row in grid[header:] if len(row) - row.count("") >= 2]
    numeric_rows = sum(any(map(is_numeric, row[1:])) for row in body)
    fill = len(cells) / (columns * len(full))
    if fill < thresholds.MIN_FILL or (words > thresholds.MAX_WORDS and not framed):
        return False
    if _is_list(full) or (len(full) == thresholds.MIN_FULL_ROWS and any(map(_is_axis, full))):
        return False
    if framed:
        numbers = numeric_rows >= thresholds.FRAMED_NUMBERS * len(body)
        return fill >= thresholds.FRAMED_FILL and (words <= thresholds.FEW_WORDS or numbers or _is_named(full))
    values = [text for row in body for text in row[1:] if text]
    years = sum(map(is_value, values)) < thresholds.MOSTLY_NUMBERS * len(values)
    if not (years and len(full) <= thresholds.FEW_ROWS) and numeric_rows >= max(1, thresholds.NUMBER_ROWS * len(body)):
        return len(full) >= thresholds.MIN_NUMBER_ROWS or (columns >= 3 and fill >= thresholds.WELL_FILLED)
    labels = sum(row[0].rstrip().endswith(":") for row in full)
    if labels > thresholds.FORM_ROWS * len(full) or _is_running_text(tabular):
        return False
    if columns >= 3:
        filled = len(full) >= thresholds.MIN_WORD_ROWS and fill >= thresholds.WELL_FILLED
        return filled and words <= thresholds.WORDS_OF_SEVERAL and _is_lined_up(tabular)
    filled = len(full) >= thresholds.MIN_TWO_COLUMN_ROWS and fill >= thresholds.TWO_COLUMN_FILL
    starts = [row.cells[-1].bbox[0] for row in tabular if len(row.cells) == 2]
    even = bool(starts) and max(starts) - min(starts) < thresholds.EVEN_START
    return filled and even and words <= thresholds.WORDS_OF_TWO


def _is_axis(row: list[str]) -> bool:
    """Whether a row holds evenly spaced numbers alone: the labels of a chart's axis."""
    tokens = " ".join(dict.fromkeys(row)).split()
    numbers = [int(token) for token in tokens if _is_count(token)]
    steps = {b - a for a, b in zip(numbers, numbers[1:], strict=False)}
    rest = len(tokens) - len(numbers)
    return len(numbers) >= thresholds.MIN_AXIS and len(steps) == 1 and rest <= thresholds.AXIS_REST


def _is_count(text: str) -> bool:
    """Whether a text is a whole number; Python reads neither superscript digits nor thousands of digits as one."""
    return text.isdecimal() and len(text) <= thresholds.MAX_DIGITS


def _is_list(full: list[list[str]]) -> bool:
    """Whether two columns are a list: the first holds only its bullets or numbers, or both hold items with bullets."""
    numbered = sum(is_item_marker(row[0]) for row in full)
    items = sum(all(map(_is_item, row)) for row in full)
    return len(full[0]) == 2 and max(numbered, items) >= thresholds.LISTED * len(full)


def _is_item(text: str) -> bool:
    return bool(text) and not text[0].isalnum() and is_item_marker(text.split(" ")[0]) and not is_numeric(text)


def _is_named(full: list[list[str]]) -> bool:
    """Whether a row of short names stands over columns of sentences."""
    short = all(1 <= len(text.split()) <= thresholds.MAX_NAME_WORDS for text in full[0])
    return len(full) >= thresholds.MIN_NAMED_ROWS and short and not is_item_marker(full[0][0])


def _is_running_text(rows: list[Row]) -> bool:
    """Whether the rows are lines of text: of columns that stand side by side, or of one that is justified."""
    cells = [cell.text for row in rows for cell in row.cells]
    long = [text for text in cells if text.count(" ") >= thresholds.SENTENCE_SPACES]
    reading_on = sum(text[0].islower() for text in long) >= thresholds.READING_ON_SENTENCES * len(long)
    if len(long) >= thresholds.SENTENCES * len(cells) and reading_on:
        return True
    right = max(row.bbox[2] for row in rows)
    flush = sum(right - row.bbox[2] <= thresholds.FLUSH_END for row in rows) >= thresholds.FLUSH_ROWS * len(rows)
    return flush and sum(text[0].islower() for text in cells) >= thresholds.LOWER_CELLS * len(cells)


def _is_bridged(body: list[Slots]) -> bool:
    """Whether cells of many rows of words reach over columns: words of justified lines rather than cells."""
    rows = [row for row in body if not any(_is_value(cell) for cell in row)]
    over = [row for row in rows if any(a is not None and a is b for a, b in zip(row, row[1:], strict=False))]
    wordy = len(rows) >= thresholds.WORD_ROWS * len(body)
    return wordy and sum(len(cells_in(row)) > 1 for row in over) > thresholds.BRIDGED_ROWS * len(body)


def _is_lined_up(rows: list[Row]) -> bool:
    """Whether most cells start, end or stand in the middle as others do; words of justified lines do not."""
    boxes = [cell.bbox for row in rows for cell in row.cells[1:]]
    edges = [[box[0] for box in boxes], [box[2] for box in boxes], [(box[0] + box[2]) / 2 for box in boxes]]
    counts = [Counter(round(x / thresholds.EDGE_STEP) for x in found) for found in edges]
    needed = max(2, round(thresholds.EDGE_SHARE * len(rows)))

    def common(count: Counter[int], x: float) -> bool:
        return sum(count[round(x / thresholds.EDGE_STEP) + step] for step in (-1, 0, 1)) >= needed

    shared = sum(1 for places in zip(*edges, strict=True) if any(map(common, counts, places)))
    return shared >= thresholds.LINED_UP * len(boxes)


def _is_contents(grid: list[list[str]], rows: list[Row]) -> bool:
    """Whether the last column holds rising page numbers: a table of contents, not data."""
    pages = [row[-1] for row in grid if row[-1]]
    leaders = sum(any(cell.leader for cell in row.cells) for row in rows)
    led = leaders >= max(thresholds.MIN_LEADERS, thresholds.LED_PAGES * len(pages))
    numbers = [int(text) for text in pages if _is_count(text)]
    if len(grid[0]) > thresholds.MAX_CONTENTS_COLUMNS or len(pages) < thresholds.MIN_PAGES:
        return False
    if len(numbers) < (thresholds.LED_NUMBERS if led else 1.0) * len(pages):
        return False
    rising = sum(1 for a, b in zip(numbers, numbers[1:], strict=False) if a <= b)
    titles = sum(1 for row in grid if row[-1] and any(c.isalpha() for c in row[0] + row[-2]))
    if rising < (thresholds.LED_RISING if led else 1.0) * (len(numbers) - 1) or titles < thresholds.TITLED * len(pages):
        return False
    return numbers[0] < thresholds.MAX_FIRST_PAGE and numbers[-1] < thresholds.MAX_LAST_PAGE
