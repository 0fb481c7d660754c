"""The table scorer of the DocTree benchmark, on tables made by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.doctree_cells import Cell, Table, cell_text, from_boxes, from_rows, from_table, relations
from benchmarks.doctree_table_peers import pymupdf_tables, with_fallbacks
from benchmarks.doctree_tables import all_relations, counts, detected, read_structure
from benchmarks.quoted_words import iou
from helpers.make_pdf import grid, make_pdf

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.layout import CellSpan

HEADED = [["Region", "Sales", "Sales"], ["North", "12", "30"], ["South", "", "30"]]


def test_relations_go_to_the_nearest_cells_with_text() -> None:
    found = relations(from_rows([["a", "", "b"], ["", "c", ""], ["d", "e", "f"]]))
    assert set(found) == {
        ("a", "b", "right"), ("d", "e", "right"), ("e", "f", "right"),
        ("a", "d", "below"), ("c", "e", "below"), ("b", "f", "below"),
    }  # fmt: skip


def test_a_repeated_header_is_the_same_as_a_spanning_one() -> None:
    spanning = [Cell(0, 0, 0, 0, "Region"), Cell(0, 1, 0, 2, "Sales")]
    body = [cell for cell in from_rows(HEADED) if cell.row > 0]
    assert relations([*spanning, *body]) == relations(from_rows(HEADED))
    assert ("sales", "sales", "right") not in relations(from_rows(HEADED))


def test_a_tree_tells_its_spans() -> None:
    rows = [["Region", "2024", "2024"], ["Region", "12", "30"]]
    spans = [CellSpan(row=0, column=0, rows=2), CellSpan(row=0, column=1, columns=2)]
    assert from_table(TableData(rows=rows, spans=spans)) == [
        Cell(0, 0, 1, 0, "Region"), Cell(0, 1, 0, 2, "2024"), Cell(1, 1, 1, 1, "12"), Cell(1, 2, 1, 2, "30"),
    ]  # fmt: skip


def test_equal_numbers_stay_two_cells() -> None:
    assert relations(from_rows([["30", "30"]])) == {("30", "30", "right"): 1}


@pytest.mark.parametrize(
    ("text", "compared"),
    [("Net\nsales (a)", "netsalesa"), ("—", "_"), (" \n", ""), ("1,136", "1136"), ("ﬁrst", "first")],
)
def test_cell_texts_are_compared_by_letters_and_digits(text: str, compared: str) -> None:
    assert cell_text(text) == compared


def test_relations_that_are_missing_or_false_cost() -> None:
    truth = all_relations([Table(from_rows(HEADED), [])])
    assert counts(truth, truth) == (truth.total(),) * 3
    merged = all_relations([Table(from_rows([["Region Sales", "Sales"], ["North 12", "30"], ["South", "30"]]), [])])
    both, found, wanted = counts(truth, merged)
    assert (both, found, wanted) == (3, 7, 9)


def test_boxes_become_rows_and_columns_with_spans() -> None:
    cells = from_boxes(
        [((0, 0, 100, 10), "head"), ((0, 10.4, 50, 20), "a"), ((50, 10, 100, 20), "b"), ((0, 20, 50, 30), "c")], 1.0
    )
    assert [(c.row, c.column, c.last_row, c.last_column) for c in cells] == [
        (0, 0, 0, 1), (1, 0, 1, 0), (1, 1, 1, 1), (2, 0, 2, 0),
    ]  # fmt: skip


def test_truth_cells_get_their_regions_increments(tmp_path: Path) -> None:
    (tmp_path / "x-str.xml").write_text(
        "<document><table id='1'>"
        "<region page='1' row-increment='-1' col-increment='0'>"
        "<cell start-row='1' start-col='0' end-col='1'><content>Head</content></cell></region>"
        "<region page='1' row-increment='0' col-increment='1'>"
        "<cell start-row='1' start-col='0'><content>Value</content></cell></region>"
        "</table></document>"
    )
    (table,) = read_structure(tmp_path / "x-str.xml")
    assert table.cells == [Cell(0, 0, 0, 1, "Head"), Cell(1, 1, 1, 1, "Value")]
    assert relations(table.cells) == {("head", "value", "below"): 1}


def test_a_peer_reads_a_ruled_table_and_falls_back_page_by_page(tmp_path: Path) -> None:
    rows = [["Region", "Sales", "Cost"], ["North", "12", "30"], ["South", "7", "31"]]
    pdf = make_pdf(tmp_path / "full.pdf", lambda page: grid(page, 72, 100, rows))
    (table,) = pymupdf_tables(pdf, "lines")
    assert relations(table.cells) == relations(from_rows(rows))
    assert detected([(1, (72 / 595, 100 / 842, 342 / 595, 154 / 842))], [table]) == 1
    other = Table([], [(2, (0, 0, 1, 1))])
    ways = with_fallbacks({"lines": [table], "text": [Table([], [(1, (0, 0, 1, 1))]), other]}, "lines")
    assert ways["lines_then_text"] == [table, other]
    assert Table.from_json(table.as_json()) == table


def test_overlap_of_boxes() -> None:
    assert iou((0, 0, 2, 1), (1, 0, 3, 1)) == pytest.approx(1 / 3)
    assert iou((0, 0, 1, 1), (2, 2, 3, 3)) == 0
