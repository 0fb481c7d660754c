"""What a question asks for: its telling words, the periods, names and options that bound its answer, its shape."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from cosee.question.form import answer_form
from cosee.question.instructions import without_instructions
from cosee.reader.weights import Weights, likely
from cosee.text.content_words import terms, words
from cosee.text.folding import fold
from cosee.text.number_words import ORDINALS
from cosee.text.numbers import numbers

SHAPES = ("yes_no", "count", "number", "percent", "date", "list", "name", "phrase", "sentence")
"""What answers look like; ``shape_of`` reads it off an answer, a fitted model guesses it from a question's words."""
_DATE = re.compile(r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|(?:1[789]|20)\d\d|\d{4}年")
_YEAR = re.compile(r"(?<![\d.,])(?:FY\s?'?)?((?:19|20)\d\d)(?![\d.,]*\d)", re.IGNORECASE)
_PART = r"quarter|half"
# General knowledge: how quarters and halves of a year are written.
_PERIOD = re.compile(
    rf"\b([qh])\s?([1-4])(?!\d)|\b([1-4])([qh])\b|\b({'|'.join(list(ORDINALS)[:4])}|[1-4](?:st|nd|rd|th))[\s-]+({_PART})\b"
)
_WORD = re.compile(r"(?<![.?!]\s)(?<!^)\b\w[\w&’'-]*")
_FISCAL = re.compile(r"\bFY\W{0,2}(?=(?:19|20)\d\d)", re.IGNORECASE)
_OPTIONS = re.compile(r"([^,:;?()]+?),?\s+(?:or|oder|ou|o)\s+((?:[^\s,:;?()]+ ?){1,4}?)\s*(?:[,:;?]|$)|(\w+)还是(\w+)")


@dataclass(frozen=True)
class Asked:
    """A question. ``terms`` are stems in order; ``shapes`` says how likely an answer of each of ``SHAPES`` is."""

    text: str
    form: str
    terms: tuple[str, ...]
    names: frozenset[str]
    """Stems of words with a capital inside the question."""
    proper: frozenset[str]
    """Those of them that are neither abbreviations nor hold a digit."""
    periods: frozenset[str]
    """Years, and quarters and halves as ``q3``."""
    options: tuple[str, ...]
    """Answers between which the question lets choose."""
    shapes: Mapping[str, float]
    readings: Mapping[str, float]
    """How likely a reading of each group finds the answer, and under ``none`` that none does."""
    words: frozenset[str]


def analyse(question: str, weights: Weights) -> Asked:
    """Read a question's wording."""
    text = _FISCAL.sub("", without_instructions(question))
    form = answer_form(question)
    features = question_features(question)
    names = [word for word in _WORD.findall(text) if word[0].isupper() and not text.isupper()]
    return Asked(
        text=text,
        form=form,
        terms=tuple(dict.fromkeys(terms(text))),
        names=frozenset(stem for word in names for stem in terms(word)),
        proper=frozenset(stem for word in names if word.isalpha() and not word.isupper() for stem in terms(word)),
        periods=periods(text),
        options=() if form == "yes_no" else options(text),
        shapes=likely(weights.shape, features),
        readings=likely(weights.reading, features),
        words=frozenset(words(question)),
    )


def question_features(question: str) -> list[str]:
    """What the model of shapes sees: the form, the words, and how the question begins."""
    spoken = words(question)
    return [f"form {answer_form(question)}", *dict.fromkeys(spoken), *(f"^{' '.join(spoken[:n])}" for n in (1, 2))]


@lru_cache(maxsize=16_384)
def periods(text: str) -> frozenset[str]:
    """The years, quarters and halves of years that a text names."""
    found = set(_YEAR.findall(text))
    for match in _PERIOD.finditer(fold(text)):
        letter, number, number_first, letter_last, ordinal, part = match.groups()
        if ordinal:
            found.add(f"{part[0]}{ORDINALS.get(ordinal) or ordinal[0]}")
        else:
            found.add(f"{letter or letter_last}{number or number_first}")
    return frozenset(found)


def options(text: str) -> tuple[str, ...]:
    """The two things that ``A or B`` names: names where both have capitals, else words up to a mark."""
    match = _OPTIONS.search(text)
    if match is None:
        return ()
    left, right = (part.strip(" .'\"“”") for part in match.groups() if part)
    first, last = left.split(), right.split()
    if last and last[0][:1].isupper() and first and first[-1][:1].isupper():
        kept = [word for word in _run(reversed(first))][::-1], _run(last)
        return " ".join(kept[0]), " ".join(kept[1])
    return " ".join(first[-len(last) :]), " ".join(last)


def _run(parts: Sequence[str] | reversed[str]) -> list[str]:
    """The words with capitals from the first on."""
    kept: list[str] = []
    for part in parts:
        if not (part[:1].isupper() or part[:1].isdigit()):
            break
        kept.append(part)
    return kept


def shape_of(answer: str) -> str:
    """What an answer looks like."""
    text = answer.strip()
    if fold(text).strip(".") in ("yes", "no", "true", "false"):
        return "yes_no"
    if text.startswith("["):
        return "list"
    found = numbers(text)
    size = len(words(text))
    if found and size <= 4:
        first = found[0]
        if first.percent:
            return "percent"
        if _DATE.search(text) and (first.year or len(found) > 1):
            return "date"
        whole = first.value == int(first.value) and not first.money and first.scale == 1 and abs(first.value) < 100
        return "count" if whole else "number"
    if size > 9:
        return "sentence"
    if periods(text) and size <= 5:
        return "date"
    return "name" if size <= 5 and all(part[:1].isupper() for part in text.split() if len(part) > 3) else "phrase"
