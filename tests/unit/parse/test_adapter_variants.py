"""Small documents of the kinds that readers get wrong, in other looks: captions, hyphens, tables, broken files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import grid, lines, make_pdf, picture, sentence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf.opening import UnreadablePdf
from cosee.parse.pdf_reader import read_pdf
from cosee.structure.enhance import enhance
from cosee.text.cleaning import join_lines, vocabulary


def read(pdf: Path) -> ContentList:
    return adapt(read_pdf(pdf, "doc", AdaptSettings(ocr="none"), pdf.parent / "images").layout)


def test_rising_figures_in_the_last_column_of_a_ruled_table_are_no_contents(tmp_path: Path) -> None:
    rows = [["Shelf", "Pack", "Count"], *([f"Shelf {n}", ["box", "bag"][n % 2], str(5 * n)] for n in range(1, 25))]
    content = read(make_pdf(tmp_path / "full.pdf", lambda page: grid(page, 60, 80, rows)))
    assert [item.table.rows for item in content.items if item.table] == [rows]
    assert not [item for item in content.items if item.role == "toc"]


def test_a_bold_numbered_heading_near_a_bold_caption_is_a_block_of_its_own(tmp_path: Path) -> None:
    def page_one(page: Any) -> None:
        picture(page, (60, 60, 300, 180), (90, 140, 200))
        lines(page, 60, 200, ["Figure 9 Outcome of the last run", "6 Outlook"], size=12, pitch=26, font="hebo")
        lines(page, 60, 250, ["The crew wrote a short report for the board."])

    items = enhance(read(make_pdf(tmp_path / "full.pdf", page_one))).items
    assert [item.caption for item in items if item.role == "image"] == ["Figure 9 Outcome of the last run"]
    assert [item.text for item in items if item.role == "heading"] == ["6 Outlook"]


def test_a_caption_that_stands_apart_from_a_sentence_starts_a_paragraph(tmp_path: Path) -> None:
    texts = ["The crew checked every valve of the station.", "Table 3: Stock by shelf."]
    content = read(make_pdf(tmp_path / "full.pdf", lambda page: lines(page, 60, 80, texts, pitch=21)))
    assert [item.text for item in content.items] == texts


def test_the_soft_hyphen_of_a_font_that_has_no_other_joins_like_a_hyphen() -> None:
    texts = ["Every long\u00ad", "term permit is stamped, and a long\u00adterm permit needs a sig\u00ad", "nature."]
    joined = "Every long-term permit is stamped, and a long-term permit needs a signature."
    assert join_lines(texts, vocabulary(texts)) == joined


@pytest.mark.parametrize("hyphen", ["-", "\u00ad"])
def test_a_short_last_line_that_breaks_a_word_goes_on_overleaf(tmp_path: Path, hyphen: str) -> None:
    text = "A short line that ends in mid-word is clo"

    def first(page: Any) -> None:
        lines(page, 60, 80, [" ".join([sentence(0), sentence(1)]) + "."])
        page.insert_text((60, 700), text + hyphen, fontsize=10)

    def second(page: Any) -> None:
        page.insert_text((60, 130), "sing on the following page.", fontsize=10)

    texts = [item.text for item in enhance(read(make_pdf(tmp_path / "full.pdf", first, second))).items]
    assert f"{text}sing on the following page." in texts


def test_html_that_names_the_format_is_not_a_pdf(tmp_path: Path) -> None:
    pdf = tmp_path / "full.pdf"
    pdf.write_bytes(b"<!DOCTYPE html><html><body>A %PDF is a file</body></html>")
    with pytest.raises(UnreadablePdf) as caught:
        read(pdf)
    assert caught.value.reason == "not_a_pdf"


@pytest.mark.parametrize("notice", ["Please wait...", "Veuillez patienter...", "Bitte warten..."])
def test_a_form_without_fields_of_its_own_shows_a_notice_in_any_language(tmp_path: Path, notice: str) -> None:
    with pymupdf.open() as document:
        document.new_page().insert_text((60, 80), notice)
        stream = document.get_new_xref()
        document.update_object(stream, "<<>>")
        document.update_stream(stream, b"<template/>")
        document.xref_set_key(document.pdf_catalog(), "AcroForm", f"<</XFA [(template) {stream} 0 R]/Fields[]>>")
        document.save(tmp_path / "full.pdf")
    result = read_pdf(tmp_path / "full.pdf", "doc", AdaptSettings(ocr="none"), tmp_path / "images")
    assert result.problems[0][0] == "unsupported_xfa"


def test_a_title_at_the_left_of_a_very_wide_page_is_no_margin_stamp(tmp_path: Path) -> None:
    def wide(page: Any) -> None:
        page.insert_text((60, 100), "Wall chart of the delta", fontsize=40, fontname="hebo")
        page.insert_text((60, 160), "A line of plain words under the title of the chart.", fontsize=20)

    items = enhance(read(make_pdf(tmp_path / "full.pdf", wide, size=(14400, 300)))).items
    assert [item.text for item in items if item.role == "heading"] == ["Wall chart of the delta"]


def test_a_report_printed_across_keeps_its_numbered_headings(tmp_path: Path) -> None:
    def drawer(titles: list[str]) -> Any:
        def draw(page: Any) -> None:
            for n, title in enumerate(titles):
                lines(page, 60, 80 + 120 * n, [title], size=15, font="hebo")
                lines(page, 60, 110 + 120 * n, ["The crew wrote a short report for the board."], size=11)

        return draw

    titles = [["1 Sources", "1.1 Letters", "1.2 Maps"], ["2 Growth", "2.1 Trade"]]
    pdf = make_pdf(tmp_path / "full.pdf", *(drawer(part) for part in titles), size=(842, 595))
    items = enhance(read(pdf)).items
    assert [item.text for item in items if item.role == "heading"] == [title for part in titles for title in part]


def test_a_report_in_small_type_printed_across_is_no_slide_deck(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 40), f"{page.number + 1} Area", fontsize=15, fontname="hebo")
        lines(page, 60, 70, [" ".join([sentence(n), sentence(n + 1), sentence(n + 2)]) for n in range(4)], size=11)
        page.insert_text((60, 180), "Costs and fees", fontsize=13, fontname="hebo")
        lines(page, 60, 200, [" ".join([sentence(n), sentence(n + 3), sentence(n + 1)]) for n in range(4)], size=11)

    pages = enhance(read(make_pdf(tmp_path / "full.pdf", draw, draw, size=(842, 595)))).pages
    assert not any("slide" in page.flags for page in pages)


def test_a_picture_that_repeats_on_the_page_is_no_part_of_the_figure_below(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for n in range(4):
            picture(page, (60 + 180 * n, 97, 224 + 180 * n, 147), (200, 90, 40))
        picture(page, (60, 187, 240, 297), (90, 140, 200))
        page.insert_text((60, 315), "Figure 1: The big one.", fontsize=9)

    items = enhance(read(make_pdf(tmp_path / "full.pdf", draw, size=(842, 595)))).items
    assert [item.caption for item in items if item.role == "image"] == [None] * 4 + ["Figure 1: The big one."]
