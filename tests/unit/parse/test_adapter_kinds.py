"""Kinds of pages that were read wrongly once: each test makes one and looks at what a reader would."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import lines, make_pdf, picture, sentence

from cosee.artifacts.documents.content import ContentItem, ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.models.vision.engine import OcrEngine, OcrLine, OcrWord
from cosee.parse.content.adapt import adapt
from cosee.parse.content.continuation import join_continued
from cosee.parse.layout.page_layout import lay_out
from cosee.parse.pdf.bad_text import is_unreadable
from cosee.parse.pdf.page_model import RawPage
from cosee.parse.pdf.page_source import read_page
from cosee.parse.pdf_reader import read_pdf
from cosee.parse.scans.recognise import Recogniser


def read(tmp_path: Path, draw: object) -> ContentList:
    path = tmp_path / "full.pdf"
    make_pdf(path, draw)
    return adapt(read_pdf(path, "doc", AdaptSettings(ocr="none"), tmp_path / "images").layout)


def statement(page: pymupdf.Page) -> None:
    """An income statement: year header above the first long rule, shaded first year, signs far from amounts."""
    page.draw_rect((300, 100, 360, 180), color=None, fill=(1, 0.95, 0.9))
    for y in (112, 128, 160, 180):
        page.draw_line((60, y), (540, y), width=0.5)
    for x, text in ((330, "2021"), (420, "2020"), (510, "2019")):
        page.insert_text((x, 110), text, fontsize=8)
    page.insert_text((60, 110), "(In millions)", fontsize=8)
    rows = [("Revenues", "44,538", "37,403", "39,117"), ("Cost of sales", "24,576", "21,162", "21,643"),
            ("Gross profit", "19,962", "16,241", "17,474"), ("Net income", "5,727", "2,539", "4,029")]  # fmt: skip
    for n, row in enumerate(rows):
        y = 122 + 16 * n
        page.insert_text((60, y), row[0], fontsize=8)
        for x, text in zip((325, 415, 505), row[1:], strict=True):
            page.insert_text((x, y), text, fontsize=8)
            if n == 0:
                page.insert_text((x - 22, y), "$", fontsize=8)


def test_a_statement_keeps_its_years_and_its_columns(tmp_path: Path) -> None:
    content = read(tmp_path, statement)
    tables = [item.table for item in content.items if item.table is not None]
    assert len(tables) == 1
    assert tables[0].rows[:2] == [["(In millions)", "2021", "2020", "2019"],
                                  ["Revenues", "$44,538", "$37,403", "$39,117"]]  # fmt: skip
    assert tables[0].rows[-1] == ["Net income", "5,727", "2,539", "4,029"] and tables[0].header_rows == 1


def test_a_title_in_capitals_is_cut_from_its_paragraph(tmp_path: Path) -> None:
    def page(page: pymupdf.Page) -> None:
        lines(page, 60, 60, ["SCOPE AND TERMS", *(sentence(n, 14) for n in range(3))], size=10, pitch=13)
        lines(page, 60, 200, ["DO NOT OPEN THE HOUSING WHILE THE UNIT IS CONNECTED TO THE MAINS AND", "RUNNING."])

    texts = [item.text for item in read(tmp_path, page).items]
    assert texts[0] == "SCOPE AND TERMS" and len(texts) == 3
    assert texts[2].startswith("DO NOT OPEN") and texts[2].endswith("RUNNING.")


def test_letters_of_no_language_are_unreadable_and_lists_of_codes_are_not() -> None:
    text = (
        "the harbour authority compared new guidance after a short trial and published spare valves with support from "
        "local staff while the training centre ordered older filters under normal conditions because several samples "
        "measured by the field station had shown higher costs than the planning board accepted last winter although "
        "nobody doubted that moving parts remain active for minutes when somebody switches off the main supply"
    )
    moved = "".join(chr((ord(c) - 97 + 11) % 26 + 97) if c.isalpha() else c for c in text)
    assert not is_unreadable([("F1", text)])
    assert is_unreadable([("F1", moved)])
    assert not is_unreadable([("F1", " ".join(f"Item {n} kg pc m" for n in range(200)))])


def test_chinese_titles_stay_apart_over_a_page_break() -> None:
    def item(number: int, page_idx: int, y: float, text: str) -> ContentItem:
        box = (0.4, y, 0.6 if len(text) < 20 else 0.95, y + 0.02)
        return ContentItem(id=f"t_{number}", role="paragraph", text=text, page_idx=page_idx, bbox=box, size=16)

    titles = [item(0, 0, 0.5, "第一节重要提示"), item(1, 1, 0.12, "第二节公司基本情况")]
    assert len(join_continued(titles, {0, 1}, set())) == 2
    halves = [item(0, 0, 0.8, "本公司的董事会" * 6), item(1, 1, 0.12, "保证公告内容真实")]
    assert [joined.text for joined in join_continued(halves, {0}, set())] == ["本公司的董事会" * 6 + "保证公告内容真实"]


class Engine(OcrEngine):
    """One good line, one scrap of which the engine is unsure, one spot."""

    def read(self, gray: Any, dpi: int, languages: str) -> list[OcrLine]:
        words = [("Annual report", 0.95, 100), ("eA", 0.38, 300), ("|", 0.7, 500), ("Sorne worda", 0.55, 700)]
        return [OcrLine(n, (OcrWord(text, (50, y, 250, y + 30), sure),)) for n, (text, sure, y) in enumerate(words)]


def test_recognised_scraps_are_set_aside_with_their_reason(tmp_path: Path) -> None:
    make_pdf(tmp_path / "scan.pdf", lambda page: picture(page, (0, 0, 595, 842), (90, 90, 90)))
    with pymupdf.open(tmp_path / "scan.pdf") as document:
        raw = read_page(document[0])
        raw.flags.append("image_only")
        Recogniser(Engine(), AdaptSettings(ocr_dpi=100)).complete(document[0], raw)
        blocks = lay_out(raw, 0, with_tables=True).blocks
    texts = {"".join(span.text for line in block.lines for span in line.spans): block.flags for block in blocks}
    assert "ocr_noise" not in texts["Annual report"]
    assert "ocr_noise" in texts["eA"] and "ocr_noise" in texts["|"]
    assert "low_confidence" in texts["Sorne worda"] and "low_confidence" not in texts["Annual report"]


def test_an_equal_number_of_pages_read_from_the_right(tmp_path: Path) -> None:
    words = [("מחיר", 60), ("כמות", 200), ("פריט", 340)]
    rows = [words, [("340", 60), ("12", 200), ("ברז", 340)], [("95", 60), ("7", 200), ("צינור", 340)]]
    with pymupdf.open() as document:
        page = document.new_page(width=500, height=300)
        for n, row in enumerate(rows):
            for text, x in row:
                page.insert_htmlbox((x, 60 + 20 * n, x + 80, 78 + 20 * n), f"<p>{text}</p>")
        raw = read_page(page)
    blocks = lay_out(raw, 0, with_tables=True).blocks
    assert [block.rows for block in blocks if block.kind == "table"] == [
        [["פריט", "כמות", "מחיר"], ["ברז", "12", "340"], ["צינור", "7", "95"]]
    ]
    assert all(0 <= block.bbox[0] < block.bbox[2] <= 500 for block in blocks)


@pytest.mark.parametrize("fault", [OverflowError("infinite"), pymupdf.mupdf.FzErrorGeneric("broken")])
def test_a_fault_on_one_page_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def read(page: Any) -> RawPage:
        if page.number == 0:
            raise fault
        return read_page(page)

    monkeypatch.setattr("cosee.parse.pdf_reader.read_page", read)
    pdf = make_pdf(tmp_path / "full.pdf", lambda page: None, lambda page: page.insert_text((60, 60), "Second page"))
    pages = read_pdf(pdf, "doc", AdaptSettings(ocr="none"), tmp_path / "images").layout.pages
    assert ["unreadable" in page.flags for page in pages] == [True, False]
