"""Late interaction over the words of pages: finds what exact words miss, without a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from cosee.index.postings import Columns, columns_of
from cosee.index.sparse import SparseIndex
from cosee.retrieval.thresholds import LEAST_LETTERS, LEAST_SIMILARITY

if TYPE_CHECKING:
    import numpy as np


class PageWords:
    """MaxSim between a question's words and each page's, a word being a vector of its letter pairs and triples.

    A page's score is the sum over the question's words of weight x idf x the similarity of the page's most similar
    word. Words of a few letters, numbers and identifiers match whole or not at all, since 2019 is no misreading of
    2018. Vectors are made of the index's own terms when the first question comes, and kept nowhere.
    """

    def __init__(self, pages: SparseIndex) -> None:
        """``pages`` has a document for each page, as ``page_index`` makes it."""
        self._pages = pages

    def scores(self, terms: Mapping[str, float]) -> np.ndarray:
        """The score of every page, in order, to 6 digits. ``terms``: search term of the question -> weight."""
        import numpy

        names = sorted(terms)
        page_count = len(self._pages.ids)
        page_terms, starts = self._page_terms
        if not names or not len(page_terms):
            return numpy.zeros(page_count)
        similar = self._similarities(names)
        best = numpy.zeros((len(names), page_count))
        filled = numpy.flatnonzero(numpy.diff(starts))
        best[:, filled] = numpy.maximum.reduceat(similar[:, page_terms], starts[filled], axis=1)
        found = best.sum(axis=1)
        idf = numpy.log1p((page_count - found + 0.5) / (found + 0.5))
        weights = numpy.array([terms[name] for name in names])
        scores: np.ndarray = numpy.round((weights * idf) @ best, 6)
        return scores

    def _similarities(self, names: Sequence[str]) -> np.ndarray:
        """Cosines of the given words (rows) to every word of the vocabulary, those too low set to 0."""
        import numpy

        columns, terms = self._vocabulary, len(self._pages.vocabulary)
        rows = numpy.zeros((len(names), terms))
        for row, name in zip(rows, names, strict=True):
            parts = [
                (columns.part(self._group_columns[group]), weight)
                for group, weight in letter_vector(name).items()
                if group in self._group_columns
            ]
            if parts:
                places = numpy.concatenate([columns.rows[part] for part, _ in parts])
                products = numpy.concatenate([columns.values[part] * weight for part, weight in parts])
                row[:] = numpy.bincount(places, products, minlength=terms)
        rows[rows < LEAST_SIMILARITY] = 0.0
        return rows

    @cached_property
    def _group_columns(self) -> dict[str, int]:
        """Letter groups of the document's words -> their columns; others cannot match and need none."""
        names = dict.fromkeys(group for term in self._pages.vocabulary for group in letter_groups(term))
        return {group: column for column, group in enumerate(names)}

    @cached_property
    def _vocabulary(self) -> Columns:
        """The weight of each group (column) in each word of the vocabulary (row)."""
        import numpy

        cells = [
            (self._group_columns[group], row, weight)
            for row, term in enumerate(self._pages.vocabulary)
            for group, weight in letter_vector(term).items()
        ]
        columns, rows, values = (numpy.array(each) for each in zip(*cells, strict=True))
        return columns_of(columns, rows, values, len(self._group_columns))

    @cached_property
    def _page_terms(self) -> tuple[np.ndarray, np.ndarray]:
        """The words that stand on each page itself, each once, page by page; and where each page's words begin."""
        import numpy

        own = [number for number, name in enumerate(self._pages.fields) if name != "headings"]
        rows = self._pages.postings[numpy.isin(self._pages.postings[:, 1], own)]
        pages, terms = numpy.unique(rows[:, [0, 2]], axis=0).T
        return terms, numpy.searchsorted(pages, numpy.arange(len(self._pages.ids) + 1))


def letter_groups(term: str) -> list[str]:
    """Letter pairs and triples of a word with its ends marked; the word where it is short or has a digit or sign."""
    if len(term) < LEAST_LETTERS or not term.isalpha():
        return [term]
    marked = f"^{term}$"
    return [marked[start : start + size] for size in (2, 3) for start in range(len(marked) - size + 1)]


def letter_vector(term: str) -> dict[str, float]:
    """The letter groups of a word with their counts, as a vector of unit norm."""
    counts = Counter(letter_groups(term))
    norm = sum(count * count for count in counts.values()) ** 0.5
    return {group: count / norm for group, count in counts.items()}
