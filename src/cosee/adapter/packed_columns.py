"""Ruled columns that hold several columns of numbers without a rule between them are taken apart."""

from __future__ import annotations

import re
from collections import Counter

from cosee.adapter.table_text import is_numeric

_GROUP = re.compile(r"\d{3}")
MAX_PACKED = 12


def split_packed(grid: list[list[str]]) -> list[list[str]]:
    """The grid with each column split in which most rows hold the same count of numbers, two or more.

    Names above them are split where they are as many words, else repeated over the new columns.
    """
    if not grid:
        return grid
    counts = [_packed([row[column] for row in grid]) for column in range(len(grid[0]))]
    if not any(count > 1 for count in counts):
        return grid
    return [[part for cell, count in zip(row, counts, strict=True) for part in _parts(cell, count)] for row in grid]


def _parts(cell: str, count: int) -> list[str]:
    tokens = cell.split()
    return tokens if count > 1 and len(tokens) == count else [cell] * count


def _packed(cells: list[str]) -> int:
    """How many numbers stand side by side in most cells of a column; 1 where it is one column."""
    # A cell over several rows is repeated in each: it counts once.
    filled = [cell.split() for cell in sorted({cell for cell in cells if cell})]
    found = Counter(len(tokens) for tokens in filled if len(tokens) > 1 and _is_row_of_numbers(tokens))
    if not found:
        return 1
    count, rows = max(found.items(), key=lambda pair: (pair[1], pair[0]))
    others = sum(1 for tokens in filled if is_numeric(" ".join(tokens)) and len(tokens) != count)
    enough = rows >= 2 and rows >= 0.5 * len(filled) and others <= 0.2 * rows
    return count if enough and count <= MAX_PACKED else 1


def _is_row_of_numbers(tokens: list[str]) -> bool:
    """Whether tokens are values of their own: no range (``5 - 10``), no amount set in groups (``3 400``)."""
    if not all(is_numeric(token) for token in tokens) or not any(map(str.isdigit, tokens[0])):
        return False
    dashes = [token for token in tokens[1:-1] if not any(map(str.isdigit, token))]
    grouped = all(_GROUP.fullmatch(token) for token in tokens[1:]) and len(tokens[0]) <= 3
    return not grouped and not (dashes and len(tokens) == 3)
