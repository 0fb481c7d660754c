"""Glyphs without a letter: those that print nothing are spaces, those with ink stay unknown signs."""

import pymupdf
import pytest

from cosee.parse.pdf.blank_glyphs import tex_sign
from cosee.parse.pdf.page_source import read_page

ABSENT = "\ue123"
"""A letter that the font has not: its empty box is drawn, and the file maps it to NUL."""


def page(*texts: str, turned: int = 0, unmapped: str = "", meaning: str = "fffd"):
    """A page with lines of text; ``unmapped`` letters lose their ``meaning`` in the file and keep their ink."""
    document = pymupdf.open()
    sheet = document.new_page(width=595, height=842)
    writer = pymupdf.TextWriter(sheet.rect)
    font = pymupdf.Font("hebo")
    for number, text in enumerate(texts):
        writer.append((72, 90 + 30 * number), text, font=font, fontsize=14)
    writer.write_text(sheet)
    for letter in unmapped:
        for xref in range(1, document.xref_length()):
            if document.xref_is_stream(xref) and b"begincmap" in (cmap := document.xref_stream(xref)):
                unknown = b"1 beginbfchar\n<%04x> <%s>\nendbfchar\nendcmap" % (
                    font.has_glyph(ord(letter)), meaning.encode()
                )  # fmt: skip
                document.update_stream(xref, cmap.replace(b"endcmap", unknown))
    sheet.set_rotation(turned)
    return pymupdf.open("pdf", document.tobytes())[0]


def texts(sheet) -> list[str]:
    return [fragment.text for fragment in read_page(sheet).fragments]


def test_an_empty_box_between_number_and_title_is_a_space():
    sheet = page(f"2.1{ABSENT}Rail freight")
    (fragment,) = read_page(sheet).fragments
    assert fragment.text == "2.1 Rail freight"
    assert [word.text for word in fragment.words] == ["2.1", "Rail", "freight"]
    number, title, _ = fragment.words
    assert number.bbox[2] <= title.bbox[0]


def test_a_sign_with_ink_stays_unknown():
    sheet = page("Quantities", unmapped="Q")
    assert texts(sheet) == ["\ufffduantities"]


def test_blank_and_inked_on_one_line_are_told_apart():
    sheet = page(f"3{ABSENT}Queues", unmapped="Q")
    assert texts(sheet) == ["3 \ufffdueues"]


def test_it_looks_at_the_right_place_of_a_turned_page():
    for turned in (90, 180, 270):
        assert texts(page(f"4{ABSENT}Taxes", f"5{ABSENT}Queues", turned=turned, unmapped="Q")) == [
            "4 Taxes",
            "5 \ufffdueues",
        ]


@pytest.mark.parametrize("meaning", ["fffd", "0003", "0096", "007f"])
@pytest.mark.parametrize("turned", [0, 90])
def test_a_bar_without_a_letter_is_a_minus(meaning: str, turned: int):
    (fragment,) = read_page(page("North -4.2 and 3.1", unmapped="-", meaning=meaning, turned=turned)).fragments
    assert fragment.text == "North -4.2 and 3.1"
    assert [word.text for word in fragment.words] == ["North", "-4.2", "and", "3.1"]


@pytest.mark.parametrize("sign", ["=", "_", "+", ".", "~", "|"])
def test_no_other_sign_is_taken_for_one(sign: str):
    (fragment,) = read_page(page(f"North {sign}42", unmapped=sign, meaning="0003")).fragments
    assert fragment.text == "North \ufffd42" and [word.text for word in fragment.words] == ["North", "\ufffd42"]


@pytest.mark.parametrize(
    ("before", "code", "after", "sign"),
    [
        ("o", "\x1c", "n", "fi"), (" ", "\x1c", "n", "fi"), ("o", "\x1b", "s", "ff"), ("o", "\x0c", "n", "fi"),
        (" ", "\x13", "l", "«"), ("a", "\x14", " ", "»"), (" ", "\x15", " ", "–"), ("a", "\x02", "b", "\ufffd"),
        (" ", "\x1c", " ", "\ufffd"), ("a", "\x13", "b", "\ufffd"), ("a", "\ufffd", "b", "\ufffd"),
    ],
)  # fmt: skip
def test_control_characters_of_tex_s_encodings_are_what_they_stand_for(before: str, code: str, after: str, sign: str):
    assert tex_sign(code, before, after) == sign
