"""Question rewriting: domain hints, by rule (seed 002 section 4, first principle)."""

from __future__ import annotations

import re

from cosee.question.instructions import without_instructions

_HINTS = (
    (r"\bhow many\b.*\b(?:figure|chart|plot|graph|diagram|image|photo)s?\b", ("figure count", "chart title")),
    (r"\bhow many\b.*\btables?\b", ("table count", "table caption")),
    (r"\b(?:trend|over time|increase[ds]?|decrease[ds]?|peak\w*)\b", ("chart title", "axis")),
    (r"\b(?:percent(?:age)?|share|proportion)\b|%", ("table column", "percentage")),
    (r"\bwho\b|\bauthors?\b", ("names and titles of people",)),
    (r"\bwhen\b|\bwhat (?:date|year)\b|\bwhich year\b", ("date",)),
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
