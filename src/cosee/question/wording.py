"""What a question names and asks for: its words as features, periods, options, and the shapes of answers."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile

from cosee.question.form import answer_form
from cosee.question.thresholds import (
    LARGEST_COUNT,
    NAME_ANSWER_WORDS,
    NUMBER_ANSWER_WORDS,
    PHRASE_ANSWER_WORDS,
    SMALL_WORD_LETTERS,
)
from cosee.text.content_words import words
from cosee.text.folding import fold
from cosee.text.number_words import ORDINALS
from cosee.text.numbers import numbers

SHAPES = ("yes_no", "count", "number", "percent", "date", "list", "name", "phrase", "sentence")
"""What answers look like; ``shape_of`` reads it off an answer, a fitted model guesses it from a question's words."""
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?:1[789]|20)\d\d|\d{4}年")
_YEAR = re.compile(r"(?<![\d.,])(?:FY\s?'?)?((?:19|20)\d\d)(?![\d.,]*\d)", re.IGNORECASE)
# General knowledge: the parts of a business year.
_PART = r"quarter|half"
# General knowledge: how quarters and halves of a year are written.
_PERIOD = re.compile(
    rf"\b([qh])\s?([1-4])(?!\d)|\b([1-4])([qh])\b|\b({'|'.join(list(ORDINALS)[:4])}|[1-4](?:st|nd|rd|th))[\s-]+({_PART})\b"
)
# General knowledge: how the year of a quarter or half is written beside it.
_YEAR_BEHIND = re.compile(r"[\s,(/'-]*(?:(?:of|in|fy)[\s']*)?((?:19|20)\d\d)(?!\d)")
# General knowledge: the same, with the year first.
_YEAR_BEFORE = re.compile(r"(?<!\d)((?:19|20)\d\d)[\s,/-]{0,2}$")
_OPTIONS = re.compile(r"([^,:;?()]+?),?\s+(?:or|oder|ou|o)\s+((?:[^\s,:;?()]+ ?){1,4}?)\s*(?:[,:;?]|$)|(\w+)还是(\w+)")


def question_features(question: str) -> list[str]:
    """What the model of shapes sees: the form, the words, and how the question begins."""
    spoken = words(question)
    return [f"form {answer_form(question)}", *dict.fromkeys(spoken), *(f"^{' '.join(spoken[:n])}" for n in (1, 2))]


@lru_cache(maxsize=16_384)
def periods(text: str) -> frozenset[str]:
    """The years, quarters and halves of years that a text names."""
    found = set(_YEAR.findall(text))
    for match in _PERIOD.finditer(fold(text)):
        letter, number, first, last, ordinal, part = match.groups()
        found.add(
            f"{part[0]}{ORDINALS.get(ordinal) or ordinal[0]}" if ordinal else f"{letter or last}{number or first}"
        )
    return frozenset(found)


@lru_cache(maxsize=16_384)
def parts_of_years(text: str) -> frozenset[str]:
    """The quarters and halves of years that a text names, with the year where that stands beside: ``q3 2024``."""
    found, plain = set(), fold(text)
    for match in _PERIOD.finditer(plain):
        (part,) = periods(match.group())
        year = _YEAR_BEHIND.match(plain, match.end()) or _YEAR_BEFORE.search(plain[: match.start()])
        found.add(f"{part} {year[1]}" if year else part)
    return frozenset(found)


def are_stated(asked: frozenset[str], stated: frozenset[str]) -> bool:
    """Whether each part of a year is among others; one of another year is not the one that is asked for."""
    return all(
        any(each == part or (each[:2] == part[:2] and 2 in (len(each), len(part))) for each in stated) for part in asked
    )


def options(text: str) -> tuple[str, ...]:
    """The two things that ``A or B`` names: names where both have capitals, else words up to a mark."""
    match = _OPTIONS.search(text)
    if match is None:
        return ()
    left, right = (part.strip(" .'\"“”") for part in match.groups() if part)
    first, last = left.split(), right.split()
    if all(part and part[0].isupper() for part in (*first[-1:], *last[:1])):
        return " ".join([*takewhile(_is_name, reversed(first))][::-1]), " ".join(takewhile(_is_name, last))
    return " ".join(first[-len(last) :]), " ".join(last)


def _is_name(word: str) -> bool:
    return word[:1].isupper() or word[:1].isdigit()


def shape_of(answer: str) -> str:
    """What an answer looks like."""
    text = answer.strip()
    if fold(text).strip(".") in ("yes", "no", "true", "false"):
        return "yes_no"
    if text.startswith("["):
        return "list"
    found, size = numbers(text), len(words(text))
    if found and size <= NUMBER_ANSWER_WORDS:
        first = found[0]
        if first.percent:
            return "percent"
        if _DATE.search(text) and (first.year or len(found) > 1):
            return "date"
        whole = (
            first.value == int(first.value)
            and not first.money
            and first.scale == 1
            and abs(first.value) < LARGEST_COUNT
        )
        return "count" if whole else "number"
    if size > PHRASE_ANSWER_WORDS:
        return "sentence"
    if periods(text) and size <= NAME_ANSWER_WORDS:
        return "date"
    long_words = [part for part in text.split() if len(part) > SMALL_WORD_LETTERS]
    return "name" if size <= NAME_ANSWER_WORDS and all(part[:1].isupper() for part in long_words) else "phrase"
