import re

import pytest

from cosee.text.number_words import CARDINAL, ORDINALS, cardinal_value, roman_value, to_roman


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("one", 1),
        ("NINETEEN", 19),
        ("forty", 40),
        ("Twenty-two", 22),
        ("ninety nine", 99),
        ("SIXTYONE", 61),
        ("tenone", None),
        ("twenty-twelve", None),
        ("twentyzero", None),
        ("page", None),
    ],
)
def test_value_of_a_spelled_number(text: str, value: int | None) -> None:
    assert cardinal_value(text) == value


def test_the_form_finds_the_whole_number() -> None:
    found = re.findall(rf"\b(?:{CARDINAL})\b", "seven, seventeen, seventy-one and seventy")
    assert found == ["seven", "seventeen", "seventy-one", "seventy"]
    assert [ORDINALS[word] for word in ("first", "tenth")] == [1, 10]


def test_roman_numerals_go_there_and_back() -> None:
    assert [roman_value(to_roman(value)) for value in range(1, 400)] == list(range(1, 400))
