from helpers.index_trees import TreeBuilder

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import split_id
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.rows import row_records
from cosee.index.view import IndexView


def texts(title: str, rows: list[list[str]], header_rows: int = 1) -> dict[str, str]:
    build = TreeBuilder()
    build.section("sec_1", "Results")
    build.table("tab_2", title, rows)
    build.nodes[-1].table = TableData(rows=rows, header_rows=header_rows)
    records = row_records(IndexView(build.build()), IndexSettings())
    return {record.node_id: record.dense_text for record in records}


def test_row_has_the_caption_its_name_and_its_cells_with_their_columns() -> None:
    # contract: D45
    rows = [["Model", "Accuracy (%)", "Latency (ms)"], ["Heron", "88.1", "12"], ["Egret", "84.0", ""]]
    assert texts("Table 2: Models", rows) == {
        "tab_2#r1": "Table 2: Models\nHeron; Accuracy (%): 88.1; Latency (ms): 12",
        "tab_2#r2": "Table 2: Models\nEgret; Accuracy (%): 84.0",
    }
    assert split_id("tab_2#r1") == ("tab_2", "r", 1)


def test_headers_of_several_rows_and_a_line_over_a_group_are_part_of_the_row() -> None:
    rows = [["", "2022", "2022"], ["", "Q1", "Q2"], ["Costs:", "", ""], ["Wages", "5", "6"], ["Rent", "1", "1"]]
    assert texts("", rows, 2)["tab_2#r4"] == "Results\nCosts: Rent; 2022 Q1: 1; 2022 Q2: 1"
    assert texts("", [["A", "B"], ["1", "2"], ["Notes", ""]])["tab_2#r2"] == "Results\nNotes"


def test_table_without_a_header_gives_every_row() -> None:
    assert texts("", [["Founded", "1912"], ["Seats", "80"]], 0) == {
        "tab_2#r0": "Results\nFounded; 1912", "tab_2#r1": "Results\nSeats; 80",
    }  # fmt: skip
    assert list(texts("", [["one"], ["two"]], 0)) == ["tab_2#r0", "tab_2#r1"]


def test_merged_cell_is_given_once() -> None:
    rows = [["Item", "Total", "Total"], ["Sales", "7", "7"]]
    assert texts("T", rows)["tab_2#r1"] == "T\nSales; Total: 7"


def test_long_table_has_a_bounded_number_of_records_that_hold_every_row() -> None:
    rows = [["Name", "Count"]] + [[f"item{n}", str(n)] for n in range(95)]
    found = texts("T", rows)
    assert len(found) == 32 and list(found)[1] == "tab_2#r4"
    assert all(f"item{n};" in " ".join(found.values()) for n in range(95))


def test_hidden_table_has_no_rows() -> None:
    build = TreeBuilder()
    build.table("tab_1", "T", [["a", "b"], ["1", "2"]], flags=["hidden"])
    assert row_records(IndexView(build.build()), IndexSettings()) == []
