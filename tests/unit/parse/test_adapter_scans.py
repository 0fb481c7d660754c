"""Pages that are pictures: read upright, by region where only a part is one, and told as they are seen."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import grid, lines, make_pdf, picture, sentence
from PIL import Image

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Span
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.models.vision import ocr_rapid, ocr_tesseract
from cosee.parse import pdf_reader
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf.page_model import Fragment
from cosee.parse.pdf_reader import read_pdf
from cosee.parse.scans.reading_need import good_letters

needs_tesseract = pytest.mark.skipif(not ocr_tesseract.installed_languages(), reason="tesseract is not installed")
STORY = [
    "The inspectors found that the eastern pump",
    "had lost a third of its oil over the winter",
    "and asked for a new seal before the summer.",
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COSEE_CACHE", str(tmp_path / "cache"))


def drawn(draw: Callable[[Any], Any], size: tuple[float, float], dpi: int = 150, degrees: float = 0) -> bytes:
    """What ``draw`` draws as a JPEG, turned clockwise."""
    with pymupdf.open() as document:
        page = document.new_page(width=size[0], height=size[1])
        draw(page)
        pixmap = page.get_pixmap(dpi=dpi, alpha=False)
    image = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    image = image.rotate(-degrees, Image.Resampling.BICUBIC, expand=True, fillcolor="white")
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=80)
    return buffer.getvalue()


def scan(path: Path, draw: Callable[[Any], Any], degrees: float = 0, rotation: int = 0) -> Path:
    """A page that is a picture of what ``draw`` draws."""
    data = drawn(draw, (595, 842), degrees=degrees)
    with Image.open(io.BytesIO(data)) as image:
        size = image.width * 72 / 150, image.height * 72 / 150

    def place(page: Any) -> None:
        page.insert_image(page.rect, stream=data)
        page.set_rotation(rotation)

    return make_pdf(path, place, size=size)


def read(path: Path, **settings: Any) -> ContentList:
    layout = read_pdf(path, "doc", AdaptSettings(**settings), path.parent / "images").layout
    return adapt(layout)


def chapter(page: Any) -> None:
    page.insert_text((72, 100), "Oil and seals", fontsize=22, fontname="hebo")
    lines(page, 72, 150, STORY, size=12, pitch=18)
    grid(page, 72, 300, [["Station", "Flow", "Head"], ["North", "120", "145"], ["South", "95", "127"]], width=120)


def text_of(content: ContentList) -> str:
    return " ".join(item.text for item in content.items)


@needs_tesseract
@pytest.mark.parametrize(
    ("degrees", "rotation"), [(0, 0), (90, 0), (180, 0), (270, 0), (3, 0), (-5, 0), (0, 90), (0, 180), (92, 270)]
)
def test_a_scan_is_read_however_it_lies(tmp_path: Path, degrees: float, rotation: int) -> None:
    # contract: D5, D7
    content = read(scan(tmp_path / "a.pdf", chapter, degrees, rotation), ocr="tesseract")
    title, story = content.items[0], content.items[1]
    assert title.text == "Oil and seals" and title.bold and (title.size or 0) > 1.5 * (story.size or 99)
    assert story.text.startswith(STORY[0]) and STORY[2] in text_of(content)
    (table,) = [item for item in content.items if item.role == "table"]
    assert table.table is not None and table.table.rows[1] == ["North", "120", "145"]
    assert [dropped.reason for dropped in content.dropped] == ["page_scan"]
    # The title is where it is seen: its first corner, turned as the page was.
    turned = (degrees + rotation) % 360
    x, y = (title.bbox[0] + title.bbox[2]) / 2, (title.bbox[1] + title.bbox[3]) / 2
    side = round(turned / 90) % 4
    assert (y < 0.2, x > 0.8, y > 0.8, x < 0.2)[side]
    assert ("turned" in content.pages[0].flags) is (turned != 0)


@pytest.mark.skipif(not ocr_rapid.is_installed(), reason="rapidocr is not installed")
def test_rapidocr_reads_words_with_their_places(tmp_path: Path) -> None:
    content = read(
        scan(tmp_path / "a.pdf", lambda page: lines(page, 72, 150, STORY, size=12, pitch=18)), ocr="rapidocr"
    )
    assert " ".join(STORY) in text_of(content)
    item = next(item for item in content.items if item.text.startswith("The inspectors"))
    assert item.bbox[0] == pytest.approx(72 / 595, abs=0.02) and (item.confidence or 0) > 0.8
    assert 9 <= (item.size or 0) <= 15


@needs_tesseract
def test_pictures_of_text_and_tables_are_read_in_their_place(tmp_path: Path) -> None:
    def prose(page: Any) -> None:
        lines(page, 60, 60, [sentence(n, 12) for n in range(6)])
        page.insert_image((60, 150, 350, 220), stream=drawn(lambda p: lines(p, 10, 20, STORY), (290, 70)))
        lines(page, 60, 260, [sentence(n + 30, 12) for n in range(6)])

    def table(page: Any) -> None:
        rows = [["Station", "Flow", "Head"], ["North", "120", "145"], ["South", "95", "127"], ["East", "88", "138"]]
        lines(page, 60, 60, [sentence(n, 12) for n in range(6)])
        page.insert_image((60, 150, 350, 240), stream=drawn(lambda p: grid(p, 5, 5, rows), (290, 90)))

    def screenshot(page: Any) -> None:
        lines(page, 60, 60, [sentence(n, 12) for n in range(6)])
        shown = drawn(lambda p: lines(p, 10, 20, ["Settings", "Network connected", "Battery level"]), (290, 70))
        page.insert_image((60, 150, 350, 220), stream=shown)
        page.insert_text((60, 236), "Figure 1: The page of settings", fontsize=10)

    first, second, third = (
        read(make_pdf(tmp_path / f"{draw.__name__}.pdf", draw), ocr="tesseract").items
        for draw in (prose, table, screenshot)
    )
    assert [item.role for item in first] == ["paragraph"] * 3 and " ".join(STORY) == first[1].text
    assert "ocr" in first[1].flags and "ocr" not in first[0].flags
    assert second[1].table is not None and second[1].table.rows[3] == ["East", "88", "138"]
    assert third[1].role == "image" and "Battery level" in third[1].text and "ocr" in third[1].flags


@needs_tesseract
def test_a_page_that_is_a_photo_lacks_nothing(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", lambda page: picture(page, (0, 0, 842, 842), (90, 120, 60)), size=(842, 842))
    result = read_pdf(path, "doc", AdaptSettings(ocr="tesseract"), tmp_path / "images")
    assert result.problems == [] and "no_text" in result.layout.pages[0].flags
    unread = read_pdf(path, "doc", AdaptSettings(ocr="none"), tmp_path / "images")
    assert [reason for reason, _ in unread.problems] == ["no_text_layer"]


@needs_tesseract
def test_a_scan_with_a_stamp_is_read_and_the_stamp_kept_once(tmp_path: Path) -> None:
    data = drawn(lambda page: lines(page, 72, 150, STORY * 6, size=12, pitch=18), (595, 842))

    def draw(page: Any) -> None:
        page.insert_image(page.rect, stream=data)
        page.insert_text((380, 30), "EXHIBIT 12-B  CASE 2021-004", fontsize=9)

    text = text_of(read(make_pdf(tmp_path / "a.pdf", draw), ocr="tesseract"))
    assert text.count("EXHIBIT") == 1 and text.count(STORY[0]) == 6


@needs_tesseract
def test_a_bad_ocr_layer_is_replaced_and_a_good_one_is_not(tmp_path: Path) -> None:
    def layered(words: list[str]) -> Callable[[Any], None]:
        data = drawn(lambda page: lines(page, 72, 150, STORY, size=12, pitch=18), (595, 842))

        def draw(page: Any) -> None:
            page.insert_image(page.rect, stream=data)
            for n, text in enumerate(words):
                page.insert_text((72, 150 + 18 * n), text, fontsize=12, render_mode=3)

        return draw

    bad = [
        "Tke in5pec<tors f0und th^t tke ea5tern pvmp",
        "h4d lo$t a th!rd 0f it~s o|l ov3r",
        "aNd a$keD f0r a n3w se4l",
    ]
    good = [line.replace("third", "fourth") for line in STORY]
    content = read(make_pdf(tmp_path / "a.pdf", layered(bad), layered(good)), ocr="tesseract")
    assert "a third of its oil" in text_of(content) and "a fourth of its oil" in text_of(content)
    assert {d.reason for d in content.dropped if d.text} == {"replaced"}
    assert "ocr" in content.pages[0].flags and "ocr" not in content.pages[1].flags


@needs_tesseract
def test_a_redo_reads_nothing_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = scan(tmp_path / "a.pdf", chapter)
    first = read(path, ocr="tesseract")

    def fail(*_: Any) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(ocr_tesseract.Tesseract, "read", fail)
    assert read(path, ocr="tesseract") == first


@needs_tesseract
def test_a_page_that_takes_too_long_is_told_and_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_reader, "find_engine", partial(pdf_reader.find_engine, seconds=0.001))
    path = scan(tmp_path / "a.pdf", chapter)
    result = read_pdf(path, "doc", AdaptSettings(ocr="tesseract"), tmp_path / "images")
    assert result.layout.pages[0].flags == ["image_only", "no_text_layer"]
    assert "more than 0.001 s" in result.problems[0][1]


def test_text_that_runs_sideways_is_laid_out_upright(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((100, 700), "Oil and seals", fontsize=20, rotate=90)
        for n in range(8):
            page.insert_text((140 + 15 * n, 700), sentence(n, 9), fontsize=10, rotate=90)

    content = read(make_pdf(tmp_path / "a.pdf", draw), ocr="none")
    assert [item.text.startswith(start) for item, start in zip(content.items, ("Oil and", sentence(0, 9)), strict=True)]
    title, body = content.items
    assert title.bbox[2] < body.bbox[0] and title.bbox[3] > 0.8 and "turned" in content.pages[0].flags


def test_words_of_any_script_make_a_good_layer() -> None:
    def letters(text: str) -> tuple[int, int]:
        span = Span(text=text, bbox=(0, 0, 9, 9), size=9, font="")
        return good_letters([Fragment((0, 0, 9, 9), [span])])

    for text in (
        "关于公司2015年年度报告(以下简称“年报”)的说明。",
        "Насос работает, как было сказано.",
        "The “old” pump — it’s fine (2).",
    ):
        good, whole = letters(text)
        assert good == whole
    good, whole = letters("Tke in5pec<tors f0und th^t tke ea5tern pvmp h4d lo$t")
    assert good < 0.6 * whole


@needs_tesseract
def test_a_slide_of_few_words_is_read_as_it_is_seen(tmp_path: Path) -> None:
    # contract: D9
    words = ["Measuring the harbour", "Tide tables", "Depth charts", "Pilot reports", "@harbour"]
    with pymupdf.open() as document:
        page = document.new_page(width=720, height=540)
        for n in range(-20, 90):
            shade, y = 0.15 + 0.35 * abs(n % 60 - 25) / 35, 9.0 * n
            band = pymupdf.Quad((0, y), (720, y + 40), (0, y + 9.5), (720, y + 49.5))
            page.draw_quad(band, color=None, fill=(0.05, shade / 2, shade))
        page.draw_rect((260, 0, 420, 420), color=None, fill=(0.35, 0.45, 0.6), fill_opacity=0.6)
        page.draw_rect((330, 90, 470, 140), color=None, fill=(0.1, 0.2, 0.45), fill_opacity=0.6)
        page.insert_text((120, 80), words[0], fontsize=44, color=(1, 1, 1))
        for n, text in enumerate(words[1:4]):
            page.insert_text((180, 240 + 58 * n), f"• {text}", fontsize=38, color=(1, 1, 1))
        page.insert_text((570, 525), words[4], fontsize=14, color=(1, 1, 1))
        pixmap = page.get_pixmap(dpi=96, alpha=False)
    buffer = io.BytesIO()
    Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples).save(buffer, "JPEG", quality=20)
    pdf = make_pdf(
        tmp_path / "page.pdf", lambda page: page.insert_image(page.rect, stream=buffer.getvalue()), size=(720, 540)
    )
    layout = read_pdf(pdf, "d", AdaptSettings(), tmp_path / "images").layout
    text = " ".join(span.text for block in layout.pages[0].blocks for line in block.lines for span in line.spans)
    assert all(each in text for each in words)
    assert layout.pages[0].turn == 0.0
