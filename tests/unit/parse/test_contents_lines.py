from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.make_pdf import lines, make_pdf, sentence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Layout, OutlineEntry
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.content.bookmark_titles import bookmark_titles, title_cuts
from cosee.parse.pdf_reader import read_pdf

ENTRIES = [("Purpose", 60, 2), ("Access", 74, 2), ("Power supply", 74, 3), ("Operation", 60, 4), ("Safety", 60, 5)]


def layout_of(pdf: Path) -> Layout:
    return read_pdf(pdf, "doc", AdaptSettings(ocr="none"), pdf.parent / "images").layout


def read(pdf: Path) -> ContentList:
    return adapt(layout_of(pdf))


@pytest.mark.parametrize("title", ["Contents", "Inhaltsverzeichnis", "Sommaire"])
def test_right_aligned_numbers_below_a_title_give_one_item_a_line_with_its_indent(tmp_path: Path, title: str) -> None:
    def contents(page: Any) -> None:
        page.insert_text((60, 60), title, fontsize=16, fontname="hebo")
        for row, (text, x, number) in enumerate(ENTRIES):
            page.insert_text((x, 100 + 16 * row), text, fontsize=10)
            page.insert_text((530, 100 + 16 * row), str(number), fontsize=10)

    toc = [item for item in read(make_pdf(tmp_path / "full.pdf", contents)).items if item.role == "toc"]
    assert [item.text for item in toc] == [f"{text} {number}" for text, _, number in ENTRIES]
    assert [round(item.bbox[0] * 595) for item in toc] == [x for _, x, _ in ENTRIES]


def test_a_column_of_rising_figures_without_title_or_leaders_is_no_contents(tmp_path: Path) -> None:
    def table(page: Any) -> None:
        lines(page, 60, 60, [sentence(1, 12)])
        for row, (text, _, number) in enumerate(ENTRIES):
            page.insert_text((60, 100 + 16 * row), text, fontsize=10)
            page.insert_text((530, 100 + 16 * row), str(number), fontsize=10)

    assert not [item for item in read(make_pdf(tmp_path / "full.pdf", table)).items if item.role == "toc"]


def test_contents_that_go_on_over_a_page_are_read_to_their_end(tmp_path: Path) -> None:
    def part(start: int, title: str) -> Any:
        def draw(page: Any) -> None:
            page.insert_text((60, 60), title, fontsize=16, fontname="hebo")
            for row in range(5):
                page.insert_text((60, 100 + 16 * row), f"Chapter about topic {start + row}", fontsize=10)
                page.insert_text((530, 100 + 16 * row), str(start + row), fontsize=10)

        return draw

    content = read(make_pdf(tmp_path / "full.pdf", part(10, "Contents"), part(15, "Handbook")))
    assert [item.page_idx for item in content.items if item.role == "toc"] == [0] * 5 + [1] * 5


def test_a_heading_in_larger_type_is_not_the_first_row_of_the_table_below(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 72), "3.4  Pump data", fontsize=13, fontname="hebo")
        for row, cells in enumerate(
            [("Type", "Flow", "Power"), ("A", "120", "4.5"), ("B", "140", "5.0"), ("C", "9", "6")]
        ):
            for column, cell in enumerate(cells):
                page.insert_text((60 + 90 * column, 92 + 14 * row), cell, fontsize=10)
        lines(page, 60, 200, [sentence(n, 14) for n in range(4)])

    content = read(make_pdf(tmp_path / "full.pdf", draw))
    assert "3.4 Pump data" in [" ".join(item.text.split()) for item in content.items if item.role != "table"]


def test_a_line_in_italics_or_colour_is_cut_from_the_paragraph_below(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "Sampling plan", fontsize=10, fontname="tiit")
        y = lines(page, 60, 72, [sentence(n, 15) for n in range(3)], pitch=12, font="tiro")
        page.insert_text((60, y), "Storage", fontsize=10, fontname="tiro", color=(0, 0.2, 0.6))
        lines(page, 60, y + 12, [sentence(n, 15) for n in range(3)], pitch=12, font="tiro")

    items = read(make_pdf(tmp_path / "full.pdf", draw)).items
    first, second = items[0], items[2]
    assert (first.text, first.italic, first.color) == ("Sampling plan", True, None)
    assert (second.text, second.italic, second.color) == ("Storage", False, "#003399")


def test_bookmarks_cut_the_lines_that_they_name_out_of_a_paragraph() -> None:
    titles = bookmark_titles([OutlineEntry(level=1, title="2 Method", page_idx=3)])
    assert title_cuts(["some words", "2. Method", "we counted"], titles[3]) == {1, 2}
    assert title_cuts(["some words", "Meth", "od", "we counted"], titles[3]) == {1, 3}
    assert title_cuts(["some words", "Methods in use"], titles[3]) == set()
    assert title_cuts(["2. Method"], None) == set()


def test_text_over_a_scan_in_strips_is_its_text_layer(tmp_path: Path) -> None:
    def scan(page: Any) -> None:
        from helpers.make_pdf import picture

        for strip in range(10):
            picture(page, (0, 84.2 * strip, 595, 84.2 * (strip + 1)), (250, 250, 250))
        page.insert_text((60, 100), "Setting the controls", fontsize=12, render_mode=3)

    item = next(one for one in read(make_pdf(tmp_path / "full.pdf", scan)).items if one.text)
    assert item.text == "Setting the controls" and "hidden" not in item.flags
