"""Tables as rows with heads and columns with heads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from cosee.reader.passages import Passage
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

    heads: tuple[str, ...]
    rows: tuple[Row, ...]
    scale: str
    shown: bool


def grid(passage: Passage) -> Grid | None:
    """A passage's table, or its chart's values; None where it has neither. A row of one filled cell heads the rows
    below."""
    cells = passage.rows or passage.chart_rows
    declared = passage.header_rows if passage.rows else 1
    return _read(cells, declared, passage.title, bool(passage.rows)) if len(cells) > 1 else None


@lru_cache(maxsize=2048)
def _read(table: tuple[tuple[str, ...], ...], declared: int, title: str, shown: bool) -> Grid:
    rows = [tuple(" ".join(cell.split()) for cell in row) for row in table]
    width = max(map(len, rows))
    rows = [row + ("",) * (width - len(row)) for row in rows]
    top = max(0, min(declared, len(rows) - 1))
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
        if values := tuple(column for column in filled if column not in head):
            body.append(Row(name, group, cells, values))
        else:
            group = name
    lead = " ".join([title, *(cell for row in rows[: top + 1] for cell in row)])
    return Grid(heads, tuple(body), scale_in(lead), shown)
