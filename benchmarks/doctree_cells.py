"""Tables as cells in a grid, and the adjacency relations by which two tables are compared.

The protocol of the ICDAR 2013 table competition (Göbel et al.): every cell with text stands in a relation to its
nearest neighbour with text to the right and below, for a cell over several rows or columns one in each of them. A
relation is the text of both cells and the direction. Precision and recall count relations that both sides have.

Texts are compared by their letters and digits, case and compatibility forms folded; a cell of signs only (``-``) has a
text, a blank one has none. Equal texts with a letter that touch are one cell over several rows or columns, on both
sides: most readers repeat a spanning cell's text or leave blanks, and tell no span.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts.documents.content import TableData

Relation = tuple[str, str, str]
"""Text of the left or upper cell, of the right or lower one, ``right`` or ``below``."""
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Cell:
    """A cell: its text and the rows and columns it covers, first and last, from 0."""

    row: int
    column: int
    last_row: int
    last_column: int
    text: str


@dataclass(frozen=True)
class Table:
    """A table of a document. Pages count from 1, boxes are 0..1 of the page as seen."""

    cells: Sequence[Cell]
    regions: Sequence[tuple[int, Box]]

    def as_json(self) -> dict[str, Any]:
        """For the cache of peers' outputs."""
        cells = [[cell.row, cell.column, cell.last_row, cell.last_column, cell.text] for cell in self.cells]
        return {"cells": cells, "regions": [[page, list(box)] for page, box in self.regions]}

    @staticmethod
    def from_json(value: dict[str, Any]) -> Table:
        """The inverse of ``as_json``."""
        regions = [(int(page), (box[0], box[1], box[2], box[3])) for page, box in value["regions"]]
        return Table([Cell(*cell) for cell in value["cells"]], regions)


def from_rows(rows: Iterable[Sequence[str | None]]) -> list[Cell]:
    """Cells of one row and one column each."""
    return [Cell(r, c, r, c, text or "") for r, row in enumerate(rows) for c, text in enumerate(row)]


def from_table(table: TableData) -> list[Cell]:
    """The cells of a tree's table, a spanning one once."""
    extent = {(span.row, span.column): (span.rows, span.columns) for span in table.spans}
    covered: set[tuple[int, int]] = set()
    cells: list[Cell] = []
    for r, row in enumerate(table.rows):
        for c, text in enumerate(row):
            if (r, c) not in covered:
                rows, columns = extent.get((r, c), (1, 1))
                covered |= {(r + down, c + right) for down in range(rows) for right in range(columns)}
                cells.append(Cell(r, c, r + rows - 1, c + columns - 1, text))
    return cells


def from_boxes(cells: Sequence[tuple[Box, str]], tolerance: float) -> list[Cell]:
    """Cells by their boxes: a row or column begins where some cell begins; ``tolerance`` in the boxes' unit."""
    tops = _starts([box[1] for box, _ in cells], tolerance)
    lefts = _starts([box[0] for box, _ in cells], tolerance)
    return [
        Cell(
            _index(tops, box[1] + tolerance),
            _index(lefts, box[0] + tolerance),
            max(_index(tops, box[1] + tolerance), _index(tops, box[3] - tolerance)),
            max(_index(lefts, box[0] + tolerance), _index(lefts, box[2] - tolerance)),
            text,
        )
        for box, text in cells
    ]


def _starts(values: Sequence[float], tolerance: float) -> list[float]:
    starts: list[float] = []
    for value in sorted(values):
        if not starts or value - starts[-1] > tolerance:
            starts.append(value)
    return starts


def _index(starts: Sequence[float], value: float) -> int:
    return max((n for n, start in enumerate(starts) if start <= value), default=0)


def cell_text(text: str) -> str:
    """A cell's text as it is compared; empty for a blank cell, ``_`` for signs only."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    plain = "".join(char for char in folded if unicodedata.category(char)[0] in "LMN")
    return plain or ("_" if folded.strip() else "")


def relations(cells: Sequence[Cell]) -> Counter[Relation]:
    """The adjacency relations of one table."""
    grid: dict[tuple[int, int], int] = {}
    texts = [cell_text(cell.text) for cell in cells]
    for number, cell in enumerate(cells):
        if texts[number]:
            for row in range(cell.row, cell.last_row + 1):
                for column in range(cell.column, cell.last_column + 1):
                    grid.setdefault((row, column), number)
    whole = _merged(grid, texts)
    found: set[tuple[int, int, str]] = set()
    for direction, turned in (("right", False), ("below", True)):
        ordered = sorted(grid, key=_by_column) if turned else sorted(grid)
        for first, second in zip(ordered, ordered[1:], strict=False):
            same_line = first[1] == second[1] if turned else first[0] == second[0]
            one, other = whole[grid[first]], whole[grid[second]]
            if same_line and one != other:
                found.add((one, other, direction))
    return Counter((texts[one], texts[other], direction) for one, other, direction in found)


def _by_column(place: tuple[int, int]) -> tuple[int, int]:
    return place[1], place[0]


def _merged(grid: dict[tuple[int, int], int], texts: Sequence[str]) -> list[int]:
    """For each cell the first of the touching cells that repeat its text."""
    whole = list(range(len(texts)))

    def root(number: int) -> int:
        while whole[number] != number:
            number = whole[number]
        return number

    for (row, column), number in sorted(grid.items()):
        for neighbour in (grid.get((row, column + 1)), grid.get((row + 1, column))):
            if neighbour is None or texts[neighbour] != texts[number]:
                continue
            if any(char.isalpha() for char in texts[number]):
                one, other = sorted((root(number), root(neighbour)))
                whole[other] = one
    return [root(number) for number in range(len(texts))]
