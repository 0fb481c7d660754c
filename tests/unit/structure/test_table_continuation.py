from __future__ import annotations

from helpers.content_lists import Pages

from cosee.artifacts.documents.layout import CellSpan
from cosee.structure.enhance import enhance

LOW, HIGH = (0.1, 0.5, 0.9, 0.92), (0.1, 0.1, 0.9, 0.4)


def two(
    first: list[list[str]], second: list[list[str]], caption: str | None = None, between: str | None = None
) -> Pages:
    pages = Pages()
    pages.add("Table 1: Prices per unit.", bbox=(0.1, 0.47, 0.5, 0.49))
    pages.table(first, bbox=LOW)
    pages.page()
    if between:
        pages.add(between, bbox=(0.1, 0.05, 0.9, 0.08))
    if caption:
        pages.add(caption, bbox=(0.1, 0.08, 0.5, 0.095))
    pages.table(second, bbox=HIGH)
    return pages


def rows_of(pages: Pages) -> list[list[list[str]]]:
    return [item.table.rows for item in enhance(pages.adapted()).items if item.table is not None]


def test_a_repeated_header_is_left_out_and_both_regions_are_kept() -> None:
    pages = two([["Item", "Price"], ["Pump", "13"]], [["Item", "Price"], ["Valve", "16"]])
    assert rows_of(pages) == [[["Item", "Price"], ["Pump", "13"], ["Valve", "16"]]]
    table = next(item for item in enhance(pages.adapted()).items if item.role == "table")
    assert [region.page_idx for region in table.regions] == [0, 1]
    assert table.bbox == LOW
    assert table.members == ["tab_2"]


def test_rows_without_a_header_go_on_and_chains_are_followed() -> None:
    pages = two([["Item", "Price"], ["Pump", "13"]], [["Valve", "16"]])
    pages.items[-1].bbox = (0.1, 0.1, 0.9, 0.92)
    pages.page()
    pages.table([["Pipe", "2"]], bbox=HIGH)
    assert rows_of(pages) == [[["Item", "Price"], ["Pump", "13"], ["Valve", "16"], ["Pipe", "2"]]]


def test_columns_that_follow_on_the_next_page_are_set_beside() -> None:
    pages = two(
        [["Key", "A", "B"], ["Alpha", "1", "2"], ["Beta", "2", "4"]],
        [["Key", "C", "D"], ["Alpha", "3", "31"], ["Beta", "6", "32"]],
    )
    assert rows_of(pages) == [
        [["Key", "A", "B", "C", "D"], ["Alpha", "1", "2", "3", "31"], ["Beta", "2", "4", "6", "32"]]
    ]


def test_other_tables_stay_apart() -> None:
    first = [["Item", "Price"], ["Pump", "13"]]
    assert len(rows_of(two(first, [["Item", "Price", "Unit"], ["Valve", "16", "m"]]))) == 2
    assert len(rows_of(two(first, [["Town", "Country"], ["Bern", "CH"]]))) == 2
    assert len(rows_of(two(first, [["Valve", "16"]], caption="Table 2: Costs."))) == 2
    assert len(rows_of(two(first, [["Valve", "16"]], between="The next list was made later in the year."))) == 2


def test_two_header_rows_repeat_and_spans_move_with_their_rows() -> None:
    head = [["Item", "2022", "2022"], ["Item", "Price", "Unit"]]
    pages = two([*head, ["Pump", "13", "pc"]], [*head, ["Valve", "16", "16"]])
    first, second = (item.table for item in pages.items if item.table is not None)
    assert first is not None and second is not None
    for table in (first, second):
        table.header_rows = 2
        table.spans = [CellSpan(row=0, column=0, rows=2), CellSpan(row=0, column=1, columns=2)]
    second.spans.append(CellSpan(row=2, column=1, columns=2))
    table = next(item.table for item in enhance(pages.adapted()).items if item.table is not None)
    assert table.rows == [*head, ["Pump", "13", "pc"], ["Valve", "16", "16"]]
    assert table.spans == [*first.spans, CellSpan(row=3, column=1, columns=2)]
