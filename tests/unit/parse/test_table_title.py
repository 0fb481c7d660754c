from __future__ import annotations

from cosee.artifacts.documents.layout import CellSpan, LayoutBlock, Line, Span
from cosee.parse.tables.title import without_titles


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
    title, table = without_titles(block)
    assert (title.kind, title.rows, title.spans, title.flags) == ("text", None, [], [])
    assert table.rows is not None and table.rows[0] == ["", "Sites", "Sites"]
    assert table.spans == [CellSpan(row=0, column=1, rows=1, columns=2)]


def grid(*rows: list[str]) -> LayoutBlock:
    """A table of one line a cell."""
    drawn = []
    for number, row in enumerate(rows):
        for column, cell in enumerate(dict.fromkeys(row)):
            box = (50.0 + 100 * column, 50.0 + 15 * number, 140.0 + 100 * column, 60.0 + 15 * number)
            drawn.append(Line(bbox=box, spans=[Span(text=cell, bbox=box, size=10, font="Helvetica")] if cell else []))
    drawn = [line for line in drawn if line.spans]
    spans = [CellSpan(row=number, column=0, rows=1, columns=2) for number, row in enumerate(rows) if row[0] == row[1]]
    box = (50.0, 50.0, 300.0, 50.0 + 15 * len(rows))
    return LayoutBlock(id="b0_0", kind="table", bbox=box, lines=drawn, rows=list(rows), spans=spans, flags=["ruled"])


def kinds(blocks: list[LayoutBlock]) -> list[object]:
    return [block.rows if block.kind == "table" else " ".join(line.text for line in block.lines) for block in blocks]


def test_rows_that_a_bookmark_names_are_a_heading_and_part_their_table() -> None:
    block = grid(["2.1", "Contact"], ["a", "1"], ["Audit of", "Audit of"], ["suppliers", "suppliers"], ["b", "2"])
    whole = ["2.1 Contact", [["a", "1"]], "Audit of suppliers", [["b", "2"]]]
    parts = without_titles(block, {"contact", "auditofsuppliers"})
    assert kinds(parts) == whole
    assert [part.bbox[1] < part.bbox[3] for part in parts] == [True] * 4
    assert all(span.row < len(part.rows or []) for part in parts for span in part.spans)


def test_a_cell_that_a_bookmark_names_among_others_stays_in_its_row() -> None:
    block = grid(["Range", "10 m"], ["Modes", "three"], ["Sizes", "two"])
    assert without_titles(block, {"range", "modes"}) == [block]
    assert without_titles(block) == [block]
