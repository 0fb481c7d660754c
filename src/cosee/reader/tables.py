"""Tables as rows with heads and columns with heads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cosee.reader.passages import Passage
from cosee.reader.thresholds import MAX_FURTHER_HEADER_ROWS
from cosee.text.numbers import cell_number, scale_in


@dataclass(frozen=True, eq=False)
class Row:
    """A body row: its head (leading words), the group heading above it, and its cells as printed."""

    head: str
    group: str
    cells: tuple[str, ...]
    values: tuple[int, ...]
    """Columns of the filled cells behind the head."""

    @property
    def quote(self) -> str:
        """The row as a reader sees it."""
        return " | ".join(cell for cell in self.cells if cell)


@dataclass(frozen=True, eq=False)
class Grid:
    """A table, read. ``scale`` is the word that says what its numbers are in, else empty; ``shown`` is false for the
    values of a chart, which are not all printed."""

    passage: Passage
    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    scale: str
    shown: bool = True


def grid(passage: Passage) -> Grid | None:
    """A passage's table, or its chart's values; None where it has neither. Header rows are the declared ones and those
    below that hold but words or years, while other numbers follow. A row of one filled cell heads the rows below."""
    cells = passage.rows or passage.chart_rows
    if len(cells) < 2:
        return None
    read = _read(cells, passage.header_rows if passage.rows else 1, passage.title)
    return Grid(passage, *read, bool(passage.rows))


@lru_cache(maxsize=2048)
def _read(
    table: tuple[tuple[str, ...], ...], declared: int, title: str
) -> tuple[tuple[str, ...], tuple[Row, ...], str]:
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in table]
    width = max(map(len, rows))
    rows = [row + ("",) * (width - len(row)) for row in rows]
    top = _header_count(rows, declared)
    heads = tuple(" ".join(dict.fromkeys(row[column] for row in rows[:top] if row[column])) for column in range(width))
    body, group = [], ""
    for cells in rows[top:]:
        filled = [column for column, cell in enumerate(cells) if cell.strip(" $€£¥%")]
        head = filled[:1]
        for column in filled[1:]:  # words behind words go on with the head where their column has none of its own
            if cell_number(cells[column]) or heads[column] not in ("", heads[head[0]]) or column == filled[-1]:
                break
            head.append(column)
        name = " ".join(cells[column] for column in head)
        values = tuple(column for column in filled if column not in head)
        if not values:
            group = name
        else:
            body.append(Row(name, group, cells, values))
    lead = " ".join([title, *(cell for row in rows[: top + 1] for cell in row)])
    return heads, tuple(body), scale_in(lead)


def _header_count(rows: Sequence[tuple[str, ...]], declared: int) -> int:
    def is_head(row: tuple[str, ...]) -> bool:
        numbers = [number for cell in row[1:] if (number := cell_number(cell))]
        return all(number.year for number in numbers)

    count, most = max(0, declared), min(len(rows) - 1, declared + MAX_FURTHER_HEADER_ROWS)
    while count < most and is_head(rows[count]) and any(rows[count][1:]):
        if not any((n := cell_number(cell)) and not n.year for row in rows[count + 1 :] for cell in row[1:]):
            break
        count += 1
    return min(count, len(rows) - 1)
