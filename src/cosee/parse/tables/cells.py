"""Cells of a table in the making: one object stands in every slot that its cell covers."""

from __future__ import annotations

from dataclasses import dataclass

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import CellSpan
from cosee.parse.pdf.page_model import TableFound
from cosee.parse.tables.text import header_row_count, join_texts


@dataclass(slots=True, eq=False)
class TableCell:
    """A cell; two cells of the same text are still two cells."""

    text: str
    bbox: BBox


Slots = list[TableCell | None]
"""One row: the cell in each column, None where the row has none."""


def cells_in(row: Slots) -> list[TableCell]:
    """The cells of a row from left to right, each once."""
    return list({id(cell): cell for cell in row if cell is not None}.values())


def joined_rows(upper: Slots, lower: Slots) -> Slots:
    """One row of two: in each column the text of ``lower`` follows that of ``upper``."""
    pairs: dict[tuple[int, int], TableCell | None] = {}
    joined: Slots = []
    for one, other in zip(upper, lower, strict=True):
        key = id(one), id(other)
        if key not in pairs:
            pairs[key] = joined_cells(one, other)
        joined.append(pairs[key])
    return joined


def joined_cells(one: TableCell | None, other: TableCell | None) -> TableCell | None:
    """One cell of two, the text of ``other`` last; either may be None."""
    if one is None or other is None or one is other:
        return one or other
    return TableCell(join_texts(one.text, other.text), geometry.union((one.bbox, other.bbox)))


def compact(grid: list[Slots]) -> list[Slots]:
    """Without empty rows and columns, and without rows and columns that repeat the cells of their neighbour."""
    grid = [row for row in grid if any(cell is not None and cell.text for cell in row)]
    if not grid:
        return []
    columns = list(zip(*grid, strict=True))
    kept = [
        n
        for n, column in enumerate(columns)
        if any(cell is not None and cell.text for cell in column) and not (n and _same(column, columns[n - 1]))
    ]
    grid = [[row[n] for n in kept] for row in grid]
    return [row for n, row in enumerate(grid) if not n or not _same(row, grid[n - 1])]


def _same(one: tuple[TableCell | None, ...] | Slots, other: tuple[TableCell | None, ...] | Slots) -> bool:
    return all(a is b for a, b in zip(one, other, strict=True))


def unfolded(grid: list[Slots]) -> list[Slots]:
    """The grid with blocks of columns below each other that stood side by side under one and the same header."""
    if not grid or len(grid[0]) < 4:
        return grid
    texts = [[cell.text if cell is not None else "" for cell in row] for row in grid]
    header, width = header_row_count(texts), len(grid[0])
    if not header:
        return grid
    names = texts[header - 1]
    for block in range(2, width // 2 + 1):
        blocks = range(block, width, block)
        repeated = all(row[start : start + block] == row[:block] for row in texts[:header] for start in blocks)
        if width % block == 0 and repeated and all(names) and len(set(names)) == block:
            body = [row[start : start + block] for start in (0, *blocks) for row in grid[header:]]
            return compact([*(row[:block] for row in grid[:header]), *body])
    return grid


def table_found(box: BBox, grid: list[Slots], fragments: set[int], *, ruled: bool = False) -> TableFound:
    """The table with its cells as text, spans repeated, and the spans told apart."""
    rows = [[cell.text if cell is not None else "" for cell in row] for row in grid]
    return TableFound(box, rows, fragments, ruled, _spans(grid))


def _spans(grid: list[Slots]) -> list[CellSpan]:
    slots: dict[int, list[tuple[int, int]]] = {}
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            if cell is not None and cell.text:
                slots.setdefault(id(cell), []).append((r, c))
    spans = []
    for places in slots.values():
        (top, left), (bottom, right) = places[0], places[-1]
        high, wide = bottom - top + 1, right - left + 1
        if len(places) > 1 and len(places) == high * wide:
            spans.append(CellSpan(row=top, column=left, rows=high, columns=wide))
    return sorted(spans, key=lambda span: (span.row, span.column))
