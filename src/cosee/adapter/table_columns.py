"""Tables without vertical rules: rows of cells that line up in columns."""

from __future__ import annotations

import re
from dataclasses import dataclass
from statistics import median

from cosee.adapter import geometry
from cosee.adapter.packed_columns import split_packed
from cosee.adapter.page_model import Fragment, TableFound
from cosee.adapter.table_text import fragment_text, is_numeric, is_year
from cosee.artifacts.base import BBox

_CURRENCY = re.compile(r"^(?:[$€£¥₹]|US\$|Rs\.?|EUR|USD|RMB|\(|\(\$|\$ ?\()+$")
_TAIL = re.compile(r"^(?:[)%‰*†‡]|\)%|\)\*|bps|x|pts?|\([0-9a-z]\)|\[[0-9a-z]\])+$")
_MARKER = re.compile(r"^(?:[•●○◦▪▫■□–—·*➢➤✓✔»-]|\(?(?:\d{1,2}|[A-Za-z]|[ivxIVX]{1,4})[.)]|\(\d{1,2}\)|[a-z]\))$")
_LEADER = re.compile(r"(?:\.\s?){4,}|…{2,}|_{6,}")

MAX_LABELS = 4
"""Rows of labels alone (headings inside a table, wrapped labels) that may follow each other."""


@dataclass(slots=True)
class Cell:
    """One cell of a row: its text and the fragments it was made from."""

    bbox: BBox
    text: str
    fragments: list[int]


@dataclass(slots=True)
class Row:
    """Cells on one baseline, from left to right."""

    cells: list[Cell]
    bbox: BBox

    @property
    def tabular(self) -> bool:
        """Whether the row has several cells."""
        return len(self.cells) >= 2


def rows_of(fragments: list[Fragment], indexes: list[int]) -> list[Row]:
    """Fragments grouped to rows from top to bottom; currency signs, trailing marks and bullets join their cell."""
    groups: list[list[int]] = []
    anchor: BBox | None = None
    for i in sorted(indexes, key=lambda i: ((fragments[i].bbox[1] + fragments[i].bbox[3]) / 2, i)):
        box = fragments[i].bbox
        if anchor is not None and geometry.overlap_y(anchor, box) >= 0.55 * min(
            geometry.height(anchor), geometry.height(box)
        ):
            groups[-1].append(i)
        else:
            groups.append([i])
            anchor = box
    rows = []
    for group in groups:
        cells = _cells(fragments, sorted(group, key=lambda i: fragments[i].bbox[0]))
        rows.append(Row(cells, geometry.union(cell.bbox for cell in cells)))
    return rows


def _cells(fragments: list[Fragment], group: list[int]) -> list[Cell]:
    cells: list[Cell] = []
    for i in group:
        fragment = fragments[i]
        text = fragment_text(fragment)
        if cells and _belongs(cells[-1], fragment, text):
            last = cells[-1]
            sign = bool(_CURRENCY.match(last.text))
            space = "" if _TAIL.match(text) or sign else " "
            last.text = f"{last.text}{space}{text}"
            # A sign may stand far to the left of its amount: the amount alone says which column it is in.
            last.bbox = fragment.bbox if sign else geometry.union((last.bbox, fragment.bbox))
            last.fragments.append(i)
        else:
            cells.append(Cell(fragment.bbox, text, [i]))
    return cells


def _belongs(last: Cell, fragment: Fragment, text: str) -> bool:
    gap = fragment.bbox[0] - last.bbox[2]
    size = max(fragment.size, 1.0)
    if _CURRENCY.match(last.text):
        return is_numeric(text)
    if _TAIL.match(text):
        return gap < 2.0 * size and is_numeric(last.text)
    return bool(_MARKER.match(last.text)) and gap < 4.0 * size and not is_numeric(text)


def find_aligned(fragments: list[Fragment], indexes: list[int]) -> list[TableFound]:
    """Borderless tables among the fragments of one column of the page."""
    rows = rows_of(fragments, indexes)
    tables = []
    for run in runs_of(rows):
        table = read_aligned(run)
        if table is not None:
            tables.append(table)
    return tables


def runs_of(rows: list[Row]) -> list[list[Row]]:
    """Maximal sequences of rows that may be one table; they start and end with a row of several cells."""
    if not rows:
        return []
    region = geometry.union(row.bbox for row in rows)
    runs: list[list[Row]] = []
    run: list[Row] = []
    for n, row in enumerate(rows):
        if run and _breaks(run, row, region, rows[n + 1 : n + 1 + MAX_LABELS]):
            runs.append(run)
            run = []
        if not run and row.tabular:
            run = _spanning_header(rows, n, region)
        if run or row.tabular:
            run.append(row)
    runs.append(run)
    trimmed = []
    for run in runs:
        while run and not run[-1].tabular:
            run.pop()
        if sum(1 for row in run if row.tabular) >= 2:
            trimmed.append(run)
    return trimmed


def _spanning_header(rows: list[Row], first: int, region: BBox) -> list[Row]:
    """The row above a table that holds one heading over its value columns (``Year ended December 31``)."""
    if not first:
        return []
    above, row = rows[first - 1], rows[first]
    indented = above.bbox[0] > max(region[0] + 0.25 * geometry.width(region), row.cells[0].bbox[0] + 6)
    near = row.bbox[1] - above.bbox[3] <= 0.9 * geometry.height(row.bbox)
    return [above] if not above.tabular and indented and near and len(above.cells[0].text) < 60 else []


def _breaks(run: list[Row], row: Row, region: BBox, following: list[Row]) -> bool:
    height = median(geometry.height(r.bbox) for r in run)
    gap = row.bbox[1] - run[-1].bbox[3]
    if gap > 2.6 * height:
        return True
    if row.tabular:
        return False
    text = row.cells[0].text
    wide = geometry.width(row.bbox) > 0.62 * geometry.width(region)
    values = [cell.bbox[0] for other in run[-8:] for cell in other.cells[1:]]
    if wide and text.count(" ") >= 7 and (not values or row.bbox[2] > min(values)):
        return True
    labels = bool(values) and row.bbox[2] <= min(values) and gap <= 0.6 * height
    return not any(other.tabular for other in following[: None if labels else 2]) or gap > 1.8 * height


def read_aligned(rows: list[Row], *, framed: bool = False) -> TableFound | None:
    """The rows as a table when their cells line up; ``framed`` relaxes the evidence (rules above and below)."""
    tabular = [row for row in rows if row.tabular]
    if len(tabular) < 2 or any(_LEADER.search(cell.text) for row in rows for cell in row.cells):
        return None
    columns = _columns(tabular)
    if len(columns) < 2:
        return None
    grid = _merge_wrapped(_headed([_place(row, columns) for row in rows]), rows)
    if not _plausible(grid, tabular, framed) or _contents(grid):
        return None
    grid = split_packed(grid)
    box = geometry.union(row.bbox for row in rows)
    used = {i for row in rows for cell in row.cells for i in cell.fragments}
    return TableFound(box, grid, used)


def _columns(rows: list[Row]) -> list[tuple[float, float]]:
    """Horizontal intervals that the cells of most rows keep to, from a coverage count per point."""
    boxes = [cell.bbox for row in rows for cell in row.cells]
    origin = min(box[0] for box in boxes)
    size = int(max(box[2] for box in boxes) - origin) + 3
    change = [0] * (size + 1)
    for box in boxes:
        change[int(box[0] - origin + 0.5)] += 1
        change[min(int(box[2] - origin + 0.5) + 1, size)] -= 1
    tolerated = -(-len(rows) * 12 // 100) if len(rows) >= 3 else 0
    columns: list[tuple[float, float]] = []
    count, start = 0, None
    for x in range(size):
        count += change[x]
        if count > tolerated and start is None:
            start = x
        elif count <= tolerated and start is not None:
            columns.append((origin + start, origin + x))
            start = None
    if start is not None:
        columns.append((origin + start, origin + size))
    for box in boxes:
        if not any(box[0] < c[1] and box[2] > c[0] for c in columns):
            columns.append((box[0], box[2]))
    return _merged(columns)


def _merged(columns: list[tuple[float, float]]) -> list[tuple[float, float]]:
    merged: list[tuple[float, float]] = []
    for start, end in sorted(columns):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _place(row: Row, columns: list[tuple[float, float]]) -> list[str]:
    """The row's texts by column; a cell over the centres of several columns is repeated in each."""
    texts = [""] * len(columns)
    for cell in row.cells:
        x0, _, x1, _ = cell.bbox
        covered = [n for n, c in enumerate(columns) if x0 <= (c[0] + c[1]) / 2 <= x1]
        if len(covered) < 2 or (len(row.cells) == 1 and 0 in covered):
            covered = [max(range(len(columns)), key=lambda n: min(columns[n][1], x1) - max(columns[n][0], x0))]
        for n in covered:
            texts[n] = f"{texts[n]} {cell.text}".strip()
    return texts


def _headed(placed: list[list[str]]) -> list[list[str]]:
    """Put names over their values: a column that only header rows fill joins a neighbour that they leave empty."""
    data = next((n for n, texts in enumerate(placed) if any(_is_value(text) for text in texts[1:])), 0)
    for column in range(len(placed[0]) - 1, 0, -1):
        named = [n for n in range(data) if placed[n][column]]
        if not named or any(texts[column] for texts in placed[data:]):
            continue
        for other in (column + 1, column - 1):
            if (
                0 < other < len(placed[0])
                and not any(placed[n][other] for n in named)
                and any(texts[other] for texts in placed[data:])
            ):
                placed = [_joined_columns(texts, column, other) for texts in placed]
                break
    return placed


def _is_value(text: str) -> bool:
    return is_numeric(text) and not is_year(text)


def _joined_columns(texts: list[str], column: int, other: int) -> list[str]:
    texts = list(texts)
    texts[other] = texts[other] or texts[column]
    del texts[column]
    return texts


def _merge_wrapped(placed: list[list[str]], rows: list[Row]) -> list[list[str]]:
    """Join a row that only continues cells of its neighbour (a wrapped label or wrapped cells)."""
    gaps = [max(0.0, b.bbox[1] - a.bbox[3]) for a, b in zip(rows, rows[1:], strict=False)]
    typical = median(gaps) if gaps else 0.0
    grid: list[list[str]] = []
    label_only: list[bool] = []
    for n, texts in enumerate(placed):
        gap = gaps[n - 1] if n else 0.0
        tight = gap < 0.6 * typical or gap < 0.5
        label = bool(texts[0]) and not any(texts[1:])
        starts_low = texts[0][:1].islower() or texts[0].startswith("(")
        if grid and label_only[-1] and len(texts) > 1 and texts[0] and (starts_low or (tight and gap < typical - 1.0)):
            grid[-1] = [f"{a} {b}".strip() for a, b in zip(grid[-1], texts, strict=True)]
            label_only[-1] = label
            continue
        if grid and label and starts_low and gap <= typical + 1.0:
            grid[-1][0] = f"{grid[-1][0]} {texts[0]}"
            continue
        continues = not texts[0] and not any(is_numeric(text) for text in texts) and n > 0
        if (
            grid
            and continues
            and tight
            and gap < typical - 1.0
            and all(not t or g for t, g in zip(texts, grid[-1], strict=True))
        ):
            grid[-1] = [f"{a} {b}".strip() for a, b in zip(grid[-1], texts, strict=True)]
            continue
        grid.append(texts)
        label_only.append(label)
    return grid


def _plausible(grid: list[list[str]], tabular: list[Row], framed: bool) -> bool:
    columns = len(grid[0])
    full = [row for row in grid if sum(1 for text in row if text) >= 2]
    if len(full) < 2 or len(full) < 0.4 * len(grid):
        return False
    cells = [text for row in full for text in row if text]
    words = sum(text.count(" ") + 1 for text in cells) / len(cells)
    numeric_rows = sum(1 for row in full if any(is_numeric(text) for text in row[1:]))
    fill = len(cells) / (columns * len(full))
    if fill < 0.35 or words > 14:
        return False
    if framed:
        return fill >= 0.4 and (words <= 5 or numeric_rows >= 0.4 * len(full))
    if numeric_rows >= 0.5 * len(full):
        return len(full) >= 3 or (columns >= 3 and fill >= 0.6)
    if sum(1 for row in full if row[0].rstrip().endswith(":")) > 0.3 * len(full):
        return False
    if columns >= 3:
        return len(full) >= 3 and fill >= 0.6 and words <= 7
    starts = [row.cells[-1].bbox[0] for row in tabular if len(row.cells) == 2]
    even = bool(starts) and max(starts) - min(starts) < 3.0
    return len(full) >= 4 and even and words <= 6 and fill >= 0.9


def _contents(grid: list[list[str]]) -> bool:
    """Whether the last column holds rising page numbers: a table of contents, not data."""
    pages = [row[-1] for row in grid if row[-1]]
    if len(grid[0]) > 3 or len(pages) < 4 or not all(text.isdigit() for text in pages):
        return False
    numbers = [int(text) for text in pages]
    rising = all(a <= b for a, b in zip(numbers, numbers[1:], strict=False))
    return (
        rising
        and numbers[-1] < 1500
        and numbers[0] < 200
        and all(any(c.isalpha() for c in row[0] + row[-2]) for row in grid)
    )
