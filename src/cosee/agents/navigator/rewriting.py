"""Question rewriting: domain hints, by rule."""

from __future__ import annotations

import re

from cosee.question.instructions import without_instructions

# General knowledge: the names of pictures and charts.
_PICTURE = r"(?:figure|chart|plot|graph|diagram|image|picture|photo)s?"
# General knowledge: how English asks for a date.
_DATE = r"\bwhen\b|\b(?:what|which) (?:date|day|month|year)\b"
_HINTS = (
    (rf"\bhow many\b.*\b{_PICTURE}\b", ("figure count", "chart title")),
    (r"\bhow many\b.*\btables?\b", ("table count", "table caption")),
    (r"\b(?:trend|over time|increase[ds]?|decrease[ds]?|peak\w*)\b", ("chart title", "axis")),
    (r"\b(?:percent(?:age)?|share)\b|%", ("table column", "percentage")),
    (r"\bwho\b", ("names and titles of people",)),
    (_DATE, ("date",)),
    (r"\b(?:stands? for|abbreviation|acronym|defin\w+|what is meant)\b", ("definition", "glossary")),
    (r"\b(?:title|heading|called)\b", ("section title", "chart title")),
)  # fmt: skip


def hints_for(question: str) -> tuple[str, ...]:
    """What to look for where documents of this kind hold such answers; empty where no rule fits."""
    found: list[str] = []
    for pattern, hints in _HINTS:
        if re.search(pattern, question, re.IGNORECASE):
            found += hints
    return tuple(dict.fromkeys(found))


def rewritten(question: str, look_for: str) -> str:
    """The query of a replan: the missing words, or where none are named the question without instructions on its
    form; and the hints."""
    return " ".join((look_for or without_instructions(question), *hints_for(question)))
