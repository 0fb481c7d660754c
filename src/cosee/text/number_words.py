"""Numbers written as words, roman numerals and Chinese numerals, and their values."""

from __future__ import annotations

import re

# General knowledge: the number words of English.
_TWO_TO_TEN = "two three four five six seven eight nine ten"
# General knowledge: the number words of English.
_SMALL = f"zero one {_TWO_TO_TEN} eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
# General knowledge: the number words of English.
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TEN_VALUES = {word: 10 * tens for tens, word in enumerate(_TENS.split(), start=2)}
CARDINALS = {word: value for value, word in enumerate(_SMALL.split())} | _TEN_VALUES
"""English words below a hundred of one part each, ``zero`` to ``nineteen`` and the tens, in order of value."""
UP_TO_TWENTY = {word: value for word, value in CARDINALS.items() if value <= 20}
SEVERAL = {word: value for value, word in enumerate(_TWO_TO_TEN.split(), start=2)}
"""``two`` to ``ten``: how many things a sentence asks for or lists."""
# General knowledge: the ordinals of English.
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth"
ORDINALS = {word: value for value, word in enumerate(_ORDINALS.split(), start=1)}
_UNITS = "|".join(word for word, value in CARDINALS.items() if 1 <= value <= 9)
CARDINAL = rf"(?:{'|'.join(_TEN_VALUES)})(?:[- ]?(?:{_UNITS}))?|{'|'.join(_SMALL.split()[1:])}"
"""A form of ``one`` to ``ninety-nine``, for a regular expression."""
ARABIC_ORDINALS = {
    word: value
    for value, words in enumerate(
        ("الأول الاول اول", "الثاني دوم", "الثالث سوم", "الرابع چهارم", "الخامس پنجم", "السادس ششم", "السابع هفتم",
         "الثامن هشتم", "التاسع نهم", "العاشر دهم"), start=1,
    )
    for word in words.split()
}  # fmt: skip
"""Arabic and Persian."""
HAN_TO_TEN = "一二三四五六七八九十"
HAN_DIGITS = f"〇零{HAN_TO_TEN}百"
_ROMAN = re.compile(r"(?=[ivxlc])c{0,3}(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def cardinal_value(text: str) -> int | None:
    """Value of ``one`` to ``ninety-nine`` in either case, with a hyphen, a space or nothing between its parts."""
    word = re.sub("[- ]", "", text).lower()
    if word in CARDINALS:
        return CARDINALS[word]
    for ten, value in _TEN_VALUES.items():
        unit = CARDINALS.get(word.removeprefix(ten), 0) if word.startswith(ten) else 0
        if 1 <= unit <= 9:
            return value + unit
    return None


def han_value(text: str) -> int:
    """Value of a Chinese numeral below 1000 (or of plain digits)."""
    if text.isdecimal():
        return int(text)
    total, digit = 0, 0
    for character in text:
        if character == "百":
            total, digit = total + (digit or 1) * 100, 0
        elif character == "十":
            total, digit = total + (digit or 1) * 10, 0
        else:
            digit = max(0, HAN_DIGITS.index(character) - 1)
    return total + digit


def roman_value(text: str) -> int | None:
    """Value of a roman numeral up to 399 (either case), None for anything else."""
    if not text or not _ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_VALUES[character] for character in text.lower()]
    return sum(
        -value if index + 1 < len(digits) and value < digits[index + 1] else value for index, value in enumerate(digits)
    )


def to_roman(value: int) -> str:
    """Lower-case roman numeral of a value from 1 to 399."""
    table = [(100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")]
    text = ""
    for number, numeral in table:
        while value >= number:
            text += numeral
            value -= number
    return text
