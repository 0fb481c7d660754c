"""Tables as CSV and XLSX: they read back equal, cells that would be run do not, numbers stay numbers."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from helpers.export_trees import ROWS, export_tree, write_folder
from hypothesis import given, settings
from hypothesis import strategies as st
from openpyxl import load_workbook

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.layout import CellSpan
from cosee.export.documents import Source, export
from cosee.export.grid import merged_cells
from cosee.export.tables import csv_table, read_csv_table, reads_as_formula
from cosee.export.workbook import expected_sheet, formulas, number_in, read_workbook, workbook

CELLS = st.text(st.sampled_from(list("=+-@'\t\r\n,;\" 12.%aé|＝")), max_size=6)


@pytest.mark.parametrize("cell", ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", " =1", "＝1", "-x", "'=1"])
def test_a_cell_that_would_be_run_gets_an_apostrophe(cell: str) -> None:
    assert reads_as_formula(cell)
    ((read,),) = csv.reader(io.StringIO(csv_table([[cell]]), newline=""))
    assert read == "'" + cell


@pytest.mark.parametrize(
    "cell", ["-5", "-5.2", "+3 %", "-1,234.50", "-$5", "-", "- %", "12%", "(7)", "a=b", "'tis", ""]
)
def test_numbers_and_words_stay_as_they_are(cell: str) -> None:
    assert not reads_as_formula(cell)
    assert csv_table([[cell, "x"]]).split(",x")[0].strip('"').replace('"', "") == cell


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(CELLS, min_size=2, max_size=2), min_size=1, max_size=4))
def test_csv_reads_back_equal(rows: list[list[str]]) -> None:
    assert read_csv_table(csv_table(rows)) == rows


def table(rows: list[list[str]], *spans: CellSpan, header_rows: int = 1, node_id: str = "tab_1") -> Node:
    data = TableData(rows=rows, spans=list(spans), header_rows=header_rows)
    return Node(id=node_id, type="table", parent="doc", page_idx=0, page_span=(0, 0), label="Table 1", table=data)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.lists(CELLS.filter(lambda text: "\r" not in text), min_size=2, max_size=2), min_size=1, max_size=4))
def test_a_workbook_reads_back_equal_and_has_no_formula(rows: list[list[str]]) -> None:
    data = workbook([table(rows)], "en")
    assert read_workbook(data)["tab_1"].rows == rows
    assert formulas(data) == 0


def test_a_sheet_has_merged_cells_numbers_and_quoted_text() -> None:
    data = workbook([export_tree().node("tab_3")], "en")
    book = load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["Contents", "Table 1"]
    sheet = book["Table 1"]
    assert [str(each) for each in sheet.merged_cells.ranges] == ["B1:C1"]
    assert (sheet["B2"].value, sheet["C3"].value, sheet["C3"].number_format) == (-5.2, 1234.5, "#,##0.00")
    assert (sheet["A2"].value, sheet["A2"].data_type, sheet["A2"].quotePrefix) == ("=1+1", "s", True)
    assert sheet["C4"].value == "007" and sheet["B5"].value == 0.12
    assert read_workbook(data)["tab_3"] == expected_sheet(export_tree().node("tab_3").table)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "language", "found"),
    [
        ("1,234", "en", (1234.0, "#,##0")),
        ("1,234", "de", None),
        ("1.234", "de", None),
        ("1,234,567.8", "de", (1234567.8, "#,##0.0")),
        ("-0.50", None, (-0.5, "0.00")),
        ("12.5%", None, (0.125, "0.0%")),
        ("(2,980)", "en", (-2980.0, "#,##0;(#,##0)")),
        ("($0.5)", "de", (-0.5, '"$"0.0;("$"0.0)')),
        ("-€12", None, (-12.0, '"€"0')),
        ("$(5)", None, (-5.0, '"$"0;"$"(0)')),
        ("(0.3 %)", None, (-0.003, "0.0 %;(0.0 %)")),
        ("(5", "en", None),
        ("$($5)", "en", None),
        ("-(5)", "en", None),
        ("-0.00", "en", None),
        ("007", "en", None),
        ("12345678901234567", "en", None),
        ("2 of 3", "en", None),
        ("1e5", "en", None),
    ],
)
def test_what_is_a_number(text: str, language: str | None, found: tuple[float, str] | None) -> None:
    assert number_in(text, language) == found


def test_a_span_that_would_hide_text_or_overlaps_is_not_merged() -> None:
    wide = CellSpan(row=0, column=0, columns=2)
    rows = [["a", "a"], ["b", "c"]]
    overlapping = CellSpan(row=0, column=1, rows=2)
    outside = CellSpan(row=1, column=1, columns=5)
    hiding = CellSpan(row=1, column=0, columns=2)
    assert merged_cells(TableData(rows=rows, spans=[wide, overlapping, outside, hiding])) == [wide]


def test_names_of_sheets_are_told_apart() -> None:
    nodes = [table([["a"]], node_id=f"tab_{number}") for number in range(3)]
    nodes[1].label, nodes[2].label = "TABLE 1", "History/[2023]: a very long name of a table that does not fit"
    names = load_workbook(io.BytesIO(workbook(nodes, None))).sheetnames
    assert names == ["Contents", "Table 1", "TABLE 1 (2)", "History 2023 a very long name o"]


def test_files_of_a_document_repeat_and_old_ones_go(tmp_path: Path) -> None:
    source, out = Source(write_folder(tmp_path / "odd"), "odd"), tmp_path / "out"
    (out / "odd.tables").mkdir(parents=True)
    (out / "odd.tables" / "page-009-tab_9.csv").write_text("of an earlier tree")
    made = export("tables", source, out)
    assert made.counts == {"tables": 1, "cells": 15, "merged": 1, "guarded": 4}
    assert [path.relative_to(out).as_posix() for path in made.outputs] == [
        "odd.tables/page-001-tab_3.csv", "odd.tables.xlsx",
    ]  # fmt: skip
    assert len(list((out / "odd.tables").iterdir())) == 1
    assert read_csv_table(made.outputs[0].read_bytes().decode()) == ROWS
    first = [path.read_bytes() for path in made.outputs]
    assert [path.read_bytes() for path in export("tables", source, tmp_path / "again").outputs] == first
