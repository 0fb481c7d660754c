from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.make_pdf import lines, make_pdf, sentence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Layout, Line, OutlineEntry, Span
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf.bookmark_titles import bookmark_titles, contents_titles, cut_lines, title_cuts
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
    assert title_cuts(["2. Method"], set()) == set()


def line_of(*parts: tuple[str, float, bool]) -> Line:
    """A line of parts: their text, where they begin, and whether they are bold."""
    spans = [
        Span(text=text, bbox=(x, 10, x + 5 * len(text), 20), size=10, font="Helvetica", bold=bold)
        for text, x, bold in parts
    ]
    return Line(bbox=(spans[0].bbox[0], 10, spans[-1].bbox[2], 20), spans=spans)


@pytest.mark.parametrize(
    ("parts", "cut"),
    [
        ([("Session ", 10, False), ("5", 300, False)], ["Session ", "5"]),
        ([("Session", 10, True), ("2 Format", 200, True)], ["Session", "2 Format"]),
        ([("Format: ", 10, True), ("the pages are wide", 50, False)], ["Format: ", "the pages are wide"]),
        ([("Of the ", 10, False), ("Format", 45, True), (" we say", 75, False)], ["Of the Format we say"]),
        ([("Format", 10, False), (" of pages", 40, False)], ["Format of pages"]),
        ([("1 ", 10, False), ("Format", 60, True)], ["1 Format"]),
    ],
)
def test_bookmarks_cut_a_line_where_their_title_shares_it(parts: list[tuple[str, float, bool]], cut: list[str]) -> None:
    found = cut_lines([line_of(*parts)], {"session", "format"})
    assert [line.text for line in found] == cut
    assert [line.text for line in cut_lines([line_of(*parts)], set())] == ["".join(text for text, _, _ in parts)]


def test_titles_of_the_printed_contents_cut_paragraphs_of_later_pages(tmp_path: Path) -> None:
    def contents(page: Any) -> None:
        page.insert_text((60, 60), "Contents", fontsize=16, fontname="hebo")
        for row, (text, x, number) in enumerate([("Report of the board", 60, 2), *ENTRIES]):
            page.insert_text((x, 100 + 16 * row), f"{text} {'.' * 40} {number}", fontsize=10)

    def text(page: Any) -> None:
        page.insert_text((60, 100), "Report of the board", fontsize=11, fontname="hebo")
        page.insert_text((60, 113), "For the year ended 31 May", fontsize=11, fontname="hebo")
        lines(page, 60, 160, [sentence(n, 15) for n in range(4)])

    items = read(make_pdf(tmp_path / "full.pdf", contents, text)).items
    assert "Report of the board" in [item.text for item in items if item.role == "paragraph"]
    alone = read(make_pdf(tmp_path / "other.pdf", text)).items
    assert "Report of the board For the year ended 31 May" in [item.text for item in alone]


def test_contents_lines_give_their_titles_without_number_and_page() -> None:
    entries = [
        line_of(("1.2 Use of keys ..... 17", 10, False)),
        line_of(("iv", 10, False)),
        line_of(("Ore", 10, False)),
    ]
    assert contents_titles(entries) == {"useofkeys"}


def test_a_numbered_title_is_cut_from_the_han_text_below_it(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 100), "3.1.1 政策", fontsize=11, fontname="china-s")
        page.insert_text(
            (60, 116),
            "必须有一份书面的开源政策来治理交付软件的开源许可证合规必须在内部进行",
            fontsize=11,
            fontname="china-s",
        )
        page.insert_text((60, 132), "传达到位。", fontsize=11, fontname="china-s")

    assert "3.1.1 政策" in [item.text for item in read(make_pdf(tmp_path / "full.pdf", draw)).items]


def test_text_over_a_scan_in_strips_is_its_text_layer(tmp_path: Path) -> None:
    def scan(page: Any) -> None:
        from helpers.make_pdf import picture

        for strip in range(10):
            picture(page, (0, 84.2 * strip, 595, 84.2 * (strip + 1)), (250, 250, 250))
        page.insert_text((60, 100), "Setting the controls", fontsize=12, render_mode=3)

    item = next(one for one in read(make_pdf(tmp_path / "full.pdf", scan)).items if one.text)
    assert item.text == "Setting the controls" and "hidden" not in item.flags
