"""Figures in a text: what they are worth, what they are written with, and how a result is written."""

from __future__ import annotations

import re
from dataclasses import dataclass

from cosee.text.months import SHORT_MONTHS
from cosee.text.scripts import has_cjk
from cosee.text.thresholds import EARLIEST_YEAR, LARGEST_WHOLE_NUMBER, LATEST_YEAR, LONGEST_UNIT, LONGEST_UNIT_OF_ONE

# General knowledge: magnitudes and their abbreviations, in English, Chinese, Japanese and Indian English.
SCALES = {
    "thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "billion": 1e9, "billions": 1e9,
    "bn": 1e9, "trillion": 1e12, "万": 1e4, "億": 1e8, "亿": 1e8, "crore": 1e7, "lakh": 1e5,
}  # fmt: skip
_NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<money>US\$|[$€£¥₹]|(?<![A-Za-z])(?:Rs\.?|RMB|USD|EUR))?\s*(?P<sign>[-−–](?=[\d$.]))?\s*(?P<money2>[$€£¥])?(?P<open2>\()?"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d])"
    r"\s*(?P<close>\))?\s*(?P<percent>%|percent\b|per cent\b|percentage points?\b|pts?\b)?"
    r"\s*(?P<scale>thousands?\b|millions?\b|mn\b|billions?\b|bn\b|trillion\b|crore\b|lakh\b|万|億|亿)?",
    re.IGNORECASE,
)
_YEAR_BEFORE = re.compile(r"(?<!\d)(?:19|20)\d\d[-–/]$")
_SCALE = re.compile(
    rf"(?:\bin\b|\b(?-i:[A-Z]{{3}})\b|[$€£¥])\s*({'|'.join(word for word in SCALES if word.isascii())})\b",
    re.IGNORECASE,
)
_SCALE_CJK = re.compile("百?[万億亿]円?元?")
_DATE = re.compile(rf"\b(?:{'|'.join(SHORT_MONTHS)})[a-z]*\.?\s*\d", re.IGNORECASE)
_SPACED_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d])")
"""``3 400``: in a cell the groups are one number; in a sentence they may be two."""
_DASH = re.compile(r"[$€£¥]?\s*[—–-]+\s*[$€£¥%]?")


@dataclass(frozen=True)
class Number:
    """A number in a text: ``value`` signed and unscaled, ``text`` as written, ``scale`` 1 where no word says more."""

    value: float
    text: str
    start: int
    end: int
    percent: bool = False
    money: bool = False
    scale: float = 1.0

    @property
    def year(self) -> bool:
        """Whether it reads like a calendar year."""
        return self.text.isdigit() and len(self.text) == 4 and EARLIEST_YEAR <= self.value <= LATEST_YEAR


def numbers(text: str) -> list[Number]:
    """The numbers of a text in order; parts of words and identifiers (``A4``, ``3.2.1``, ``12-34``) are left out."""
    found = []
    for match in _NUMBER.finditer(text):
        start, end = match.start("digits"), match.end("digits")
        before, after = text[start - 1 : start], text[end : end + 1]
        if (before and (before.isalnum() and not has_cjk(before) or before in "_#.")) or (
            after and (after.isalpha() and not match["scale"] and not has_cjk(after))
        ):
            continue
        if _YEAR_BEFORE.search(text[max(0, start - 6) : start]) and end - start == 2:
            continue  # 1999-00
        if after == "." and text[end + 1 : end + 2].isdigit():
            continue
        value = float(match["digits"].replace(",", ""))
        ahead = text[: match.start("sign")] if match["sign"] else ""
        negative = bool(match["sign"]) and not ahead[-1:].isalnum() and not ahead.rstrip()[-1:].isdigit()
        if negative or ((match["open"] or match["open2"]) and match["close"]):
            value = -value
        first = match.start("money") if match["money"] else match.start("money2") if match["money2"] else start
        last = max(match.end(name) for name in ("digits", "percent", "scale"))
        found.append(
            Number(
                value, text[first:last].strip(), start, last, bool(match["percent"]),
                bool(match["money"] or match["money2"]), SCALES.get((match["scale"] or "").lower(), 1.0),
            )
        )  # fmt: skip
    return found


def scale_in(text: str) -> str:
    """The magnitude that a text says its numbers are in (``in millions``, ``EUR million``, ``万元``); else empty."""
    found = _SCALE.search(text) or _SCALE_CJK.search(text)
    return "" if found is None else found[found.re.groups].lower().removesuffix("s")


def cell_number(cell: str) -> Number | None:
    """The number that a table cell is, with a short unit at most; a dash is 0; None for dates and text."""
    if cell and _DASH.fullmatch(cell.strip()):
        return Number(0.0, cell.strip(), 0, len(cell))
    cell = _SPACED_GROUPS.sub(lambda match: re.sub(r"\D", "", match[0]), cell)
    found = numbers(cell)
    if not found or _DATE.search(cell):
        return None
    rest = re.sub(r"[\s$€£¥%().,*†‡+<>~≤≥-]|US|RMB", "", cell.replace(found[0].text, "", 1))
    return found[0] if len(rest) <= (LONGEST_UNIT_OF_ONE if len(found) == 1 else LONGEST_UNIT) else None


def plain_number(value: float, digits: int | None = None) -> str:
    """A number as text: without grouping, rounded to ``digits`` (6 where None), whole numbers without a point."""
    if digits is not None:
        return f"{value:.{digits}f}" if digits > 0 else str(round(value))
    rounded = round(value, 6)
    return (
        str(int(rounded))
        if rounded == int(rounded) and abs(rounded) < LARGEST_WHOLE_NUMBER
        else f"{rounded:.6f}".rstrip("0").rstrip(".")
    )
