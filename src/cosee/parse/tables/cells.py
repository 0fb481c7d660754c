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
    """A cell, which has a text; two cells of the same text are still two cells."""

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
    columns = list(zip(*(row for row in grid if any(row)), strict=True))
    columns = [column for n, column in enumerate(columns) if any(column) and not (n and column == columns[n - 1])]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return [row for n, row in enumerate(rows) if not n or row != rows[n - 1]]


def texts_of(grid: list[Slots]) -> list[list[str]]:
    """The text in each slot, that of a cell over several slots repeated."""
    return [[cell.text if cell is not None else "" for cell in row] for row in grid]


def with_blocks_stacked(grid: list[Slots]) -> list[Slots]:
    """The grid with blocks of columns below each other that stood side by side under one and the same header."""
    texts = texts_of(grid)
    header = header_row_count(texts)
    if not header:
        return grid
    names = texts[header - 1]
    block, width = len(set(names)), len(names)
    if not all(names) or not 2 <= block < width or width % block:
        return grid
    starts = range(0, width, block)
    if any(row[start : start + block] != row[:block] for row in texts[:header] for start in starts):
        return grid
    body = [row[start : start + block] for start in starts for row in grid[header:]]
    return compact([*(row[:block] for row in grid[:header]), *body])


def table_found(box: BBox, grid: list[Slots], fragments: set[int], *, ruled: bool = False) -> TableFound:
    """The table with its cells as text, spans repeated, and the spans told apart."""
    return TableFound(box, texts_of(grid), fragments, ruled, _spans(grid))


def _spans(grid: list[Slots]) -> list[CellSpan]:
    slots: dict[int, list[tuple[int, int]]] = {}
    for r, row in enumerate(grid):
        for c, cell in enumerate(row):
            if cell is not None:
                slots.setdefault(id(cell), []).append((r, c))
    spans = []
    for places in slots.values():
        (top, left), (bottom, right) = places[0], places[-1]
        high, wide = bottom - top + 1, right - left + 1
        if len(places) > 1 and len(places) == high * wide:
            spans.append(CellSpan(row=top, column=left, rows=high, columns=wide))
    return sorted(spans, key=lambda span: (span.row, span.column))
