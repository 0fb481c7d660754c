"""Reading a number out of a short answer: separators, currency, percent, scale and unit."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from cosee.evaluation.scorers.thresholds import NUMBER_CHARACTERS, UNIT_WORDS

SCALES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9,
    "millionen": 1e6, "milliarden": 1e9, "millions": 1e6, "billions": 1e9, "millones": 1e6, "milliards": 1e9,
}  # fmt: skip

_BLANKS = "\u00a0\u2007\u2009\u202f "
_NUMBER = rf"\d{{1,3}}(?:[{_BLANKS}]\d{{3}})+(?:[.,]\d+)?|\d[\d.,'\u2019]*"
_ANSWER = re.compile(
    rf"(?P<open>\()?(?P<sign>[-+])?\s*(?:[A-Z]{{3}}\s|US\$|[$\u00a3\u20ac\u00a5])?\s*(?P<sign2>[-+])?"
    rf"(?P<number>{_NUMBER}|\.\d+)"
    r"\s*(?P<percent>%|percent\b|per cent\b|Prozent\b|pour cent\b)?\s*(?P<rest>[^\d]*)$"
)


@dataclass(frozen=True)
class Number:
    """A number as written: ``value`` without the ``scale`` word applied, ``unit`` what follows it."""

    value: float
    percent: bool
    scale: float | None
    unit: str


@lru_cache(maxsize=16_384)
def read_number(text: str) -> Number | None:
    """The number that the whole answer states (``$1,234.5 million``, ``12 %``, ``5 kg``), or None.

    Words before the number or more than three words after it make it a sentence, not a number; number words are
    not read.
    """
    text = text.strip().translate(dict.fromkeys(map(ord, "\u2212\u2013"), "-"))
    match = _ANSWER.match(text) if len(text) < NUMBER_CHARACTERS else None
    if match is None or len(match["rest"].split()) > UNIT_WORDS:
        return None
    try:
        value = float(plain(match["number"]))
    except ValueError:
        return None
    if "-" in (match["sign"], match["sign2"]):
        value = -value
    rest = match["rest"].strip(" .,)")
    first, _, unit = rest.partition(" ")
    scale = SCALES.get(first.lower().rstrip("."))
    return Number(value, match["percent"] is not None, scale, unit if scale else rest)


def plain(number: str) -> str:
    """Digits with a decimal point: ``1,234.5``, ``1.234,5`` and ``1 234,5`` all give ``1234.5``.

    One comma before exactly three digits separates thousands; one comma before other digits is a decimal comma.
    """
    number = re.sub(rf"[{_BLANKS}'\u2019]", "", number).rstrip(".,")
    if "," in number and "." in number:
        if number.rindex(",") > number.rindex("."):
            return number.replace(".", "").replace(",", ".")
        return number.replace(",", "")
    if re.fullmatch(r"\d{1,3}(,\d{3})+", number):
        return number.replace(",", "")
    if number.count(".") > 1:
        return number.replace(".", "")
    return number.replace(",", "", number.count(",") - 1).replace(",", ".")


def numbers_in(text: str) -> list[str]:
    """Every number of a text in plain form, trailing zeros of decimals dropped; for finding them elsewhere."""
    found = []
    for match in re.findall(rf"(?<![\w.])(?:{_NUMBER})", text):
        digits = plain(match)
        found.append(digits.rstrip("0").rstrip(".") if "." in digits else digits)
    return found
