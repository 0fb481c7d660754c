"""Spans of a text that can stand for themselves: numbers as printed, dates, phrases, series of things."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from cosee.text.folding import fold
from cosee.text.months import MONTH
from cosee.text.numbers import numbers
from cosee.text.stop_words import STOP_WORDS

Span = tuple[int, int]
"""Start and end offset in a text, end exclusive."""
LONGEST_PHRASE = 10
"""Words."""
_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[,;:.!?()\[\]—–“”\"]")
_NUMBER_TAIL = re.compile(r"[\d.,'’]*\d")
_UNIT = re.compile(r"\s?([^\W\d_]{1,12}|°\s?[CF])\b")
# General knowledge: how dates are written, with the months in English, in digits, and in Chinese and Japanese.
_DATE = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?)?\b{MONTH}\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?\d{{4}}\b"
    rf"|\b{MONTH}\.?\s+\d{{1,2}}\b(?!\d)|\b\d{{1,2}}\s+{MONTH}\b|\b\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}\b"
    r"|\d{4}\s*年(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?)?|\b(?:1[6-9]|20)\d\d\b(?![.,]\d)",
    re.IGNORECASE,
)
# General knowledge: the conjunctions before the last item of a series.
_AND = r"(?:and|und|et|y|or)"
_SERIES = re.compile(rf"((?:[^,;:.()]{{2,60}},\s+){{1,12}}[^,;:.()]{{2,60}}?,?\s+{_AND}\s+[^,;:.()]{{2,60}})")
_SERIES_PART = re.compile(rf",\s+(?:{_AND}\s+)?|\s+{_AND}\s+")
_TICKED = "☑☒✓✔✗✘■●⦿"
_BOX = re.compile(rf"[{_TICKED}☐□○]|\[[xX ]\]")
_NUMBERED = re.compile(r"\s*(?:[•▪·*>–—-]\s*)?(?:\(?(?:\d{1,2}|[a-z])[.)]\s+|\d{1,2}\s+(?=[^\W\d_a-z]))?")


def number_spans(text: str, is_unit: Callable[[str], bool], *, numbered: bool = False) -> Iterator[Span]:
    """Numbers as printed, with sign, currency, scale and unit; no years, marks of notes, or numbering of a line.

    ``is_unit`` says whether a word is a unit. ``numbered``: the text is of a kind that begins with a number of its own.
    """
    for number in numbers(text):
        start, end = number.start, number.end
        mark = text[end : end + 1] == ")" and text.rfind("(", 0, start) <= text.rfind(")", 0, start)  # 1) is a mark
        behind = text[start - 1 : start] in ("[", "^", "*") or start < numbering(text)
        if number.year or mark or behind or (numbered and not text[:start].strip()):
            continue
        if (tail := _NUMBER_TAIL.match(text, end)) and text[end] in ",.'’":
            end = tail.end()
        if not number.percent and (unit := _UNIT.match(text, end)) and is_unit(unit[1]):
            end = unit.end()
        yield min(start, number.end - len(number.text)), end


def numbering(text: str) -> int:
    """Where what is said begins, behind a bullet or the number of a line."""
    found = _NUMBERED.match(text)
    return found.end() if found else 0


def phrase_spans(text: str) -> Iterator[Span]:
    """Runs of words between marks and small words."""
    tokens = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
    little = [fold(word).strip(",.;:()") in STOP_WORDS for _, _, word in tokens]
    starts, ends = [], []
    for at, (_, _, word) in enumerate(tokens):
        if little[at]:
            continue
        if at == 0 or little[at - 1] or _MARK.search(tokens[at - 1][2][-1]) or _MARK.match(word):
            starts.append(at)
        if at + 1 == len(tokens) or little[at + 1] or _MARK.search(word[-1]):
            ends.append(at)
    for first in starts[:24]:
        yield from ((tokens[first][0], tokens[last][1]) for last in ends if first <= last < first + LONGEST_PHRASE)


def date_spans(text: str) -> Iterator[Span]:
    """Dates and years."""
    return (match.span() for match in _DATE.finditer(text))


def series_items(series: str) -> list[str]:
    """The items of what ``series_spans`` finds."""
    return [part.strip() for part in _SERIES_PART.split(series) if part.strip()]


def series_spans(text: str) -> Iterator[Span]:
    """Where a sentence lists things: from behind the last small word before the first of them to the last."""
    for match in _SERIES.finditer(text):
        first = match[1].partition(",")[0]
        behind = [word.end() for word in _WORD.finditer(first) if fold(word.group()) in STOP_WORDS]
        start = match.start(1) + (behind[-1] if behind and first[behind[-1] :].strip() else 0)
        yield start + len(text[start:]) - len(text[start:].lstrip()), match.start(1) + len(match[1].rstrip())


def ticked(text: str) -> str:
    """What the one ticked box of several stands before, or behind where the text ends in a box; else empty."""
    marks = list(_BOX.finditer(text))
    found = [at for at, mark in enumerate(marks) if mark.group() in _TICKED or mark.group().lower() == "[x]"]
    if len(found) != 1 or len(marks) < 2:
        return ""
    at = found[0]
    if text[marks[-1].end() :].strip():
        told = text[marks[at].end() : marks[at + 1].start() if at + 1 < len(marks) else len(text)]
    else:  # "Yes ☒ No ☐"
        told = re.split("[:?]", text[marks[at - 1].end() if at else 0 : marks[at].start()])[-1]
    return told.strip(" |,;.")
