from __future__ import annotations

from cosee.artifacts.documents.layout import Layout, LayoutBlock, LayoutPage, Line, Span
from cosee.parse.content.adapt import adapt
from cosee.parse.tables.rest import text_without_cell

BOX = (0.0, 0.0, 100.0, 20.0)


def block(rows: list[list[str]], *lines: list[str], marks: tuple[str, ...] = ()) -> LayoutBlock:
    made = [
        Line(bbox=BOX, spans=[Span(text=t, bbox=BOX, size=9, font="F", superscript=t in marks) for t in texts])
        for texts in lines
    ]
    return LayoutBlock(id="b0_0", kind="table", bbox=BOX, rows=rows, lines=made)


def test_a_column_that_no_cell_holds_is_found_though_its_text_repeats() -> None:
    rows = [["Model", "A"], ["Humidity", "up to 95%"], ["Rating", "IP65"]]
    found = block(rows, ["Model", "A", "B"], ["Humidity", "up to 95%", "up to 95%"], ["Rating", "IP65", "IP22"])
    assert text_without_cell(found) == ["B", "up to 95%", "IP22"]


def test_joined_split_and_marked_cells_are_whole() -> None:
    rows = [["Environment", "1,234"], ["a b", "5"]]
    stacked = [["Pin", "Name"], ["1", "+5V"], ["2", "GND"]]
    assert text_without_cell(block(stacked, ["Pin ", "Name ", "Pin ", "Name"], ["1", "+5V", "2", "GND"])) == []
    assert text_without_cell(block([["ŷ", "Zürich"]], ["ˆ", "y", "Zu\u0308rich"])) == []
    assert text_without_cell(block(rows, ["Environ-"], ["ment", "1,234", "a"], ["a b 5"], marks=("a",))) == []


def test_the_rest_is_a_row_of_the_table() -> None:
    # contract: D22
    page = LayoutPage(page_idx=0, width=100, height=100, blocks=[block([["a", "b"]], ["a", "b", "lost words"])])
    item = adapt(Layout(doc_id="d", parser="t", pages=[page])).items[0]
    assert item.table is not None and item.table.rows == [["a", "b"], ["lost words", ""]]
    assert item.flags == ["text_without_cell"]
