"""What a reader of a page does not see, or sees beside its text: hidden text, layers, annotations, forms, files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import lines, sentence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf_reader import read_pdf


def read(tmp_path: Path, draw: Callable[[Any, Any], Any]) -> ContentList:
    path = tmp_path / "full.pdf"
    with pymupdf.open() as document:
        page = document.new_page()
        lines(page, 60, 60, [sentence(n, 12) for n in range(6)])
        draw(document, page)
        document.save(path, no_new_id=True)
    return adapt(read_pdf(path, "doc", AdaptSettings(ocr="none"), tmp_path / "images").layout)


def flat(color: tuple[int, int, int]) -> Any:
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 50, 8), False)
    pixmap.set_rect(pixmap.irect, color)
    return pixmap


SECRET, PLACE, BOX = "SECRET of the pump", (60, 300), (50, 280, 300, 320)


def covered_by_a_shape(document: Any, page: Any) -> None:
    page.insert_text(PLACE, SECRET)
    page.draw_rect(BOX, fill=(0.3, 0.7, 0.3), color=None)


def covered_by_a_picture(document: Any, page: Any) -> None:
    page.insert_text(PLACE, SECRET)
    page.insert_image(BOX, pixmap=flat((200, 40, 40)), keep_proportion=False)


def of_its_ground(document: Any, page: Any) -> None:
    page.draw_rect(BOX, fill=(0.1, 0.2, 0.6), color=None)
    page.insert_text(PLACE, SECRET, color=(0.1, 0.2, 0.6))


def out_of_the_crop_box(document: Any, page: Any) -> None:
    page.insert_text((60, 800), SECRET)
    page.set_cropbox((0, 0, 595, 700))


def scaled_to_nothing(document: Any, page: Any) -> None:
    page.insert_text(PLACE, SECRET, fontsize=20, morph=(pymupdf.Point(PLACE), pymupdf.Matrix(0.03, 0.03)))


def unseen_over_a_background(document: Any, page: Any) -> None:
    page.insert_image(page.rect, pixmap=flat((230, 240, 255)), keep_proportion=False, overlay=False)
    page.insert_text(PLACE, SECRET, render_mode=3)


def on_a_layer_that_is_off(document: Any, page: Any) -> None:
    page.insert_text(PLACE, SECRET, oc=document.add_ocg("draft", on=False))


@pytest.mark.parametrize(
    "draw",
    [
        covered_by_a_shape,
        covered_by_a_picture,
        of_its_ground,
        out_of_the_crop_box,
        scaled_to_nothing,
        unseen_over_a_background,
        on_a_layer_that_is_off,
    ],
)
def test_hidden_text_is_kept_apart(tmp_path: Path, draw: Callable[[Any, Any], None]) -> None:
    content = read(tmp_path, draw)
    assert "SECRET" not in " ".join(item.text for item in content.items)
    assert [(d.reason, d.text) for d in content.dropped if d.text] == [("hidden", SECRET)]
    assert "hidden_text" in content.pages[0].flags and "ocr_layer" not in content.pages[0].flags


def marked(document: Any, page: Any) -> None:
    page.insert_text(PLACE, "SHOWN under a marker")
    page.draw_rect(BOX, fill=(1, 1, 0), color=None, fill_opacity=0.4)


def on_a_picture(document: Any, page: Any) -> None:
    page.insert_image(BOX, pixmap=flat((200, 40, 40)), keep_proportion=False)
    page.insert_text(PLACE, "SHOWN on a picture")


def on_a_layer_that_is_on(document: Any, page: Any) -> None:
    document.add_ocg("draft", on=False)
    page.insert_text(PLACE, "SHOWN on a layer", oc=document.add_ocg("final", on=True))


def white_on_dark(document: Any, page: Any) -> None:
    page.draw_rect(BOX, fill=(0.1, 0.2, 0.6), color=None)
    page.insert_text(PLACE, "SHOWN in white", color=(1, 1, 1))


@pytest.mark.parametrize("draw", [marked, on_a_picture, on_a_layer_that_is_on, white_on_dark])
def test_text_that_can_be_seen_stays(tmp_path: Path, draw: Callable[[Any, Any], None]) -> None:
    content = read(tmp_path, draw)
    assert "SHOWN" in " ".join(item.text for item in content.items)
    assert not [d for d in content.dropped if d.text] and "hidden_text" not in content.pages[0].flags


def test_printed_annotations_are_flagged_and_comments_set_apart(tmp_path: Path) -> None:
    def draw(document: Any, page: Any) -> None:
        page.add_freetext_annot((60, 320, 300, 350), "Approved by the board", fontsize=11)
        page.add_text_annot((300, 400), "Is this still true?")
        page.add_highlight_annot((60, 50, 200, 64)).set_info(content="Check the number")

    content = read(tmp_path, draw)
    flags = {item.text: item.flags for item in content.items}
    assert flags["Approved by the board"] == ["annotation"]
    comments = sorted((d.reason, d.text) for d in content.dropped)
    assert comments == [("comment", "Check the number"), ("comment", "Is this still true?")]


def field(page: Any, kind: int, name: str, value: Any, y: float, **more: Any) -> None:
    widget = pymupdf.Widget()
    widget.field_type, widget.field_name, widget.field_value = kind, name, value
    widget.rect = pymupdf.Rect(150, y, 150 + (14 if kind == pymupdf.PDF_WIDGET_TYPE_CHECKBOX else 150), y + 14)
    for key, setting in more.items():
        setattr(widget, key, setting)
    page.add_widget(widget)


@pytest.mark.parametrize("rotation", [0, 90])
def test_form_values_stand_beside_their_labels(tmp_path: Path, rotation: int) -> None:
    def draw(document: Any, page: Any) -> None:
        for y, label in ((300, "Name"), (330, "Agreed"), (360, "Paid"), (390, "Country")):
            page.insert_text((60, y + 11), f"{label}:", fontsize=10)
        field(page, pymupdf.PDF_WIDGET_TYPE_TEXT, "name", "Ada Lovelace", 300)
        field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "agreed", True, 330)
        field(page, pymupdf.PDF_WIDGET_TYPE_CHECKBOX, "paid", False, 360)
        field(page, pymupdf.PDF_WIDGET_TYPE_COMBOBOX, "country", "Spain", 390, choice_values=["France", "Spain"])
        page.set_rotation(rotation)

    content = read(tmp_path, draw)
    text = " ".join(item.text for item in content.items if "form_value" in item.flags)
    for value in ("Ada Lovelace", "☑", "☐", "Spain"):
        assert value in text
    assert sum(item.text.count("Ada Lovelace") for item in content.items) == 1


def test_attached_files_are_listed_by_the_name_that_a_reader_is_shown_and_not_written(tmp_path: Path) -> None:
    def draw(document: Any, page: Any) -> None:
        document.embfile_add("values", b"a,b", filename="values.csv")
        document.embfile_add("../../evil.sh", b"rm", filename="../../evil.sh")
        page.add_file_annot((300, 300), b"data", "note.txt")

    content = read(tmp_path, draw)
    assert content.attachments == ["../../evil.sh", "values.csv", "note.txt"]
    assert {path.name for path in tmp_path.iterdir()} <= {"full.pdf", "images"}
