"""Tables as rows with labels and columns with headers, years and a scale."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from cosee.reader.skills.nodes import Passage
from cosee.text.numbers import Number, cell_number

_YEAR = re.compile(r"(?<![\d.,])(?:FY\s?'?)?((?:19|20)\d\d)(?!\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Row:
    """A body row: its label (leading text cells), the group heading above it, and the numbers by column."""

    label: str
    group: str
    cells: tuple[str, ...]
    numbers: tuple[tuple[int, Number], ...]
    """(column, number), left to right."""

    @property
    def name(self) -> str:
        """The first filled cell."""
        return next((cell for cell in self.cells if cell), "")

    @property
    def quote(self) -> str:
        """The row as a reader sees it."""
        return " | ".join(cell for cell in self.cells if cell)


@dataclass(frozen=True)
class Grid:
    """A table, read: ``headers`` holds each column's header text, ``years`` each column's year where it has one."""

    passage: Passage
    headers: tuple[str, ...]
    rows: tuple[Row, ...]
    years: tuple[tuple[int, str], ...]
    scale: float
    """What the table says its numbers are in: ``(in millions)`` is 1e6."""
    around: str = ""
    """The text right above the table on its page."""

    def header(self, column: int) -> str:
        """A column's header; empty where it has none."""
        return self.headers[column] if column < len(self.headers) else ""

    @property
    def value_columns(self) -> list[int]:
        """Columns that hold numbers in some row."""
        return sorted({column for row in self.rows for column, _ in row.numbers})


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
    if _is_axis(rows, declared):
        return 1
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


def _is_axis(rows: Sequence[tuple[str, ...]], declared: int) -> bool:
    """Whether the first row is a scale (``Method | 10 | 20 | 30``): a word, then whole numbers that grow.

    Where no header is declared, the rows below must hold fractions.
    """
    if len(rows) < 3 or not rows[0][0] or cell_number(rows[0][0]):
        return False
    top = [cell_number(cell) for cell in rows[0][1:] if cell]
    values = [number.value for number in top if number and number.value == int(number.value) and not number.money]
    fractions = sum("." in cell for row in rows[1:] for cell in row[1:])
    grows = len(values) == len(top) >= 2 and values == sorted(set(values))
    return grows and (declared == 1 or fractions >= len(rows) - 1)


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
    """The tables among ``passages``, each with what stands right above it.

    A chart whose values were read is a table as well. A table without headers takes them from the table that it
    continues, or from a line of words above it. One that names no years takes those of the last table, or of the last
    line of text with two years or more, on its page: a statement cut into several tables keeps its column years in
    this way.
    """
    found: list[Grid] = []
    page = -1
    years: list[str] = []
    above = ""
    for passage in passages:
        if passage.chart_rows:
            found.append(grid(replace(passage, rows=passage.chart_rows, header_rows=1)))
            continue
        if passage.page != page:
            page, years, above = passage.page, [], ""
        if len(passage.rows) < 2:
            if passage.type != "section" and passage.text:
                above = passage.text[-400:]
            named = _YEAR.findall(passage.text) if len(passage.text) < 200 else []
            years = named if len(named) > 1 and len(set(named)) == len(named) else years
            continue
        table = _with_headers(replace(grid(passage), around=above), found[-1] if found else None, above)
        if table.years:
            years = [year for _, year in table.years]
        elif columns := _common_columns(table.rows, len(years)):
            table = replace(table, years=tuple(zip(columns, years, strict=True)))
        found.append(table)
    return found


def _with_headers(table: Grid, previous: Grid | None, above: str) -> Grid:
    """The table with headers from elsewhere where it has none of its own."""
    if any(table.headers):
        return table
    columns = table.value_columns
    if named := _names_in_line(above, len(columns)):
        headers = [""] * len(table.headers)
        for column, name in zip(columns, named, strict=True):
            headers[column] = name
        dated = [(column, match[1]) for column, name in zip(columns, named, strict=True) if (match := _last_year(name))]
        return replace(table, headers=tuple(headers), years=tuple(dated))
    near = previous is not None and 0 <= table.passage.page - previous.passage.page <= 1
    if near and previous and len(previous.headers) == len(table.headers) and previous.value_columns == columns:
        return replace(table, headers=previous.headers, years=previous.years, scale=previous.scale)
    return table


def _names_in_line(line: str, count: int) -> list[str]:
    """The column names in a line of words above a table: a word a column, or groups that end in a year."""
    words = line.split()
    if not count or len(line) > 160 or len(words) < count:
        return []
    for size in (3, 2):
        groups = [" ".join(words[at : at + size]) for at in range(len(words) - size * count, len(words), size)]
        if size * count <= len(words) <= size * count + 4 and all(
            _YEAR.fullmatch(group.split()[-1]) for group in groups
        ):
            return groups
    last = words[-count:]
    plain = len(words) <= count + 4 and all(word[0].isupper() or word[0].isdigit() for word in last)
    return last if plain else []


def at_year(row: Row, table: Grid, year: str) -> Number | None:
    """The row's number for ``year``: by order where the row has a number for each year, else by column."""
    years = [value for _, value in table.years]
    if year in years and len(row.numbers) == len(years):
        return row.numbers[years.index(year)][1]
    columns = dict(table.years)
    return next((number for column, number in row.numbers if columns.get(column) == year), None)
