"""A table's cells with those that span rows and columns."""

from __future__ import annotations

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan


def merged_cells(table: TableData) -> list[CellSpan]:
    """The spans that can be shown as one cell: inside the table, apart from each other, the same text throughout.

    Any other is left as single cells, so that merging never hides a cell's text.
    """
    taken: set[tuple[int, int]] = set()
    kept = []
    width = len(table.rows[0]) if table.rows else 0
    for span in table.spans:
        slots = _slots(span)
        inside = span.row >= 0 and span.column >= 0
        inside = inside and span.row + span.rows <= len(table.rows) and span.column + span.columns <= width
        if not inside or len(slots) < 2 or taken & slots:
            continue
        if len({table.rows[row][column] for row, column in slots}) == 1:
            taken |= slots
            kept.append(span)
    return kept


def covered(spans: list[CellSpan]) -> set[tuple[int, int]]:
    """Slots (row, column) that a merged cell takes beside its own, the top left one."""
    return {slot for span in spans for slot in _slots(span) if slot != (span.row, span.column)}


def _slots(span: CellSpan) -> set[tuple[int, int]]:
    rows, columns = range(span.row, span.row + span.rows), range(span.column, span.column + span.columns)
    return {(row, column) for row in rows for column in columns}
