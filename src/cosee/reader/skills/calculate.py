"""Computed answers: named ratios, and arithmetic over line items that the question names."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from cosee.reader.skills.expressions import asks_change, expression, expression_text
from cosee.reader.skills.formulas import MissingItem, Statements, named_formula
from cosee.reader.skills.gaps import key_words
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.reader.skills.weigh import Candidate
from cosee.text.content_words import terms, words
from cosee.text.folding import fold
from cosee.text.numbers import plain_number
from cosee.text.stemming import stem

_AROUND = re.compile(
    r"\b(?:fiscal years?|years?|fy ?\d*|ended|ending|january|february|march|april|may|june|july|august|september|"
    r"october|november|december|"
    r"as of|of|for|the|in|\d+(?:st|nd|rd|th)?)\b"
)
_NEUTRAL_WORDS = """
    fy company amount value usd dollars consolidated inc increase change difference compared higher lower
    percentage percent million billion thousand
"""
_NEUTRAL = frozenset(stem(word) for word in _NEUTRAL_WORDS.split())


def calculated(asked: Asked, passages: Sequence[Passage]) -> Candidate | None:
    """A named ratio, or line items combined, for one year, as a change between two, or as a mean of years."""
    if not asked.years or asked.kind in ("yes_no", "list", "explain") or asked.listing:
        return None
    planned = _plan(asked)
    if planned is None:
        return None
    name, compute, percent, ratio = planned
    statements = Statements(passages)
    try:
        value, in_percent = _value(asked, compute, statements, ratio, percent)
    except (MissingItem, ZeroDivisionError):
        return None
    if value is None:
        return None
    if not ratio and not in_percent and asked.scale_wanted and statements.scale > 1:
        value = value * statements.scale / asked.scale_wanted
    whole = value == int(value) and asked.digits is None
    digits = asked.digits if asked.digits is not None else None if whole else 1 if in_percent else 2
    text = plain_number(value, digits) + ("%" if in_percent else "")
    quotes = tuple(dict.fromkeys(statements.used))
    source = next(
        (passage for quote in quotes for passage in passages if passage.node_id == quote.node_id), passages[0]
    )
    return Candidate(text, f"{name}: {text}", quotes, source, 1.0, "formula")


def _plan(asked: Asked) -> tuple[str, Callable[[Statements, str], float], bool, bool] | None:
    """(name, what to compute for a year, whether it is usually in percent, whether it is a ratio)."""
    formula, wanted = named_formula(asked.core), expression(asked.core)
    if wanted is not None and wanted.operator:
        return "computed", wanted.value, False, wanted.operator == "/"
    if formula is not None and not re.search(r"\btaking\b|\badding back\b", fold(asked.core)):
        return formula.name, formula.compute, formula.percent, True
    if wanted is not None and asked.kind != "compare" and _item_alone(asked):
        return wanted.first.replace("_", " "), wanted.value, False, False
    return None


def _value(
    asked: Asked, compute: Callable[[Statements, str], float], statements: Statements, ratio: bool, percent: bool
) -> tuple[float | None, bool]:
    """The value and whether it is in percent."""
    years = sorted(asked.years)
    text = fold(asked.core)
    shown_in_percent = ratio and (asked.percent_wanted or (percent and asked.digits is None))
    if len(years) >= 2 and "average" in text:
        covered = [str(year) for year in range(int(years[0]), int(years[-1]) + 1)]
        mean = sum(compute(statements, year) for year in covered) / len(covered)
        return (100 * mean if shown_in_percent else mean), shown_in_percent
    if len(years) == 2 and (asks_change(text) or asked.kind == "difference"):
        earlier, later = compute(statements, years[0]), compute(statements, years[1])
        if not ratio and asked.percent_wanted:
            return 100 * (later - earlier) / abs(earlier), True
        change = later - earlier
        change = abs(change) if re.search(r"\bhow (?:much|many)\b", text) else change
        return (100 * change if shown_in_percent else change), shown_in_percent
    if len(years) > 1:
        return None, False
    value = compute(statements, years[0])
    return (100 * value if shown_in_percent else value), shown_in_percent


def _item_alone(asked: Asked) -> bool:
    """Whether the question is about the line item as a whole: it names little else but company and year."""
    text = fold(asked.core)
    rest = terms(_AROUND.sub(" ", text.replace(expression_text(text), " ")))
    named = {stem(word) for key in key_words(asked) for word in words(key)}
    return sum(word not in named and word not in _NEUTRAL and not word.isdigit() for word in rest) <= 1
