"""From a question to the terms that are searched: how to answer left out, spelling corrected, line items added."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from cosee.question.instructions import without_instructions
from cosee.retrieval.finance import Statement, line_items, statements_behind
from cosee.retrieval.thresholds import CORRECTION_WEIGHT, LINE_ITEM_WEIGHT, SHORTEST_CORRECTED
from cosee.retrieval.word_pairs import Pair, pairs_in
from cosee.text.likeness import one_edit
from cosee.text.tokens import query_weights


class Vocabulary:
    """The terms of one document, by first letter and length, so that the neighbours of a word are soon found."""

    def __init__(self, terms: Iterable[str]) -> None:
        self._terms = frozenset(terms)
        self._alike: dict[tuple[str, int], list[str]] = {}
        for term in sorted(self._terms):
            if term.isalpha():
                self._alike.setdefault((term[0], len(term)), []).append(term)

    def __contains__(self, term: str) -> bool:
        return term in self._terms

    def near(self, term: str) -> list[str]:
        """Words one edit away that begin with the same letter."""
        lengths = (len(term) - 1, len(term), len(term) + 1)
        return [word for size in lengths for word in self._alike.get((term[0], size), ()) if one_edit(term, word)]


@dataclass(frozen=True)
class Query:
    """What is searched for a question: ``terms`` with their weights, and neighbouring words.

    ``text`` is what is left of the question; ``own_terms`` are those that it has, without any that were added.
    """

    text: str
    own_terms: Mapping[str, float]
    terms: Mapping[str, float]
    pairs: list[Pair]
    statements: list[Statement] = field(default_factory=list)
    """Financial statements that print what is asked for."""


def plain_query(text: str) -> Query:
    """The question as it is."""
    terms = query_weights(text)
    return Query(text, terms, terms, pairs_in(text))


def rewritten_query(text: str, vocabulary: Vocabulary, *, finance: bool = False) -> Query:
    """The question without how to answer it, for a document with ``vocabulary``.

    A misspelt word is searched as it is and as the document's words that are one edit away; with ``finance`` a figure
    of accounting with the line items that it is computed from and the statements that print these.
    """
    plain = plain_query(without_instructions(text))
    added = _corrections(plain.own_terms, vocabulary)
    if finance:
        for term, weight in line_items(plain.text).items():
            added[term] = max(LINE_ITEM_WEIGHT * weight, added.get(term, 0.0))
    terms = {**added, **{term: max(weight, added.get(term, 0.0)) for term, weight in plain.own_terms.items()}}
    statements = statements_behind(plain.text) if finance else []
    return Query(plain.text, plain.own_terms, terms, plain.pairs, statements)


def _corrections(terms: Mapping[str, float], vocabulary: Vocabulary) -> dict[str, float]:
    found: dict[str, float] = {}
    for term, weight in terms.items():
        if len(term) >= SHORTEST_CORRECTED and term.isalpha() and term not in vocabulary:
            for word in vocabulary.near(term):
                found[word] = max(CORRECTION_WEIGHT * weight, found.get(word, 0.0))
    return found
