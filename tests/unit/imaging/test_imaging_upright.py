from __future__ import annotations

import numpy as np
import pymupdf
import pytest
from helpers.make_pdf import lines, picture, sentence

from cosee.imaging import ink
from cosee.imaging.upright import Turn


def page_picture(dpi: int = 100) -> ink.Gray:
    with pymupdf.open() as document:
        page = document.new_page()
        lines(page, 72, 90, [sentence(n, 11) for n in range(30)], size=11, pitch=20)
        return ink.gray_of(page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False))


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 4.5, -3, 93])
def test_a_box_comes_back_from_its_turn(degrees: float) -> None:
    turn, box = Turn(600, 800, degrees), (100.0, 200.0, 130.0, 210.0)
    there = turn.forward(box)
    back = turn.back(there)
    slack = 0.01 if degrees % 90 == 0 else 8
    assert max(abs(a - b) for a, b in zip(back, box, strict=True)) <= slack
    wide, high = turn.turned_size
    assert 0 <= there[0] <= there[2] <= wide + 0.01 and 0 <= there[1] <= there[3] <= high + 0.01


def test_a_quarter_turn_clockwise_moves_the_top_left_to_the_top_right() -> None:
    turn = Turn(600, 800, 90)
    assert turn.turned_size == (800, 600) and turn.forward((0, 0, 10, 20)) == (780, 0, 800, 10)
    gray = np.full((80, 60), 255, dtype=np.uint8)
    gray[:4, :2] = 0
    assert turn.picture(gray)[:2, -4:].max() == 0


@pytest.mark.parametrize(
    ("degrees", "upright", "skew"), [(0, True, 0), (4, True, 4), (-6.5, True, -6.5), (92, False, 2)]
)
def test_the_run_of_lines_is_seen(degrees: float, upright: bool, skew: float) -> None:
    gray = page_picture()
    seen = ink.look_at(Turn(gray.shape[1], gray.shape[0], degrees).picture(gray), 100, 100)
    assert seen.upright is upright and abs(seen.skew - skew) <= 0.3
    assert seen.letters > 500 and seen.share > 0.8


def test_a_photo_is_no_text() -> None:
    noise = np.random.default_rng(3).normal(128, 50, (400, 400)).clip(0, 255).astype(np.uint8)
    seen = ink.look_at(noise, 100, 100)
    assert seen.letters < 12 or seen.share < 0.5


def test_rules_and_pictures_are_found_by_their_ink() -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for n in range(4):
            page.draw_line((72, 100 + 30 * n), (372, 100 + 30 * n), width=0.8)
            page.draw_line((72 + 100 * n, 100), (72 + 100 * n, 190), width=0.8)
        picture(page, (100, 400, 250, 520), (30, 60, 120))
        placed = page.get_image_info()[0]["bbox"]
        gray = ink.gray_of(page.get_pixmap(dpi=100, colorspace=pymupdf.csGRAY, alpha=False))
    rules = ink.rules(ink.dark(gray, 100), 100)
    assert len([r for r in rules if r[2] - r[0] > 100]) == 4 and len([r for r in rules if r[3] - r[1] > 100]) == 4
    (found,) = ink.blots(gray, 100, [], rules)
    assert found == pytest.approx([value * 100 / 72 for value in placed], abs=8)


@pytest.mark.parametrize("degrees", [0, 90, 180, 270, 7.5])
def test_the_matrix_of_a_turn_moves_a_point_as_the_turn_does(degrees: float) -> None:
    turn = Turn(300.0, 200.0, degrees)
    a, b, c, d, e, f = turn.matrix
    x, y, _, _ = turn.forward((40.0, 50.0, 40.0, 50.0))
    assert (a * 40 + c * 50 + e, b * 40 + d * 50 + f) == pytest.approx((x, y))
