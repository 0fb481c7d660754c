"""Tables of the kinds that the cases ``tb-*`` stand for, in other fonts, sizes and places."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_pdf import grid, lines, make_pdf, picture, sentence

from cosee.artifacts.documents.layout import CellSpan, LayoutBlock
from cosee.parse.layout.page_layout import lay_out
from cosee.parse.pdf.page_source import read_page
from cosee.parse.pdf.turned_page import hold_upright

Texts = Sequence[tuple[float, float, str]]


def blocks_of(path: Path) -> list[LayoutBlock]:
    """Tables of the first page, with boxes of the page as seen."""
    with pymupdf.open(path) as document:
        raw = read_page(document[0])
        hold_upright(raw)
        blocks = [b for b in lay_out(raw, 0, with_tables=True).blocks if b.rows is not None]
    for block in blocks:
        block.bbox = raw.turn.back(block.bbox) if raw.turn is not None else block.bbox
    return blocks


def write(page: Any, texts: Texts, size: float = 9, font: str = "helv") -> None:
    for x, y, text in texts:
        page.insert_text((x, y), text, fontsize=size, fontname=font)


def centred(page: Any, x: float, y: float, text: str, size: float = 9) -> None:
    page.insert_text((x - pymupdf.get_text_length(text, fontsize=size) / 2, y), text, fontsize=size)


def right(page: Any, x: float, y: float, text: str, size: float = 9, font: str = "helv") -> None:
    page.insert_text((x - pymupdf.get_text_length(text, font, size), y), text, fontsize=size, fontname=font)


def rule(page: Any, x0: float, x1: float, y: float) -> None:
    page.draw_line((x0, y), (x1, y), width=0.5)


@pytest.mark.parametrize("size", [7, 9, 12])
def test_wrapped_names_and_names_over_several_columns(tmp_path: Path, size: float) -> None:
    def draw(page: Any) -> None:
        step = size * 1.25
        rule(page, 60, 540, 100)
        centred(page, 330, 100 + step, "2007", size)
        centred(page, 490, 100 + step, "2009", size)
        rule(page, 260, 400, 103 + step)
        rule(page, 420, 540, 103 + step)
        for x in (290, 450):
            centred(page, x, 106 + 2 * step, "Number", size)
            centred(page, x, 106 + 3 * step, "of homes", size)
        for x in (370, 520):
            centred(page, x, 106 + 3 * step, "Share", size)
        page.insert_text((60, 106 + 3 * step), "Kind", fontsize=size)
        rule(page, 60, 540, 110 + 3 * step)
        for n, label in enumerate(("Flat", "House", "Other")):
            y = 112 + (4 + n * 1.3) * step
            page.insert_text((60, y), label, fontsize=size)
            for x, text in zip((300, 380, 460, 530), ("120", "4.5", "131", "4.7"), strict=True):
                right(page, x, y, text, size)
        rule(page, 60, 540, 118 + 7 * step)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows is not None
    assert block.rows[:2] == [
        ["Kind", "2007", "2007", "2009", "2009"],
        ["Kind", "Number of homes", "Share", "Number of homes", "Share"],
    ]
    assert block.rows[2:] == [[label, "120", "4.5", "131", "4.7"] for label in ("Flat", "House", "Other")]
    assert block.spans == [
        CellSpan(row=0, column=0, rows=2),
        CellSpan(row=0, column=1, columns=2),
        CellSpan(row=0, column=3, columns=2),
    ]


def test_columns_of_sentences_between_rules(tmp_path: Path) -> None:
    words = [sentence(n, 24).split() for n in range(3)]
    texts = [[" ".join(words[n][k : k + 8]) for k in (0, 8, 16)] for n in range(3)]

    def draw(page: Any) -> None:
        rule(page, 60, 500, 90)
        write(page, [(60, 102, "Kind"), (160, 102, "Form"), (250, 102, "What it asks")])
        rule(page, 60, 500, 107)
        y = 120.0
        for n, found in enumerate(texts):
            write(page, [(60, y, f"Kind {n + 1}"), (160, y, f"P({n})")])
            write(page, [(250, y + 11 * k, line) for k, line in enumerate(found)])
            y += 11 * 3 + 3
        rule(page, 60, 500, y - 6)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    expected = [[f"Kind {n + 1}", f"P({n})", " ".join(found)] for n, found in enumerate(texts)]
    assert block.rows == [["Kind", "Form", "What it asks"], *expected]


@pytest.mark.parametrize("font", ["helv", "tiro", "cour"])
def test_dot_leaders_rules_of_dashes_and_a_repeated_header(tmp_path: Path, font: str) -> None:
    def table(page: Any, y: float, values: list[list[str]]) -> None:
        write(page, [(70, y, "Share"), (300, y, "1.0"), (360, y, "1.5"), (420, y, "2.0")], font=font)
        page.insert_text((70, y + 9), "-" * 60, fontsize=9, fontname=font)
        for n, row in enumerate(values):
            write(page, [(70, y + 20 + 12 * n, f"{row[0]} " + "." * 20)], font=font)
            for x, text in zip((315, 375, 435), row[1:], strict=True):
                right(page, x, y + 20 + 12 * n, text, font=font)

    values = [["0.9", "800", "880", "1,040"], ["0.8", "160", "176", "208"], ["0.7", "80", "88", "104"]]

    def draw(page: Any) -> None:
        table(page, 100, values)
        table(page, 190, values)

    found = [block.rows for block in blocks_of(make_pdf(tmp_path / "a.pdf", draw))]
    assert found == [[["Share", "1.0", "1.5", "2.0"], *values]] * 2


@pytest.mark.parametrize("dot", [" .", "."])
def test_leaders_lead_from_labels_to_columns_that_alone_are_ruled(tmp_path: Path, dot: str) -> None:
    values = [
        ["Income from continuing operations", "247,408", "525,177", "502,123"],
        ["Foreign currency adjustment", "14,840", "(42,370)", "10,640"],
        ["Change in pension plans", "(2,090)", "2,908", "4,909"],
        ["Comprehensive income", "260,158", "485,715", "517,672"],
    ]
    edges = (400, 460, 520)

    def draw(page: Any) -> None:
        for x, year in zip(edges, ("2009", "2008", "2007"), strict=True):
            right(page, x, 100, year)
            for y in (103, 147, 161):
                rule(page, x - 45, x, y)
        for n, (label, *found) in enumerate(values):
            y = 115 + 14 * n
            room = 345 - 70 - pymupdf.get_text_length(label, fontsize=9)
            write(page, [(70, y, label + dot * int(room / pymupdf.get_text_length(dot, fontsize=9)))])
            for x, text in zip(edges, found, strict=True):
                right(page, x, y, text)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows == [["", "2009", "2008", "2007"], *values]


def test_blocks_side_by_side_under_one_header_are_one_list(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for block in range(3):
            x = 60 + 160 * block
            write(page, [(x, 100, "Age"), (x + 70, 100, "People")])
            for n in range(5):
                write(page, [(x, 116 + 13 * n, f"{10 * block + n} years")])
                right(page, x + 98, 116 + 13 * n, f"{3000 - 100 * block - n:,}")
        for y in (88, 105, 175):
            rule(page, 58, 480, y)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows is not None
    assert block.rows[0] == ["Age", "People"]
    assert [row[0] for row in block.rows[1:]] == [f"{10 * b + n} years" for b in range(3) for n in range(5)]


def test_amounts_keep_their_signs_and_units_their_row(tmp_path: Path) -> None:
    rows = [("Cost", "178", "(141)"), ("Research", "3,423", "2,532"), ("Total", "3,601", "2,391")]

    def draw(page: Any) -> None:
        centred(page, 420, 100, "Year Ended")
        rule(page, 340, 500, 103)
        centred(page, 380, 114, "2025")
        centred(page, 460, 114, "2024")
        rule(page, 340, 500, 117)
        centred(page, 420, 128, "(In millions)")
        for n, (label, *values) in enumerate(rows):
            y = 142 + 13 * n
            page.insert_text((60, y), label, fontsize=9)
            for x, text in zip((398, 478), values, strict=True):
                right(page, x + (3 if text.endswith(")") else 0), y, text)
        for x in (345, 425):
            page.insert_text((x, 142), "$", fontsize=9)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows is not None
    assert block.rows[:3] == [["", *["Year Ended"] * 2], ["", "2025", "2024"], ["", *["(In millions)"] * 2]]
    assert block.rows[3:] == [["Cost", "$178", "$(141)"], ["Research", "3,423", "2,532"], ["Total", "3,601", "2,391"]]


def test_a_caption_and_a_note_inside_the_grid_are_text_beside_it(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.draw_rect((60, 100, 330, 118), width=0.5)
        page.insert_text((64, 113), "Table 4: Prices of parts", fontsize=9)
        grid(page, 60, 118, [["Item", "Unit", "Price"], ["Pump", "pc", "13.07"], ["Valve", "kg", "16.14"]])
        page.draw_rect((60, 172, 330, 190), width=0.5)
        page.insert_text((64, 185), "Source: price list of the works", fontsize=9)

    path = make_pdf(tmp_path / "a.pdf", draw)
    (block,) = blocks_of(path)
    assert block.rows == [["Item", "Unit", "Price"], ["Pump", "pc", "13.07"], ["Valve", "kg", "16.14"]]
    with pymupdf.open(path) as document:
        blocks = lay_out(read_page(document[0]), 0, with_tables=True).blocks
    texts = ["".join(span.text for line in b.lines for span in line.spans) for b in blocks if b.kind == "text"]
    assert texts == ["Table 4: Prices of parts", "Source: price list of the works"]


def test_a_picture_in_a_cell_leaves_the_grid_whole(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        grid(page, 60, 100, [["", "Name", "Year"], ["", "Oak", "1901"], ["", "Elm", "1907"]], height=40)
        for n in (1, 2):
            picture(page, (66, 104 + 40 * n, 100, 136 + 40 * n), (200, 30 * n, 40))

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows is not None
    assert [row[-2:] for row in block.rows] == [["Name", "Year"], ["Oak", "1901"], ["Elm", "1907"]]


def test_several_columns_of_text_and_justified_lines_are_no_tables(tmp_path: Path) -> None:
    def three_columns(page: Any) -> None:
        for column in range(3):
            lines(page, 50 + 175 * column, 100, [sentence(7 * column + n, 7) for n in range(24)], size=8, pitch=11)

    def justified(page: Any) -> None:
        for n in range(4):
            words = sentence(n, 6).split()
            gap = (420 - sum(pymupdf.get_text_length(w, fontsize=9) for w in words)) / 5
            x = 80.0
            for word in words:
                page.insert_text((x, 300 + 11 * n), word, fontsize=9)
                x += pymupdf.get_text_length(word, fontsize=9) + gap

    def bullets(page: Any) -> None:
        for n in range(5):
            for x, count in ((80, 3), (320, 2)):
                page.insert_text((x, 100 + 14 * n), "\u2022 " + sentence(n, count), fontsize=9)

    for number, draw in enumerate((three_columns, justified, bullets)):
        assert blocks_of(make_pdf(tmp_path / f"{number}.pdf", draw)) == [], draw.__name__


@pytest.mark.parametrize("rotate", [90, 270])
@pytest.mark.parametrize("page_rotation", [0, 90, 180])
def test_a_table_set_sideways_is_read_as_the_page_is_turned(tmp_path: Path, rotate: int, page_rotation: int) -> None:
    rows = [
        ["Region", "2021", "2022"],
        ["North", "1,204", "1,310"],
        ["South", "980", "1,002"],
        ["Total", "2,184", "2,312"],
    ]

    def draw(page: Any) -> None:
        for r, row in enumerate(rows):
            for c, text in enumerate(row):
                along, across = 150 + 120 * c, 200 + 16 * r
                point = (across, 800 - along) if rotate == 90 else (500 - across, along)
                page.insert_text(point, text, fontsize=10, rotate=rotate)
        page.set_rotation(page_rotation)

    path = make_pdf(tmp_path / "a.pdf", draw)
    (block,) = blocks_of(path)
    assert block.rows == rows
    with pymupdf.open(path) as document:
        page = document[0]
        seen = [pymupdf.Rect(w[:4]) * page.rotation_matrix for w in page.get_text("words")]
    whole = pymupdf.Rect()
    for box in seen:
        whole |= box
    assert block.bbox == pytest.approx(tuple(whole), abs=0.1)


def test_numbers_in_one_ruled_field_stand_below_their_ruled_names(tmp_path: Path) -> None:
    rows = [["North", "1.9", "5.8"], ["South", "0.1", "3.8"], ["East", "1.5", "6.8"], ["West", "3.4", "1.2"]]

    def draw(page: Any) -> None:
        grid(page, 60, 100, [["Part", "2009", "2010"]])
        page.draw_rect((60, 118, 150, 190), width=0.5)
        page.draw_rect((150, 118, 330, 190), width=0.5)
        for n, row in enumerate(rows):
            write(page, [(64, 132 + 15 * n, row[0]), (180, 132 + 15 * n, row[1]), (270, 132 + 15 * n, row[2])])

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows == [["Part", "2009", "2010"], *rows]


def test_labels_with_letters_of_their_own_are_no_wrapped_headings(tmp_path: Path) -> None:
    rows = [
        ["Gender", "", ""],
        ["a Male", "612", "65"],
        ["b Female", "914", "55"],
        ["Age", "", ""],
        ["a 65-69", "531", "74"],
    ]

    def draw(page: Any) -> None:
        for r, row in enumerate([["Total", "1,526", "59"], *rows]):
            page.insert_text((60, 120 + 14 * r), row[0], fontsize=9)
            for x, text in zip((300, 380), row[1:], strict=True):
                right(page, x, 120 + 14 * r, text)

    (block,) = blocks_of(make_pdf(tmp_path / "a.pdf", draw))
    assert block.rows == [["Total", "1,526", "59"], *rows]


@pytest.mark.parametrize("angle", [45, 60, 90])
def test_slanted_names_stand_over_the_columns_they_start_at(tmp_path: Path, angle: int) -> None:
    xs = [250 + 36 * n + 24 * (n // 3) for n in range(6)]

    def draw(page: Any) -> None:
        rule(page, 60, 480, 100)
        for first, name in ((0, "North"), (3, "South")):
            centred(page, (xs[first] + xs[first + 2]) / 2, 111, name)
        write(page, [(60, 172, "#"), (84, 172, "Kind"), (140, 172, "Task")])
        for x, name in zip(xs, ("Process", "Result", "Knowledge") * 2, strict=True):
            start = pymupdf.Point(x - 2, 172)
            page.insert_text(start, name, fontsize=9, morph=(start, pymupdf.Matrix(angle)))
        rule(page, 60, 480, 178)
        for n in range(9):
            y = 192 + 13 * n
            if n % 3 == 0:
                write(page, [(60, y, "Instruments"), (140, y, "Of all kinds")], font="hebo")
                continue
            write(page, [(60, y, str(n)), (84, y, ("Easy", "Hard")[n % 2]), (140, y, f"Single task {n}")])
            for m, x in enumerate(xs):
                centred(page, x, y, f"0.{n}{m}")
        rule(page, 60, 480, 192 + 13 * 9)

    (block,) = blocks_of(make_pdf(tmp_path / "slanted.pdf", draw))
    assert block.rows[:2] == [
        ["#", "Kind", "Task", *["North"] * 3, *["South"] * 3],
        ["#", "Kind", "Task", *["Process", "Result", "Knowledge"] * 2],
    ]
    assert block.rows[2][:3] == ["Instruments", "Instruments", "Of all kinds"]
    assert block.rows[3] == ["1", "Hard", "Single task 1", *[f"0.1{m}" for m in range(6)]]
