"""Words of lines that run from right to left: parted where their letters stand apart, brackets as they are read."""

from __future__ import annotations

import pytest

from cosee.parse.pdf.direction import _parted, reading_words
from cosee.parse.pdf.page_model import Word


def test_a_number_at_the_right_of_a_title_is_a_word_of_its_own() -> None:
    letters = [(391, 394), (388, 391), (382, 388), (374, 382), (434, 441)]  # the title's last word, then its number
    boxes = [(x0, 100.0, x1, 112.0) for x0, x1 in letters]
    word = (374.0, 100.0, 441.0, 112.0, "بازی۱", 3, 0, 7)
    assert _parted(word, boxes) == [
        (374, 100, 394, 112, "بازی", 3, 0, 7),
        (434, 100, 441, 112, "۱", 3, 0, 7),
    ]
    assert _parted(word, boxes[:4]) == [word]  # not the word's letters


def test_words_without_a_space_between_them_are_parted_at_their_gap() -> None:
    boxes = [(20.0, 0.0, 26.0, 10.0), (14.0, 0.0, 20.0, 10.0), (6.0, 0.0, 12.5, 10.0)]
    assert [part[4] for part in _parted((6.0, 0.0, 26.0, 10.0, "ازا", 0, 0, 0), boxes)] == ["از", "ا"]


@pytest.mark.parametrize(
    ("words", "read"),
    [
        ([")۱(", "ایک"], "ایک (۱)"),
        (["(۱)", "ایک"], "ایک (۱)"),
        (["f(x)", ")۱(", "ایک"], "ایک (۱) f(x)"),
        ([")", "ایک"], "ایک )"),
    ],
)
def test_brackets_open_before_they_close(words: list[str], read: str) -> None:
    line = [Word(text, (60.0 * n, 0.0, 60.0 * n + 50, 10.0)) for n, text in enumerate(words)]
    assert " ".join(word.text for word in reading_words(line)) == read
