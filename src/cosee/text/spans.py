"""Spans of a text that can stand for themselves: numbers as printed, dates, phrases, series of things."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from cosee.text.folding import fold
from cosee.text.months import MONTH
from cosee.text.numbers import numbers
from cosee.text.stop_words import STOP_WORDS
from cosee.text.thresholds import LONGEST_PHRASE, MOST_PHRASE_STARTS

Span = tuple[int, int]
"""Start and end offset in a text, end exclusive."""
_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[,;:.!?()\[\]—–“”\"]")
_NUMBER_TAIL = re.compile(r"[\d.,'’]*\d")
_UNIT = re.compile(r"\s?(%|(?:[^\W\d_²³]{1,12}|°\s?[CF])(?![^\W²³]))(?:[²³]|/[^\W\d_]{1,6}\b[²³]?)?")
# General knowledge: units of power, volume, pressure and light, and the euro as a word.
_UNIT_WORDS = "kw gw mwh gwh kva mah l ml litre litres liter liters bar mbar hpa kpa rpm lm euro"
_UNITS = frozenset(_UNIT_WORDS.split())
_NOTE_MARK = r"(?:\[\d{1,3}\]|\d{1,2}\)|[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+)"
_ONLY_MARKS = re.compile(rf"(?:{_NOTE_MARK}\s*)+")
_MARKED = re.compile(rf"(?<=[^\s(])(?:\s+{_NOTE_MARK}|(?<=\d)[*†‡§¹²³⁴⁵⁶⁷⁸⁹]+|(?<=\w)\[\d{{1,3}}\])+$")
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
_NUMBERED = re.compile(r"\s*(?:[•▪·*>–—-]\s*)?(?:\(?(?:\d{1,2}|[a-z])[.)]\s+|\d{1,2}\s+(?=[^\W\d_a-z]))?")


def number_spans(text: str, units: Callable[[str], Sequence[str]], *, numbered: bool = False) -> Iterator[Span]:
    """Numbers as printed, with sign, currency, scale and unit; no years, marks of notes, or numbering of a line.

    ``units`` finds more units in a text. ``numbered``: the text is of a kind that begins with a number of its own.
    """
    reached = 0
    for number in numbers(text):
        start, end = number.start, number.end
        if start < reached:
            continue  # the 9 of 55,9
        is_counter = text[end : end + 1] == ")" and text.rfind("(", 0, start) <= text.rfind(")", 0, start)  # 1)
        is_mark = text[start - 1 : start] in ("[", "^", "*") or start < numbering(text)
        if number.year or is_counter or is_mark or (numbered and not text[:start].strip()):
            continue
        if (tail := _NUMBER_TAIL.match(text, end)) and text[end] in ",.'’":
            end = tail.end()
        if (
            not number.percent
            and (unit := _UNIT.match(text, end))
            and (unit[1].lower() in _UNITS or units(f"1 {unit[1]}"))
        ):
            end = unit.end()
        first, reached = min(start, number.end - len(number.text)), end
        yield first - (number.value < 0 and text[first - 1 : first] in tuple("-−–")), end


def without_mark(text: str) -> str:
    """A text without the mark of a footnote behind it; empty where it is nothing else."""
    return "" if _ONLY_MARKS.fullmatch(text) else _MARKED.sub("", text)


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
    for first in starts[:MOST_PHRASE_STARTS]:
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
