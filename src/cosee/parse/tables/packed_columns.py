"""Ruled columns that hold several columns of numbers without a rule between them are taken apart."""

from __future__ import annotations

from collections import Counter

from cosee.parse.tables import thresholds
from cosee.parse.tables.cells import Slots, TableCell
from cosee.parse.tables.text import is_numeric, is_row_of_numbers


def split_packed(grid: list[Slots]) -> list[Slots]:
    """The grid with each column split in which most rows hold the same count of numbers, two or more.

    Names above them are split where they are as many words, else they reach over the new columns.
    """
    if not grid:
        return grid
    counts = [_packed([row[column] for row in grid]) for column in range(len(grid[0]))]
    if not any(count > 1 for count in counts):
        return grid
    made: dict[int, list[TableCell]] = {}
    return [[part for cell, n in zip(row, counts, strict=True) for part in _parts(cell, n, made)] for row in grid]


def _parts(cell: TableCell | None, count: int, made: dict[int, list[TableCell]]) -> Slots:
    tokens = cell.text.split() if cell is not None else []
    if cell is None or count == 1 or len(tokens) != count:
        return [cell] * count
    if id(cell) not in made:
        made[id(cell)] = [TableCell(token, cell.bbox) for token in tokens]
    return [*made[id(cell)]]


def _packed(cells: Slots) -> int:
    """How many numbers stand side by side in most cells of a column; 1 where it is one column."""
    own = {id(cell): cell.text for cell in cells if cell is not None}
    filled = [text.split() for text in own.values() if text]
    found = Counter(len(tokens) for tokens in filled if len(tokens) > 1 and is_row_of_numbers(tokens))
    if not found:
        return 1
    count, rows = max(found.items(), key=lambda pair: (pair[1], pair[0]))
    others = sum(1 for tokens in filled if is_numeric(" ".join(tokens)) and len(tokens) != count)
    enough = rows >= max(2, thresholds.PACKED_ROWS * len(filled)) and others <= thresholds.OTHER_COUNTS * rows
    return count if enough and count <= thresholds.MAX_PACKED else 1
