"""From a question to the terms that are searched: how to answer left out, spelling mended, related terms added."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from cosee.index.tokens import STOP_TERMS, query_weights
from cosee.retrieval.related_terms import related_terms
from cosee.retrieval.word_pairs import Pair, pairs_in

MENDED, RELATED = 0.8, 0.5
"""Weights of a word of the document in the place of a misspelt one, and of a related term, beside 1 for a word that the
question has."""
_SHORTEST_MENDED = 5

_ANSWER = r"(?:(?:the|your|an?|final|short)\s+){0,2}(?:answers?|responses?)"
_TO_THE_END = r"[^.?!]*[.?!]?"
_INSTRUCTIONS = tuple(
    re.compile(form, re.IGNORECASE)
    for form in (
        r"\[[^\]]*\]",
        rf"[,;(]?\s*\be\.\s?g\.?(?!\w){_TO_THE_END}",
        rf"\bround(?:ed|ing)?\s+(?:(?:your|the|it|up|down|off)\b|to\s+(?:the|\w+\s+decimal)\b){_TO_THE_END}",
        rf"\b(?:please\s+)?(?:(?:write(?: down)?|give|return|provide|express|format|report|present|output)\s+)?"
        rf"{_ANSWER}\s+(?:in|as|to|with|should|must|using|rounded)\b{_TO_THE_END}",
        rf"\bif\b[^.?!]*\b(?:state|return|answer|say|write|respond|reply)\s+(?:with\s+)?"
        rf"(?:that\b|['\"\u2018\u201c]|n/?a\b|none\b|no\b|false\b|zero\b|0\b){_TO_THE_END}",
        rf"\b(?:directly|only|just|simply)\s+answer\b{_TO_THE_END}",
        rf"\banswer\s+(?:directly|only|simply|in|with|yes|no)\b{_TO_THE_END}",
        r"\b(?:formatted )?(?:in|as) (?:the |an? )?(?:list|int(?:eger)?|float|str(?:ing)?|json) ?(?:formats?)?\b"
        r"(?:\s+and in (?:de|a)scend(?:ing)? order)?",
    )
)


def without_instructions(text: str) -> str:
    """``text`` without what says how to answer ("round to two decimals", "in list format, e.g. [...]").

    Unchanged where fewer than two telling words would be left.
    """
    rest = text
    for form in _INSTRUCTIONS:
        rest = form.sub(" ", rest)
    telling = [term for term in query_weights(rest) if term not in STOP_TERMS] if rest.strip() else []
    return rest if len(telling) >= 2 else text


@dataclass(frozen=True)
class Query:
    """What is searched for a question: ``terms`` with their weights, and neighbouring words.

    ``text`` is what is left of the question; ``own_terms`` are those that it has, without any that were added.
    """

    text: str
    own_terms: Mapping[str, float]
    terms: Mapping[str, float]
    pairs: list[Pair]


def plain_query(text: str) -> Query:
    """The question as it is."""
    terms = query_weights(text)
    return Query(text, terms, terms, pairs_in(text))


def rewritten_query(text: str, vocabulary: Collection[str]) -> Query:
    """The question without how to answer it, for a document with ``vocabulary``.

    A misspelt word is searched as it is and as the document's words that are one edit away; a figure of accounting
    with the line items that it is computed from.
    """
    plain = plain_query(without_instructions(text))
    added = _mended(plain.own_terms, vocabulary)
    for term, weight in related_terms(plain.text).items():
        added[term] = max(RELATED * weight, added.get(term, 0.0))
    terms = {**added, **{term: max(weight, added.get(term, 0.0)) for term, weight in plain.own_terms.items()}}
    return Query(plain.text, plain.own_terms, terms, plain.pairs)


def _mended(terms: Mapping[str, float], vocabulary: Collection[str]) -> dict[str, float]:
    unknown = [t for t in terms if len(t) >= _SHORTEST_MENDED and t.isalpha() and t not in vocabulary]
    found: dict[str, float] = {}
    for term in unknown:
        for word in vocabulary:
            if word[:1] == term[:1] and abs(len(word) - len(term)) <= 1 and word.isalpha() and one_edit(term, word):
                found[word] = max(MENDED * terms[term], found.get(word, 0.0))
    return found


def one_edit(a: str, b: str) -> bool:
    """Whether one letter added, left out, replaced or exchanged with its neighbour makes ``b`` of ``a``."""
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    a, b = a[start:], b[start:]
    while a and b and a[-1] == b[-1]:
        a, b = a[:-1], b[:-1]
    return max(len(a), len(b)) == 1 or (len(a) == 2 and a == b[::-1])
