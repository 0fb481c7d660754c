from __future__ import annotations

from cosee.artifacts.documents.layout import CellSpan, LayoutBlock, Line, Span
from cosee.parse.tables.title import without_title


def line(text: str, y: float, size: float) -> Line:
    box = (50.0, y, 50.0 + 5 * len(text), y + size)
    return Line(bbox=box, spans=[Span(text=text, bbox=box, size=size, font="Helvetica")])


def test_spans_of_a_table_move_up_where_its_first_row_is_a_heading() -> None:
    block = LayoutBlock(
        id="b0_0",
        kind="table",
        bbox=(50.0, 50.0, 300.0, 120.0),
        lines=[line("Results", 50, 16), line("North South", 70, 10), line("Ore 1 2", 85, 10), line("Oil 3 4", 100, 10)],
        rows=[["Results"] * 3, ["", "Sites", "Sites"], ["Ore", "1", "2"], ["Oil", "3", "4"]],
        spans=[CellSpan(row=0, column=0, rows=1, columns=3), CellSpan(row=1, column=1, rows=1, columns=2)],
        flags=["ruled"],
    )
    title, table = without_title(block)
    assert (title.kind, title.rows, title.spans, title.flags) == ("text", None, [], [])
    assert table.rows is not None and table.rows[0] == ["", "Sites", "Sites"]
    assert table.spans == [CellSpan(row=0, column=1, rows=1, columns=2)]
