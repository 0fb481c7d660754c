from __future__ import annotations

import pytest
from helpers.content_lists import Pages

from cosee.structure.enhance import enhance
from cosee.text.number_words import roman_value, to_roman


def labels(printed: list[str | None], given: list[str | None] | None = None) -> list[str | None]:
    pages = Pages()
    for number, text in enumerate(printed):
        pages.body(number)
        if text is not None:
            pages.add(text, size=8, bbox=(0.48, 0.95, 0.52, 0.965))
        if number < len(printed) - 1:
            pages.page()
    adapted = pages.adapted()
    for page, label in zip(adapted.pages, given or [], strict=False):
        page.page_label = label
    return [page.page_label for page in enhance(adapted).pages]


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        (["i", "ii", "iii", "iv", "1", "2", "3"], ["i", "ii", "iii", "iv", "1", "2", "3"]),
        ([None, None, "- 1 -", "- 2 -", None, "- 4 -"], [None, None, "1", "2", "3", "4"]),
        (["7", "8", "9", "21", "22", "23"], ["7", "8", "9", "21", "22", "23"]),
        (["F-1", "F-2", "F-3"], ["F-1", "F-2", "F-3"]),
        (["第1页", "第2页", "第3页"], ["1", "2", "3"]),
        ([None, "1998", None, None], [None, None, None, None]),
    ],
)
def test_printed_numbers_become_page_labels(printed: list[str | None], expected: list[str | None]) -> None:
    assert labels(printed) == expected


def test_labels_of_the_file_win_unless_they_only_count_pages() -> None:
    assert labels(["3", "4", "5"], ["A-1", "A-2", "A-3"]) == ["A-1", "A-2", "A-3"]
    assert labels(["3", "4", "5"], ["1", "2", "3"]) == ["3", "4", "5"]


def test_roman_numerals_round_trip() -> None:
    assert [roman_value(to_roman(value)) for value in range(1, 400)] == list(range(1, 400))
    assert roman_value("iiii") is None
    assert roman_value("") is None
