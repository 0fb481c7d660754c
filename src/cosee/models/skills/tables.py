"""Looking values up in tables by row and column."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from cosee.models.skills.nodes import Passage
from cosee.models.skills.question import Asked
from cosee.models.skills.text import Number, cell_number, label_terms, terms

_YEAR = re.compile(r"(?<![\d.,])(?:FY\s?'?)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """A body row: its label (leading text cells), the group heading above it, and the numbers by column."""

    label: str
    group: str
    cells: tuple[str, ...]
    numbers: tuple[tuple[int, Number], ...]
    """(column, number), left to right."""


@dataclass(frozen=True)
class Grid:
    """A table, read: ``headers`` holds each column's header text, ``years`` each column's year where it has one."""

    passage: Passage
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    years: tuple[tuple[int, str], ...]
    scale: float
    """What the table says its numbers are in: ``(in millions)`` is 1e6."""


@dataclass(frozen=True)
class Cell:
    """A looked-up cell. ``score`` is 0..1: how well the row's label and the column's header fit the question."""

    text: str
    row: Row
    header: str
    grid: Grid
    score: float
    precise: bool = False
    """Whether every word of the row's label stands in the question, and half of the question around the cell."""

    @property
    def number(self) -> Number | None:
        """The cell as a number."""
        return cell_number(self.text)

    @property
    def quote(self) -> str:
        """The row as a reader sees it."""
        return " | ".join(cell for cell in self.row.cells if cell)


@lru_cache(maxsize=512)
def grid(passage: Passage) -> Grid:
    """Read a passage's ``rows``. Header rows are the declared ones and those that hold only years before the body."""
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in passage.rows]
    width = max((len(row) for row in rows), default=0)
    rows = [row + ("",) * (width - len(row)) for row in rows]
    top = _header_count(rows, passage.header_rows)
    headers = tuple(
        " ".join(dict.fromkeys(row[column] for row in rows[:top] if row[column])) for column in range(width)
    )
    body: list[Row] = []
    group = ""
    for cells in rows[top:]:
        label, found = _split(cells)
        if not found and sum(bool(cell) for cell in cells) == 1:
            group = label
        body.append(Row(label, group if found or group != label else "", cells, found))
    return Grid(passage, headers, tuple(body), _column_years(rows[:top], headers, body), _scale(passage, rows))


def _header_count(rows: Sequence[tuple[str, ...]], declared: int) -> int:
    """At least the declared rows where they hold no data; then rows whose numbers are all years."""
    count = 0
    for row in rows[: max(declared, 0) + 4]:
        found = [number for cell in row if (number := cell_number(cell)) is not None]
        if any(not number.year for number in found) and not any(
            _YEAR.search(cell) and not cell_number(cell) for cell in row
        ):
            break
        if not found and count >= max(declared, 1) and row[0] and not any(_YEAR.search(cell) for cell in row):
            break
        count += 1
    return count if count < len(rows) else min(declared, max(0, len(rows) - 1))


def _split(cells: tuple[str, ...]) -> tuple[str, tuple[tuple[int, Number], ...]]:
    """The leading text cells as the label, and the numbers after them; in a row of words the first cell is it."""
    label: list[str] = []
    found: list[tuple[int, Number]] = []
    for column, cell in enumerate(cells):
        number = cell_number(cell) if column > 0 or not label else None
        if number is not None and (column > 0 or len(cells) == 1):
            found.append((column, number))
        elif not found and cell and cell not in "$€£¥%":
            label.append(cell)
    return (" ".join(label) if found else next(iter(label), "")), tuple(found)


def _column_years(
    top: Sequence[tuple[str, ...]], headers: tuple[str, ...], body: Sequence[Row]
) -> tuple[tuple[int, str], ...]:
    """Years by column: those in the column's header, else the header's years in order over the number columns."""
    direct = {column: match[1] for column, header in enumerate(headers) if (match := _last_year(header))}
    years = max((_YEAR.findall(" ".join(row)) for row in top), key=len, default=[])
    columns = sorted({column for row in body for column, _ in row.numbers})
    if len(direct) >= len(years) and (not columns or all(column in direct for column in columns)):
        return tuple(sorted(direct.items()))
    common = _common_columns(body, len(years))
    if len(years) == len(set(years)) and common:
        return tuple(zip(common, years, strict=True))
    return tuple(sorted(direct.items()))


def _last_year(header: str) -> re.Match[str] | None:
    found = list(_YEAR.finditer(header))
    return found[-1] if len({match[1] for match in found}) == 1 else None


def _common_columns(body: Sequence[Row], count: int) -> list[int]:
    """The number columns of the first row that has just ``count`` numbers."""
    if count < 1:
        return []
    return next(([column for column, _ in row.numbers] for row in body if len(row.numbers) == count), [])


def _scale(passage: Passage, rows: Sequence[tuple[str, ...]]) -> float:
    text = " ".join([passage.title, passage.text[:300], *(" ".join(row) for row in rows[:4])]).lower()
    match = re.search(r"\bin (thousand|million|billion)s?\b|[\$€£] ?(thousand|million|billion)s?\b|百万円|万元", text)
    if not match:
        return 1.0
    word = next((group for group in match.groups() if group), match.group())
    return {"thousand": 1e3, "million": 1e6, "billion": 1e9, "百万円": 1e6, "万元": 1e4}[word]


def grids(passages: Sequence[Passage]) -> list[Grid]:
    """The tables among ``passages``; one that names no years takes those that stand above it on its page.

    A statement cut into several tables keeps its column years in this way. They come from the last table, or the last
    line of text with two years or more, on the same page.
    """
    found: list[Grid] = []
    page = -1
    years: list[str] = []
    for passage in passages:
        if passage.page != page:
            page, years = passage.page, []
        if len(passage.rows) < 2:
            named = _YEAR.findall(passage.text) if len(passage.text) < 200 else []
            years = named if len(named) > 1 and len(set(named)) == len(named) else years
            continue
        table = grid(passage)
        if table.years:
            years = [year for _, year in table.years]
        elif columns := _common_columns(table.rows, len(years)):
            table = replace(table, years=tuple(zip(columns, years, strict=True)))
        found.append(table)
    return found


def at_year(row: Row, table: Grid, year: str) -> Number | None:
    """The row's number for ``year``: by order where the row has a number for each year, else by column."""
    years = [value for _, value in table.years]
    if year in years and len(row.numbers) == len(years):
        return row.numbers[years.index(year)][1]
    columns = dict(table.years)
    return next((number for column, number in row.numbers if columns.get(column) == year), None)


def cell(asked: Asked, passage: Passage) -> Cell | None:
    """The cell of a table that a question asks for, or None where no row shares a word with it.

    The row is chosen by its label (and group), the column by year, then by header words, then the first with a
    value. A table of words gives the cell after the label.
    """
    found = cells(asked, passage)
    return max(found, key=lambda candidate: candidate.score) if found else None


def cells(asked: Asked, passage: Passage) -> list[Cell]:
    """Every row's best cell, in the order of the rows."""
    if len(passage.rows) < 2:
        return []
    table = grid(passage)
    wanted = set(label_terms(asked.core)) - set(asked.years)
    told = wanted & set(asked.terms)
    title = set(label_terms(" ".join([passage.title, *passage.path[-1:]])))
    found = []
    for row in table.rows:
        label = set(label_terms(row.label))
        shared = wanted & label
        if not shared & told:
            continue
        column = _column(asked, row, table, told - label)
        if column is None:
            continue
        header = table.headers[column] if column < len(table.headers) else ""
        context = label | set(label_terms(row.group)) | title | set(label_terms(header))
        precision = len(shared) / len(label)
        recall = len(told & context) / len(told)
        dated = not asked.years or any(at_year(row, table, year) or year in header for year in asked.years)
        score = 0.4 * precision + 0.4 * recall + (0.2 if dated else 0.0)
        precise = precision == 1.0 and recall >= 0.5
        found.append(Cell(row.cells[column], row, header, table, round(score, 4), precise))
    return found


def _column(asked: Asked, row: Row, table: Grid, wanted: set[str]) -> int | None:
    """The column of a row's value: that of the year asked for, then by header words, then the first."""
    for year in asked.years:
        number = at_year(row, table, year)
        if number is not None and (len(asked.years) == 1 or year == asked.years[0]):
            return next(column for column, other in row.numbers if other is number)
    values = [column for column, _ in row.numbers]
    if not values:
        values = [
            column
            for column, text in enumerate(row.cells)
            if text and column > row.cells.index(next(filter(None, row.cells)))
        ]
    if not values:
        return None

    def fit(column: int) -> tuple[int, int]:
        header = table.headers[column] if column < len(table.headers) else ""
        return len(wanted & set(terms(header))), -column

    return max(values, key=fit)
