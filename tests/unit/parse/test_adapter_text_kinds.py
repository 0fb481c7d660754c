"""Kinds of text and of reading order, each on a small page of its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import lines, make_pdf, sentence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.layout import Span
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf.mending import mended
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.pdf_reader import read_pdf
from cosee.structure.enhance import enhance
from cosee.text.cleaning import clean


def read(tmp_path: Path, *drawers: Callable[[Any], None], size: tuple[float, float] = (595, 842)) -> ContentList:
    pdf = make_pdf(tmp_path / "page.pdf", *drawers, size=size)
    return adapt(read_pdf(pdf, "d", AdaptSettings(ocr="none"), tmp_path / "images").layout)


def flat(content: ContentList) -> str:
    return " ".join(" ".join(item.text for item in content.items).split())


def in_order(content: ContentList, *phrases: str) -> bool:
    places = [flat(content).find(phrase) for phrase in phrases]
    return -1 not in places and places == sorted(places)


def column(page: Any, x: float, y: float, name: str, count: int = 12, words: int = 6, size: float = 10) -> float:
    """Full lines between ``<name> begins`` and ``<name> ends``."""
    texts = [f"{name} begins the crew", *(sentence(n, words) for n in range(count))]
    return lines(page, x, y, [*texts, f"and so on {name} ends."], size=size, pitch=1.3 * size)


def words_apart(page: Any, y: float, text: str, gap: float, font: str = "helv", size: float = 11) -> None:
    """Every word placed by itself, without a space character."""
    x = 60.0
    for word in text.split():
        page.insert_text((x, y), word, fontsize=size, fontname=font)
        x += pymupdf.get_text_length(word, font, size) + gap


def test_text_struck_twice_is_read_once_and_is_bold(tmp_path: Path) -> None:
    # contract: D9
    def draw(page: Any) -> None:
        for shift in (0.0, 0.4):
            page.insert_text((60 + shift, 80), "Annual water report", fontsize=18)
        lines(page, 60, 120, [sentence(n) for n in range(3)])

    content = read(tmp_path, draw)
    assert flat(content).count("Annual water report") == 1
    assert content.items[0].bold


@pytest.mark.parametrize("gap", [2.4, 4.5])
def test_words_without_space_characters_and_letter_spaced_headings(tmp_path: Path, gap: float) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 60), "A B S T R A C T", fontsize=12, fontname="hebo")
        words_apart(page, 100, "the cold layer rests below the warm layer", gap, "tiro")
        words_apart(page, 114, "and so it stays until spring", gap, "tiro")

    content = read(tmp_path, draw)
    assert "ABSTRACT" in flat(content)
    assert "the cold layer rests below the warm layer and so it stays until spring" in flat(content)


def test_letters_of_a_row_of_marks_are_not_closed_up(tmp_path: Path) -> None:
    content = read(tmp_path, lambda page: lines(page, 60, 80, ["A B C D E F", "Y N Y N Y N"]))
    assert "A B C D E F" in flat(content)
    assert "Y N Y N Y N" in flat(content)


def test_initial_over_three_lines_begins_its_word(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((60, 130), "O", fontsize=44)
        lines(
            page, 98, 108, ["nce the river was deep the crew of the", "station checked every valve, and it", "wrote a"]
        )
        lines(page, 60, 147, ["report for the board of the water works, which met in the", "old hall and spoke of it."])

    assert "Once the river was deep the crew of the station checked" in flat(read(tmp_path, draw))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("J´an Min´aˇc and G¨odel", "Ján Mináč and Gödel"),
        ("Universit`a, Fran¸cois, Franc¸oise", "Università, François, Françoise"),
        ("l´avion and 5´ long", "l´avion and 5´ long"),
        ("Garc´ıa", "García"),
        ("‘‘quoted’’", "“quoted”"),
    ],
)
def test_loose_accents_are_set_on_their_letter(raw: str, expected: str) -> None:
    # contract: D9
    assert clean(raw) == expected


def test_marks_inside_a_line_stay_where_they_are(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        x = 60.0
        for text, size, y in (
            ("An area of 20 m", 10, 80),
            ("2", 6, 76),
            (" of H", 10, 80),
            ("2", 6, 82),
            ("O", 10, 80),
        ):
            page.insert_text((x, y), text, fontsize=size)
            x += pymupdf.get_text_length(text, "helv", size)

    assert "An area of 20 m^2 of H2O" in flat(read(tmp_path, draw))


@pytest.mark.parametrize("angle", [90, 180, 270])
def test_a_page_seen_turned_is_read_as_if_upright(tmp_path: Path, angle: int) -> None:
    def draw(page: Any) -> None:
        column(page, 50, 90, "Left")
        column(page, 320, 90, "Right")
        page.set_rotation(angle)

    content = read(tmp_path, draw)
    assert in_order(content, "Left begins", "Left ends.", "Right begins", "Right ends.")
    assert len(content.items) == 2
    left, right = content.items
    before = {90: left.bbox[1] < right.bbox[1], 180: left.bbox[0] > right.bbox[0], 270: left.bbox[1] > right.bbox[1]}
    assert before[angle]
    assert all(0 <= value <= 1 for item in content.items for value in item.bbox)


def test_cards_are_read_one_after_the_other(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number, (x, y) in enumerate(((60, 90), (310, 90), (60, 330), (310, 330)), start=1):
            page.draw_rect((x, y, x + 230, y + 220), color=(0.6, 0.6, 0.6))
            column(page, x + 10, y + 30, f"Card {number}", count=8, words=5)

    phrases = [f"Card {n} {part}" for n in (1, 2, 3, 4) for part in ("begins", "ends.")]
    assert in_order(read(tmp_path, draw), *phrases)


def test_side_bar_does_not_cut_the_column_beside_it(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        column(page, 50, 90, "Main", count=36, words=10)
        page.draw_rect((400, 80, 560, 300), color=None, fill=(0.9, 0.9, 0.95))
        column(page, 410, 110, "Side", count=8, words=4, size=9)

    assert in_order(read(tmp_path, draw), "Main begins", "Main ends.", "Side begins", "Side ends.")


def test_three_even_columns_and_a_running_head(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.insert_text((40, 40), "Northern Works", fontsize=8)
        page.insert_text((530, 40), "447", fontsize=8)
        for number in range(3):
            column(page, 40 + 180 * number, 70, f"C{number}", count=40, words=5, size=8)

    content = read(tmp_path, draw)
    assert in_order(content, "447", "C0 begins", "C0 ends.", "C1 begins", "C1 ends.", "C2 begins", "C2 ends.")
    assert all(item.role == "paragraph" for item in content.items)


def test_rule_over_the_page_parts_two_articles(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number in range(2):
            column(page, 40 + 270 * number, 80, f"A{number}", count=12, words=6)
        page.draw_line((40, 300), (555, 300))
        for number in range(3):
            column(page, 40 + 180 * number, 330, f"B{number}", count=12, words=4)

    parts = [f"{name} {part}" for name in ("A0", "A1", "B0", "B1", "B2") for part in ("begins", "ends.")]
    assert in_order(read(tmp_path, draw), *parts)


def test_notes_and_line_numbers_in_the_margin_do_not_enter_the_text(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for number in range(30):
            page.insert_text((40, 80 + 14 * number), str(number + 1), fontsize=7)
            page.insert_text((70, 80 + 14 * number), sentence(number, 13), fontsize=10)

    assert f"{sentence(3, 13)} {sentence(4, 13)}" in flat(read(tmp_path, draw))


def test_listing_with_empty_lines_is_one_piece_of_code(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(n, 12) for n in range(3)])
        lines(page, 72, 120, ["import sys"], font="cour", size=9, pitch=11)
        lines(page, 72, 142, ["def main(a):", "    return a + 1"], font="cour", size=9, pitch=11)

    code = [item.text for item in read(tmp_path, draw).items if item.role == "code"]
    assert code == ["import sys\n\ndef main(a):\n    return a + 1"]


def test_typewritten_prose_is_not_code(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, [f"{sentence(n, 9)}" for n in range(8)], font="cour")

    assert [item.role for item in read(tmp_path, draw).items] == ["paragraph"]


def test_formula_number_at_the_left_margin(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(n, 12) for n in range(4)])
        page.insert_text((60, 140), "(2.4)", fontsize=11, fontname="tiro")
        page.insert_text((200, 140), "F = G m M / r", fontsize=11, fontname="tiit")
        lines(page, 60, 180, [sentence(n, 12) for n in range(4)])

    equations = [item for item in read(tmp_path, draw).items if item.role == "equation"]
    assert [item.label for item in equations] == ["(2.4)"]
    assert "F = G m M / r" in equations[0].text


def test_notes_with_signs_and_bare_numbers_are_parted(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 80, ["* Unaudited figure of the company.", "** Before special items."], size=8, pitch=10)
        for number, name in enumerate(("Smith", "Jones", "Meyer"), start=1):
            page.insert_text((60, 120 + 11 * number), str(number), fontsize=9)
            page.insert_text((70, 120 + 11 * number), f"{name} A. The pump of the station. 2001.", fontsize=9)

    texts = [item.text for item in read(tmp_path, draw).items]
    assert "* Unaudited figure of the company." in texts
    assert "2 Jones A. The pump of the station. 2001." in texts


def test_column_of_text_beside_a_table_without_rules(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 50, 80, ["Left begins the crew checked", *(sentence(n, 7) for n in range(14)), "and Left ends."])
        for row in range(16):
            for x, text in ((320, f"Valve {row}"), (450, f"{row * 37 + 11}"), (510, f"{row * 53 + 7}")):
                page.insert_text((x, 82 + 11.3 * row), text, fontsize=8)

    content = read(tmp_path, draw)
    assert in_order(content, "Left begins", "Left ends.", "Valve 0", "Valve 15")


def test_formula_with_a_fraction_and_a_sum_is_one_line(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 60, [sentence(n, 12) for n in range(4)])
        for x, y, text in ((220, 160, "v ="), (246, 152, "d x"), (246, 170, "d t"), (280, 160, "+ x")):
            page.insert_text((x, y), text, fontsize=11, fontname="tiit")
        page.insert_text((296, 162.5), "i", fontsize=7, fontname="tiit")
        page.draw_line((244, 157), (266, 157), width=0.5)
        page.insert_text((510, 160), "(7)", fontsize=11, fontname="tiro")
        lines(page, 60, 210, [sentence(n, 12) for n in range(4)])

    equations = [item for item in read(tmp_path, draw).items if item.role == "equation"]
    assert [(item.label, item.text) for item in equations] == [("(7)", "v = (d x)/(d t) + x_i (7)")]


def test_columns_of_characters_are_read_from_the_right(tmp_path: Path) -> None:
    columns = ("東北の観測所は毎年", "水の量を測り報告書", "を作成します。")

    def draw(page: Any) -> None:
        for number, text in enumerate(columns):
            for row, character in enumerate(text):
                page.insert_text((500 - 22 * number, 80 + 16 * row), character, fontsize=14, fontname="japan")

    content = read(tmp_path, draw)
    assert flat(content) == "".join(columns)
    assert content.items[0].bbox[0] > 0.7


def test_running_head_of_a_single_page_is_told_by_its_form(tmp_path: Path) -> None:
    # contract: D16
    def draw(page: Any) -> None:
        page.insert_text((60, 40), "Downloaded from www.example.org on 3 May", fontsize=7)
        lines(page, 60, 90, [sentence(n, 12) for n in range(20)])
        page.insert_text((290, 815), "14", fontsize=9)

    dropped = {item.text: item.reason for item in enhance(read(tmp_path, draw)).dropped}
    assert dropped["Downloaded from www.example.org on 3 May"] == "header"
    assert dropped["14"] in ("footer", "page_number")


def test_footnote_goes_on_on_the_next_page(tmp_path: Path) -> None:
    def first(page: Any) -> None:
        lines(page, 60, 80, [sentence(n, 12) for n in range(30)])
        page.insert_text((60, 750.5), "7", fontsize=5)
        page.insert_text((64, 753), "The board spoke of the costs of the northern pumps, which had been", fontsize=8)

    def second(page: Any) -> None:
        lines(page, 60, 80, [sentence(n, 12) for n in range(30, 60)])
        page.insert_text((60, 753), "higher than in the years before.", fontsize=8)
        page.insert_text((60, 762.5), "8", fontsize=5)
        page.insert_text((64, 765), "Before special items.", fontsize=8)

    notes = [item for item in enhance(read(tmp_path, first, second)).items if item.role == "footnote"]
    assert [note.text.split()[0] for note in notes] == ["7", "8"]
    assert notes[0].text.endswith("which had been higher than in the years before.")
    assert {region.page_idx for region in notes[0].regions} == {0, 1}


def test_a_line_that_lost_its_widths_gets_the_size_its_height_tells():
    words = [Word("They", (77.0, 320.0, 77.0, 368.0)), Word("Think", (77.0, 320.0, 77.0, 368.0))]
    span = Span(text="They Think", bbox=(77.0, 320.0, 77.0, 368.0), font="Book", size=102.4)
    (mended_line,) = mended([Fragment((77.0, 320.0, 77.0, 368.0), [span], words)])
    assert mended_line.size == 40.0 and mended_line.bbox == (77.0, 320.0, 277.0, 368.0)
    assert [word.bbox[0] for word in mended_line.words] == [77.0, 177.0]


def test_a_centred_title_does_not_go_on_with_the_short_line_above(tmp_path):
    def draw(page):
        page.insert_text((60, 60), "Part I - Financial Information", fontsize=10, fontname="hebo")
        page.insert_text((250, 72), "Balance Sheets of the Company", fontsize=10, fontname="hebo")
        lines(page, 60, 100, [sentence(3, 14), sentence(4, 14)])

    result = read_pdf(make_pdf(tmp_path / "a.pdf", draw), "a", AdaptSettings(ocr="none"), tmp_path / "images")
    texts = [item.text for item in adapt(result.layout).items]
    assert texts[:2] == ["Part I - Financial Information", "Balance Sheets of the Company"]


def test_text_that_is_filled_and_stroked_is_bold(tmp_path: Path) -> None:
    # contract: D19
    def draw(page: Any) -> None:
        page.insert_text((60, 80), "Terms of use", fontsize=10, render_mode=2, border_width=0.03)
        lines(page, 60, 100, [sentence(n) for n in range(6)])

    layout = read_pdf(make_pdf(tmp_path / "page.pdf", draw), "d", AdaptSettings(ocr="none"), tmp_path / "images").layout
    spans = [span for block in layout.pages[0].blocks for line in block.lines for span in line.spans]
    assert [span.text for span in spans if span.bold] == ["Terms of use"]


@pytest.mark.parametrize("gap", [8.0, 24.0])
def test_a_numbered_clause_goes_on_beside_its_number(tmp_path: Path, gap: float) -> None:
    clauses = [f"4.{n} " for n in range(1, 4)]
    rest = [
        "The supplier keeps a list of all parts that it delivers and",
        "names whoever answers for each of them in it.",
    ]

    def draw(page: Any) -> None:
        x = 60 + pymupdf.get_text_length("4.1", "helv", 10) + gap
        for n, clause in enumerate(clauses):
            page.insert_text((60, 80 + 28 * n), clause.strip(), fontsize=10)
            for row, text in enumerate(rest):
                page.insert_text((x, 80 + 28 * n + 13 * row), text, fontsize=10)

    texts = [" ".join(item.text.split()) for item in read(tmp_path, draw).items]
    assert texts == [f"{clause}{' '.join(rest)}" for clause in clauses]


def test_the_letter_o_in_a_font_of_its_own_is_a_bullet(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        lines(page, 60, 80, [sentence(n) for n in range(3)])
        for n, text in enumerate(("pumps and their drives", "valves", "o outro nome")):
            page.insert_text((78, 130 + 13 * n), "o", fontsize=10, fontname="cour")
            page.insert_text((92, 130 + 13 * n), text, fontsize=10)

    texts = [item.text for item in read(tmp_path, draw).items if item.role == "list"]
    assert [line for text in texts for line in text.split("\n")] == [
        "◦ pumps and their drives", "◦ valves", "◦ o outro nome",
    ]  # fmt: skip
