"""Docling's table cells, each with its slot and span, as rows of text."""

from __future__ import annotations

from typing import Any

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan
from cosee.parse.docling.document import Fields
from cosee.parse.docling.places import is_whole
from cosee.parse.docling.thresholds import MAX_SIDE
from cosee.parse.mineru.text import encodable, plain
from cosee.parse.tables.text import header_row_count
from cosee.parse.tables.thresholds import MAX_CELLS


def table_of(data: Any) -> TableData:
    """The table of a node's ``data``, without rows where it has no cells or too many of them.

    A spanning cell is repeated text; a slot that two cells want is the first's.

    Header rows are the leading ones in which every cell is marked as a column's head, else as the cells say.
    """
    cells = [cell for each in _listed(data) if (cell := _cell(each)) is not None]
    height = max((row + rows for row, _, rows, *_ in cells), default=0)
    width = max((column + columns for _, column, _, columns, *_ in cells), default=0)
    if not cells or height * width > MAX_CELLS:
        return TableData(rows=[], header_rows=0)
    slots: list[list[str | None]] = [[None] * width for _ in range(height)]
    filled = 0
    heads = [[False] * width for _ in range(height)]
    spans: list[CellSpan] = []
    for row, column, rows, columns, text, is_head in cells:
        filled += rows * columns
        if slots[row][column] is not None or filled > 2 * MAX_CELLS:
            continue
        for y in range(row, row + rows):
            for x in range(column, column + columns):
                if slots[y][x] is None:
                    slots[y][x], heads[y][x] = text, is_head
        if text and (rows > 1 or columns > 1):
            spans.append(CellSpan(row=row, column=column, rows=rows, columns=columns))
    found = [[text or "" for text in row] for row in slots]
    marked = next((n for n, row in enumerate(heads) if not _is_header(row, slots[n])), height)
    header_rows = marked if 0 < marked < height else header_row_count(found)
    return TableData(rows=found, spans=spans, header_rows=header_rows)


def texts_of(data: Any) -> list[str]:
    """The text of every cell that has one, in order."""
    return [cell[4] for each in _listed(data) if (cell := _cell(each)) is not None and cell[4]]


def _is_header(heads: list[bool], texts: list[str | None]) -> bool:
    return any(heads) and all(head or not text for head, text in zip(heads, texts, strict=True))


def _listed(data: Any) -> list[Any]:
    """The cells; of an older file, or one without ``table_cells``, those of its grid."""
    cells = data.get("table_cells") if isinstance(data, dict) else None
    if isinstance(cells, list) and cells:
        return cells
    grid = data.get("grid") if isinstance(data, dict) else None
    return [cell for row in grid if isinstance(row, list) for cell in row] if isinstance(grid, list) else []


def _cell(cell: Any) -> tuple[int, int, int, int, str, bool] | None:
    """Row, column, rows, columns, text and whether it is a column's head; None for what is no cell."""
    if not isinstance(cell, dict):
        return None
    row, column = _slot(cell, "start_row_offset_idx"), _slot(cell, "start_col_offset_idx")
    if row is None or column is None:
        return None
    rows = max(1, (_slot(cell, "end_row_offset_idx") or row + 1) - row)
    columns = max(1, (_slot(cell, "end_col_offset_idx") or column + 1) - column)
    text = cell.get("text")
    said = plain(encodable(text)) if isinstance(text, str) else ""
    return row, column, rows, columns, said, cell.get("column_header") is True


def _slot(cell: Fields, name: str) -> int | None:
    value = cell.get(name)
    return value if is_whole(value) and 0 <= value <= MAX_SIDE else None
