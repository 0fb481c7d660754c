"""In how many texts of a document words stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from cosee.text.content_words import terms
from cosee.text.likeness import nearest
from cosee.text.thresholds import LEAST_LIKENESS_OF_MISSPELLINGS, LEAST_MISSPELT_LETTERS, MOST_MISSPELT_DIFFERENCE


def document_frequencies(text: str, texts: Sequence[str]) -> dict[str, int]:
    """For each stem of a text the texts that hold it, or the stem that it is a misspelling of; under ``""`` how many
    texts there are."""
    counts = _counts(tuple(texts))
    found = {"": len(texts)}
    for term in terms(text):
        found[term] = counts[term] or (counts[close] if (close := _correctly_spelt(term, counts)) else 0)
    return found


def _correctly_spelt(term: str, known: Iterable[str]) -> str | None:
    """The stem that ``term`` is a misspelling of: the same first letter, nearly the same length; long words only."""
    if len(term) < LEAST_MISSPELT_LETTERS or not term.isalpha() or not term.isascii():
        return None
    alike = (each for each in known if each[0] == term[0] and abs(len(each) - len(term)) <= MOST_MISSPELT_DIFFERENCE)
    return next(iter(nearest(term, alike, least=LEAST_LIKENESS_OF_MISSPELLINGS)), None)


@lru_cache(maxsize=4)
def _counts(texts: tuple[str, ...]) -> Counter[str]:
    return Counter(term for text in texts for term in frozenset(terms(text)))
