"""A question: its telling words, the periods, names and options that bound its answer, and what it likely asks for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from cosee.question.form import answer_form
from cosee.question.instructions import without_instructions
from cosee.question.wording import options, parts_of_years, periods, question_features
from cosee.reader.weights import Weights, likely
from cosee.text.content_words import terms, words

_WORD = re.compile(r"(?<![.?!]\s)(?<!^)\b\w[\w&’'-]*")
_FISCAL = re.compile(r"\bFY\W{0,2}(?=(?:19|20)\d\d)", re.IGNORECASE)


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
    parts: frozenset[str]
    """See ``parts_of_years``."""
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
    held = frozenset(terms(" ".join(names)))
    proper = frozenset(terms(" ".join(word for word in names if word.isalpha() and not word.isupper())))
    choice = () if form == "yes_no" else options(text)
    shapes, readings = likely(weights.shape, features), likely(weights.reading, features)
    stems, spoken = tuple(dict.fromkeys(terms(text))), frozenset(words(question))
    return Asked(text, form, stems, held, proper, periods(text), parts_of_years(text), choice, shapes, readings, spoken)
