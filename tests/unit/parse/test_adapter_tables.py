from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import grid, lines, make_pdf, sentence

from cosee.artifacts.documents.layout import CellSpan, Span
from cosee.parse.layout.page_layout import lay_out
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.pdf.page_source import read_page
from cosee.parse.tables.columns import find_aligned
from cosee.parse.tables.html_table import table_from_html, table_html
from cosee.parse.tables.text import header_row_count, is_numeric


def tables_of(path: Path) -> list[list[list[str]]]:
    with pymupdf.open(path) as document:
        blocks = lay_out(read_page(document[0]), 0, with_tables=True).blocks
    return [block.rows for block in blocks if block.rows is not None]


def test_ruled_table_with_a_wrapped_cell(tmp_path: Path) -> None:
    # contract: D3
    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(1), sentence(2)])
        grid(page, 60, 100, [["Item", "Unit", "Price"], ["Pump", "pc", "13.07"], ["Valve", "kg", "16.14"]])

    assert tables_of(make_pdf(tmp_path / "a.pdf", draw)) == [
        [["Item", "Unit", "Price"], ["Pump", "pc", "13.07"], ["Valve", "kg", "16.14"]]
    ]


@pytest.mark.parametrize("painted", ["between two rectangles", "sides cut off aslant"])
def test_cells_with_borders_of_their_own_as_browsers_paint_them(tmp_path: Path, painted: str) -> None:
    rows = [["Ship", "Tons", "Fee"], ["Anna", "120", "40"], ["Bertha", "88", "31"]]

    def border(page: Any, x0: float, y0: float, x1: float, y1: float) -> None:
        inner = [(x0 + 0.75, y0 + 0.75), (x1 - 0.75, y0 + 0.75), (x1 - 0.75, y1 - 0.75), (x0 + 0.75, y1 - 0.75)]
        outer = [(x0, y0), (x1, y0), (x1, y1), (x0, y1)]
        sides = [[outer[n - 1], outer[n], inner[n], inner[n - 1], outer[n - 1]] for n in range(4)]
        shape = page.new_shape()
        for n, side in enumerate(sides if painted == "sides cut off aslant" else []):
            if n % 2:
                shape.draw_rect(pymupdf.Rect(*side[0], *side[2]).normalize())
            else:
                shape.draw_polyline(side)
            shape.finish(color=None, fill=(0.2, 0.2, 0.2))
        if painted == "between two rectangles":
            shape.draw_rect((x0, y0, x1, y1))
            shape.draw_rect((*inner[0], *inner[2]))
            shape.finish(color=None, fill=(0.2, 0.2, 0.2), even_odd=True)
        shape.commit()

    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(1), sentence(2)])
        border(page, 58, 98, 324, 160)
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                border(page, 60 + 88 * c, 100 + 20 * r, 146 + 88 * c, 118 + 20 * r)
                page.insert_text((64 + 88 * c, 112 + 20 * r), text, fontsize=9)
        lines(page, 60, 190, [sentence(3)])

    assert tables_of(make_pdf(tmp_path / "a.pdf", draw)) == [rows]


def test_grounds_of_code_in_a_table_are_no_drawing_and_names_over_no_rules_are_cells(tmp_path: Path) -> None:
    rows = [["Symbol", "Explanation"], ["path::item", "Namespace path"], ["self::item", "Path to the module itself"],
            ["super::item", "Path to the parent"]]  # fmt: skip

    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(1), sentence(2)])
        page.draw_rect((60, 100, 460, 120), color=None, fill=(0.8, 0.8, 0.8))
        page.draw_rect((60, 100, 460, 120), width=0.5)
        page.insert_text((110, 114), "Symbol", fontsize=11, fontname="hebo")
        page.insert_text((320, 114), "Explanation", fontsize=11, fontname="hebo")
        for r, (code, text) in enumerate(rows[1:], start=1):
            page.draw_rect((66, 102 + 20 * r, 134, 118 + 20 * r), radius=0.3, color=None, fill=(0.95, 0.95, 0.95))
            for x0, x1, x, words, font in ((60, 260, 70, code, "cour"), (260, 460, 270, text, "helv")):
                page.draw_rect((x0, 100 + 20 * r, x1, 120 + 20 * r), width=0.5)
                page.insert_text((x, 113 + 20 * r), words, fontsize=9, fontname=font)
        lines(page, 60, 210, [sentence(3)])

    assert tables_of(make_pdf(tmp_path / "a.pdf", draw)) == [rows]


def test_merged_header_cells_are_repeated(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.draw_rect((60, 100, 330, 118), width=0.5)
        page.draw_line((150, 100), (150, 118), width=0.5)
        page.insert_text((64, 113), "crew", fontsize=9)
        page.insert_text((210, 113), "summer", fontsize=9)
        grid(page, 60, 118, [["", "paint", "weld"], ["red", "110", "215"], ["green", "190", "420"]])

    assert tables_of(make_pdf(tmp_path / "a.pdf", draw)) == [
        [["crew", "summer", "summer"], ["", "paint", "weld"], ["red", "110", "215"], ["green", "190", "420"]]
    ]


def test_borderless_table_of_numbers_with_currency_signs(tmp_path: Path) -> None:
    rows = [
        ["", "2021", "2022"],
        ["Revenue", "1,234", "1,310"],
        ["Cost of sales", "(45)", "(52)"],
        ["Profit", "1,189", "1,258"],
    ]

    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(1, 14), sentence(2, 14)])
        for r, row in enumerate(rows):
            for x, text in zip((60, 300, 420), row, strict=True):
                page.insert_text((x, 120 + 15 * r), text, fontsize=10)
        page.insert_text((285, 135), "$", fontsize=10)
        lines(page, 60, 220, [sentence(3, 14), sentence(4, 14)])

    found = tables_of(make_pdf(tmp_path / "a.pdf", draw))
    assert found == [[["", "2021", "2022"], ["Revenue", "$1,234", "1,310"], *rows[2:]]]


@pytest.mark.parametrize("last", ["\u00b2", "9" * 5000])
def test_digits_that_are_no_whole_number_are_text_of_their_cell(last: str) -> None:
    rows = [["Item", "Cost", "Note"], ["Pump", "12.5", "1"], ["Valve", "13.5", "2"], ["Gate", "14.0", "3"],
            ["Pipe", "15.0", last]]  # fmt: skip
    fragments = []
    for r, row in enumerate(rows):
        for x, text in zip((50.0, 200.0, 300.0), row, strict=True):
            box = (x, 50.0 + 15 * r, x + 20, 60.0 + 15 * r)
            span = Span(text=text, bbox=box, size=10, font="Helvetica")
            fragments.append(Fragment(box, [span], [Word(text, box)]))
    (table,) = find_aligned(fragments, list(range(len(fragments))), [])
    assert table.rows == rows


def test_rules_over_the_value_columns_do_not_cut_off_the_labels(tmp_path: Path) -> None:
    rows = [["Net sales", "118", "160"], ["Marketing", "10", "18"], ["Technology", "22", "35"], ["Total", "150", "213"]]

    def draw(page: Any) -> None:
        for r, row in enumerate(rows):
            for x, text in zip((60, 400, 480), row, strict=True):
                page.insert_text((x, 120 + 16 * r), text, fontsize=10)
        for y in (108, 156, 172):
            page.draw_line((390, y), (510, y), width=0.5)

    assert tables_of(make_pdf(tmp_path / "a.pdf", draw)) == [rows]


def test_prose_forms_lists_and_contents_are_not_tables(tmp_path: Path) -> None:
    def two_columns(page: Any) -> None:
        for n in range(20):
            page.insert_text((60, 100 + 13 * n), sentence(n, 8), fontsize=9)
            page.insert_text((320, 100 + 13 * n), sentence(n + 40, 8), fontsize=9)

    def form(page: Any) -> None:
        for n, (key, value) in enumerate(
            [("Name:", "A. Smith"), ("Street:", "High Road"), ("Town:", "Hull"), ("Country:", "UK")]
        ):
            page.insert_text((60, 100 + 16 * n), key, fontsize=10)
            page.insert_text((160, 100 + 16 * n), value, fontsize=10)

    def bullets(page: Any) -> None:
        for n in range(6):
            page.insert_text((60, 100 + 14 * n), "-", fontsize=10)
            page.insert_text((80, 100 + 14 * n), sentence(n, 6), fontsize=10)

    def contents(page: Any) -> None:
        for n in range(8):
            page.insert_text((60, 100 + 14 * n), f"Chapter about {sentence(n, 2)}", fontsize=10)
            page.insert_text((500, 100 + 14 * n), str(3 + 7 * n), fontsize=10)

    for number, draw in enumerate((two_columns, form, bullets, contents)):
        assert tables_of(make_pdf(tmp_path / f"{number}.pdf", draw)) == [], draw.__name__


def test_numbers_and_header_rows() -> None:
    assert all(is_numeric(text) for text in ("1,234.5", "(45.2)", "-12.0", "12.5%", "3 400", "$ 7", "\u2014", "US$5m"))
    assert not any(is_numeric(text) for text in ("Total", "A-12", "", "see note 3"))
    assert header_row_count([["", "2021", "2022"], ["Revenue", "5", "6"]]) == 1
    assert header_row_count([["Monday", "9-12"], ["Tuesday", "14-18"]]) == 0
    assert header_row_count([["", "summer", "summer"], ["crew", "paint", "weld"], ["red", "1", "2"]]) == 2


def test_spans_go_to_html_and_come_back() -> None:
    rows = [["Crew", "Summer", "Summer"], ["Crew", "paint", "weld"], ["red", "110", "<5"]]
    spans = [CellSpan(row=0, column=0, rows=2), CellSpan(row=0, column=1, columns=2)]
    html = table_html(rows, spans)
    assert '<td rowspan="2">Crew</td><td colspan="2">Summer</td></tr><tr><td>paint</td>' in html
    table = table_from_html(html)
    assert (table.rows, table.spans) == (rows, spans)
