"""Weighing what the skills put up: how likely each answer is right, from what can be seen of it.

``WEIGHTS`` is a logistic regression over few numbers, fitted on a development half of real documents and their
questions; ``RELIABILITY`` is about how often each skill was right there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cosee.reader.skills.gaps import missing_key, missing_place
from cosee.reader.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.reader.skills.question import Asked
from cosee.reader.skills.rank import coverage
from cosee.text.folding import fold

ABSTAIN_BELOW = 0.1
RELIABILITY = {
    "formula": 0.95, "stands_for": 0.95, "count": 0.6, "cell": 0.6, "word_cell": 0.5, "arithmetic": 0.6,
    "superlative": 0.45, "yes_no": 0.9, "choice": 0.6, "span": 0.7, "label": 0.8, "next_line": 0.35,
    "list": 0.75, "phrase": 0.5, "row_count": 0.7, "row_list": 0.7, "identifier": 0.85, "agent": 0.85,
    "sentence": 0.3, "passage": 0.7,
}  # fmt: skip
WEIGHTS = {"bias": -5.0, "skill": 4.6, "page": 1.6, "relevance": 1.0}
_VISUAL = re.compile(
    r"\bcolou?r(?:s|ed)?\b|\b(?:in|on) the (?:photo|picture|image|logo|cover|icon)s?\b(?! page)|"
    r"\bwearing\b|\bholding\b|\bsitting\b|\bstanding\b|\blogos?\b|\bshapes? \b|"
    r"\bhow many (?:people|persons|men|women|male|female|children|dogs|cats|animals|icons|faces|arrows|lines|"
    r"dots|boxes|rectangles|circles)\b.*\b(?:figure|photo|picture|image|page|slide|cover|photograph|diagram)\b|"
    r"\b(?:red|green|blue|yellow|purple|orange|grey|gray|black|white|highlighted|underlined|italic) (?:\w+ "
    r")?(?:bars?|lines?|boxe?s?|arrows?|dots?|words?|texts?|numbers?|rectangles?|parts?|modules?|circles?)\b"
)
_YEAR = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d%]|,\d)")
_OTHER_YEARS = 0.4
"""What an answer is worth that names other years than the question."""
_KEYLESS = frozenset({"count", "formula", "passage"})
"""Skills whose answer does not hang on every name of the question."""


@dataclass(frozen=True)
class Candidate:
    """An answer that a skill puts up; ``fit`` is the skill's own 0..1 for how much of the question it meets."""

    text: str
    long: str
    quotes: tuple[Quote, ...]
    passage: Passage
    fit: float
    skill: str


def candidate(
    text: str,
    quotes: Sequence[str],
    passage: Passage,
    fit: float,
    skill: str,
    long: str = "",
) -> Candidate:
    """A candidate whose quotes all stand in one passage; of a chart's row only what is printed is quoted."""
    if passage.chart_rows:
        quotes = [_printed(quote, text, passage.text) for quote in quotes]
        long = long or f"{text} (read from the chart)"
    quoted = tuple(Quote(passage.node_id, passage.page, quote) for quote in quotes)
    return Candidate(text.strip().rstrip(","), long or f"{text} ({quotes[0]})", quoted, passage, fit, skill)


def _printed(row: str, answer: str, text: str) -> str:
    """The cell of a chart's row that stands in the chart's text, the answer's own first; empty where none does."""
    cells = sorted(row.split(" | "), key=lambda cell: cell.strip("%") != answer.strip("%"))
    return next((cell for cell in cells if cell in text), "")


def choose(
    asked: Asked,
    candidates: Sequence[Candidate],
    passages: Sequence[Passage],
    absent: Sequence[str] | None = None,
) -> ReadingAnswer | None:
    """The candidate that is most likely right, with that likelihood as its confidence.

    None where there is none, where only eyes could tell, or where what the question turns on stands nowhere.
    """
    if _VISUAL.search(fold(asked.core)) or missing_place(asked, passages):
        return None
    likely = [
        likelihood(features(asked, each)) * (_OTHER_YEARS if of_other_years(asked, each) else 1.0)
        for each in candidates
    ]
    for at in sorted(range(len(candidates)), key=lambda at: (-likely[at], at))[:1]:
        found = candidates[at]
        if found.skill not in _KEYLESS and missing_key(asked, passages, absent, numbers=asked.kind != "yes_no"):
            return None
        return ReadingAnswer(found.text, found.long, round(likely[at], 3), False, found.quotes, found.skill)
    return None


def of_other_years(asked: Asked, found: Candidate) -> bool:
    """Whether an answer and its quotes name years, and none of those that are asked for."""
    named = set(_YEAR.findall(" ".join([found.text, *(quote.text for quote in found.quotes)])))
    return bool(asked.years and named) and named.isdisjoint(asked.years)


def likelihood(seen: Mapping[str, float]) -> float:
    """0..1: the logistic of the weighted features."""
    return 1.0 / (1.0 + math.exp(-sum(WEIGHTS[name] * value for name, value in seen.items())))


def features(asked: Asked, each: Candidate) -> dict[str, float]:
    """What is seen of a candidate, every number in 0..1.

    ``skill``: its fit times how often its skill is right; ``page``: 1 / rank of its page in the search (1 where none
    was made); ``relevance``: the retriever's score of its node (the share of the question in its quotes where it has
    none and no search was made).
    """
    passage = each.passage
    unranked = passage.page_rank is None and not passage.relevance
    quoted = " ".join([*(quote.text for quote in each.quotes), passage.title, *passage.path[-1:]])
    return {
        "bias": 1.0,
        "skill": RELIABILITY[each.skill] * each.fit,
        "page": 1.0 / (passage.page_rank or 1),
        "relevance": coverage(asked, quoted) if unranked else passage.relevance,
    }
