"""Glyphs without a letter: those that print nothing are spaces, those with ink stay unknown signs."""

import pymupdf

from cosee.parse.pdf.page_source import read_page

ABSENT = "\ue123"
"""A letter that the font has not: its empty box is drawn, and the file maps it to NUL."""


def page(*texts: str, turned: int = 0, unmapped: str = ""):
    """A page with lines of text; ``unmapped`` letters lose their meaning in the file and keep their ink."""
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
                unknown = b"1 beginbfchar\n<%04x> <fffd>\nendbfchar\nendcmap" % font.has_glyph(ord(letter))
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
