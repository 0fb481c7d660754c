"""Text is left out as hidden only where the drawn page proves it; sizes that a font only names are mended."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging.drawing import RenderError
from cosee.parse.pdf import paper
from cosee.parse.pdf.page_source import read_page
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.structure.enhance import enhance
from cosee.structure.tree.tree_builder import build_tree

WHITE, BLUE = (1, 1, 1), (0.1, 0.2, 0.6)
LINE = "Written by A. Keeper of the harbour"


def read(tmp_path: Path, draw: Callable[[Any, Any], None]) -> ContentList:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=600)
        page.insert_text((50, 500), "The harbour was built in the first year of the company.", fontsize=11)
        draw(pdf, page)
        pdf.save(tmp_path / "full.pdf")
    AdaptStage().run(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings(ocr="none"))
    return ContentList.load(tmp_path / "content_list.adapted.json")


def texts(content: ContentList) -> str:
    return " ".join(item.text for item in content.items)


def name_resource(pdf: Any, page: Any, path: str, xref: int) -> None:
    """Put an object into the page's resources (``Font/F``), through the references on the way."""
    at, parts = page.xref, ["Resources", *path.split("/")]
    for part in parts[:-1]:
        kind, value = pdf.xref_get_key(at, part)
        if kind != "xref":
            new = pdf.get_new_xref()
            pdf.update_object(new, value if kind == "dict" else "<<>>")
            pdf.xref_set_key(at, part, f"{new} 0 R")
            value = f"{new} 0 R"
        at = int(value.split()[0])
    pdf.xref_set_key(at, parts[-1], f"{xref} 0 R")


def shading(pdf: Any, page: Any) -> None:
    """White text over a gradient, which is neither a filled box nor a picture."""
    function = pdf.get_new_xref()
    pdf.update_object(function, "<</FunctionType 2/Domain[0 1]/C0[0 0 .4]/C1[.2 .2 .7]/N 1>>")
    xref = pdf.get_new_xref()
    pdf.update_object(
        xref, f"<</ShadingType 2/ColorSpace/DeviceRGB/Coords[0 0 400 0]/Function {function} 0 R/Extend[true true]>>"
    )
    page.insert_text((50, 100), LINE, fontsize=14, color=WHITE)
    name_resource(pdf, page, "Shading/S1", xref)
    first = page.get_contents()[0]
    pdf.update_stream(first, b"q 0 400 400 200 re W n /S1 sh Q\n" + pdf.xref_stream(first))


def outlined(_: Any, page: Any) -> None:
    """White letters with a dark outline on white paper."""
    page.insert_text((50, 100), LINE, fontsize=20, color=BLUE, fill=WHITE, render_mode=2, border_width=0.05)


def over_a_see_through_box(_: Any, page: Any) -> None:
    page.insert_text((50, 100), LINE, fontsize=14)
    page.draw_rect((40, 80, 380, 110), color=None, fill=WHITE, fill_opacity=0.3)


def white_on_white(_: Any, page: Any) -> None:
    page.insert_text((50, 100), LINE, fontsize=14, color=WHITE)


def white_beside_other_text(_: Any, page: Any) -> None:
    """Hidden text whose box reaches over a line that is seen."""
    page.insert_text((50, 100), LINE, fontsize=14, color=WHITE)
    page.insert_text((50, 106), "Seen all over the place and more", fontsize=9)


def under_a_box(_: Any, page: Any) -> None:
    page.insert_text((50, 100), LINE, fontsize=14)
    page.draw_rect((40, 80, 380, 110), color=None, fill=BLUE)


def nested_boxes(page: Any, *, even_odd: bool) -> None:
    page.insert_text((50, 100), LINE, fontsize=14)
    shape = page.new_shape()
    shape.draw_rect((40, 80, 380, 110))
    shape.draw_rect((41, 81, 379, 109))
    shape.finish(color=None, fill=BLUE, even_odd=even_odd)
    shape.commit()


def under_two_boxes_of_one_path(_: Any, page: Any) -> None:
    """Painted whole: only the even-odd rule leaves what is between them."""
    nested_boxes(page, even_odd=False)


def inside_a_border(_: Any, page: Any) -> None:
    nested_boxes(page, even_odd=True)


@pytest.mark.parametrize("draw", [shading, outlined, over_a_see_through_box, inside_a_border])
def test_text_that_the_drawn_page_shows_is_kept(tmp_path: Path, draw: Callable[[Any, Any], None]) -> None:
    # contract: D10
    content = read(tmp_path, draw)
    assert LINE in texts(content) and "hidden_text" not in content.pages[0].flags


@pytest.mark.parametrize("draw", [white_on_white, white_beside_other_text, under_a_box, under_two_boxes_of_one_path])
def test_text_that_the_drawn_page_does_not_show_is_dropped(tmp_path: Path, draw: Callable[[Any, Any], None]) -> None:
    content = read(tmp_path, draw)
    assert [item.text for item in content.dropped if item.reason == "hidden"] == [LINE]
    assert LINE not in texts(content)


def test_a_page_that_cannot_be_drawn_proves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def given_up(page: Any, **_: Any) -> None:
        raise RenderError("given up")

    monkeypatch.setattr(paper, "draw", given_up)
    assert LINE in texts(read(tmp_path, white_on_white))


def type3(pdf: Any, page: Any, unit: float, said: str = "THE KEEPER OF THE HARBOUR") -> None:
    """A line in a Type 3 font whose letters are boxes 60 units high and 50 wide, ``unit`` points each."""
    letters = sorted(set("AKEPROFTHBUWY "))
    programs = {}
    for letter in letters:
        xref = pdf.get_new_xref()
        box = b"" if letter == " " else b"5 0 40 60 re f"
        pdf.update_object(xref, "<<>>")
        pdf.update_stream(xref, b"50 0 0 0 50 70 d1\n" + box, new=True)
        programs[letter] = xref
    mapped = "".join(f"<{ord(letter):02X}> <{ord(letter):04X}>\n" for letter in letters)
    to_unicode = pdf.get_new_xref()
    pdf.update_object(to_unicode, "<<>>")
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def\n"
        "1 begincodespacerange <00> <FF> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{mapped}endbfchar\nendcmap end end"
    )
    pdf.update_stream(to_unicode, cmap.encode(), new=True)
    names = " ".join(f"/g{ord(letter)} {xref} 0 R" for letter, xref in programs.items())
    differences = " ".join(f"{ord(letter)} /g{ord(letter)}" for letter in letters)
    first, last = ord(letters[0]), ord(letters[-1])
    widths = " ".join("50" for _ in range(first, last + 1))
    font = pdf.get_new_xref()
    pdf.update_object(
        font,
        f"<</Type/Font/Subtype/Type3/FontMatrix[1 0 0 1 0 0]/FontBBox[0 0 1 1]/CharProcs<<{names}>>"
        f"/Encoding<</Type/Encoding/Differences[{differences}]>>/FirstChar {first}/LastChar {last}"
        f"/Widths[{widths}]/ToUnicode {to_unicode} 0 R>>",
    )
    name_resource(pdf, page, "Font/T3", font)
    stream = page.get_contents()[0]
    text = b"BT /T3 %f Tf 50 450 Td (%s) Tj ET\n" % (unit, said.encode())
    pdf.update_stream(stream, pdf.xref_stream(stream) + b"\n" + text)


def test_text_of_a_font_in_units_of_its_own_has_the_size_that_is_seen(tmp_path: Path) -> None:
    content = read(tmp_path, lambda pdf, page: type3(pdf, page, 0.15))
    found = next(item for item in content.items if item.text == "THE KEEPER OF THE HARBOUR")
    assert found.size is not None and 10 < found.size < 20
    assert 8 < (found.bbox[3] - found.bbox[1]) * 600 < 20 and found.bbox[1] * 600 < 142 < found.bbox[3] * 600
    assert not content.dropped


def test_text_of_such_a_font_that_is_too_small_to_read_stays_hidden(tmp_path: Path) -> None:
    content = read(tmp_path, lambda pdf, page: type3(pdf, page, 0.005))
    assert [item.reason for item in content.dropped] == ["hidden"]


def test_ink_that_nothing_explains_is_a_doubt_and_makes_the_document_partial(tmp_path: Path) -> None:
    # contract: D10
    content = read(tmp_path, lambda pdf, page: type3(pdf, page, 0.3, "A KEY"))
    assert {item.reason for item in content.dropped} == {"hidden"}, "too few letters to tell their size"
    assert "unaccounted_ink" in content.pages[0].flags
    (doubt,) = build_tree(enhance(content)).quality.doubts
    assert (doubt.reason, doubt.message) == ("unaccounted_ink", "more is seen on page 1 than was read")


@pytest.mark.parametrize("draw", [shading, white_on_white, under_a_box, over_a_see_through_box])
def test_what_was_read_or_shaded_is_accounted_for(tmp_path: Path, draw: Callable[[Any, Any], None]) -> None:
    content = read(tmp_path, draw)
    assert "unaccounted_ink" not in content.pages[0].flags
    assert build_tree(enhance(content)).quality.doubts == []


def test_a_page_with_nothing_but_a_drawing_is_a_picture(tmp_path: Path) -> None:
    with pymupdf.open() as pdf:
        page = pdf.new_page(width=400, height=600)
        page.draw_rect((50, 50, 350, 550), color=None, fill=(0, 0.5, 0))
        page.draw_bezier((60, 60), (100, 300), (200, 100), (340, 500), color=WHITE, width=5)
        pdf.new_page(width=400, height=600)
        pdf.save(tmp_path / "full.pdf")
    AdaptStage().run(DocFolder("demo", "doc", tmp_path, tmp_path), AdaptSettings(ocr="none"))
    content = ContentList.load(tmp_path / "content_list.adapted.json")
    assert [(item.role, item.page_idx) for item in content.items] == [("image", 0)]
    assert content.items[0].image_path is not None and "blank" in content.pages[1].flags
    assert build_tree(enhance(content)).quality.doubts == []


def test_a_character_beyond_unicode_costs_no_text(monkeypatch: pytest.MonkeyPatch) -> None:
    document = pymupdf.open()
    document.new_page().insert_text((72, 90), "Costs \x07of 2023")

    def broken(page: Any, *_: Any, **__: Any) -> None:  # as PyMuPDF ends for a character of a number beyond 0x10ffff
        raise SystemError("<built-in function JM_make_textpage_dict> returned a result with an exception set")

    monkeypatch.setattr(pymupdf.TextPage, "extractRAWDICT", broken)
    page = pymupdf.open("pdf", document.tobytes())[0]
    assert "of 2023" in " ".join(fragment.text for fragment in read_page(page).fragments)
