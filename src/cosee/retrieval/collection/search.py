"""Which documents of a collection a question is about: the scores of their rows, and the chance of each document."""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from cosee.index.int8 import dequantize
from cosee.question.instructions import without_instructions
from cosee.retrieval.collection.rows import term_hash
from cosee.retrieval.collection.store import Shard
from cosee.retrieval.collection.thresholds import CANDIDATES, LARGEST_WEIGHT
from cosee.retrieval.page_index import PAGE_SCORING
from cosee.text.tokens import query_weights

if TYPE_CHECKING:
    import numpy as np

FEATURES = ("page", "title", "vector", "subject")
"""What speaks for a document: ``page``, the BM25F score of its best page; ``title``, that of its title; ``vector``, the
best cosine of a page; ``subject``, the cosine of the mean of its pages."""


@dataclass(frozen=True)
class DocumentWeights:
    """What each feature adds to the log odds that a document holds the answer.

    A conditional logit over the documents of a collection, fitted by ``python -m benchmarks.corpus --fit``.
    """

    page: float = 0.4
    title: float = 0.58
    vector: float = 1.04
    subject: float = 3.47


@dataclass(frozen=True)
class Scored:
    """A document (dataset and id) with the chance that it holds the answer, 0..1, and what each feature adds to its
    log odds."""

    dataset: str
    doc_id: str
    chance: float
    parts: dict[str, float]


class CollectionSearch:
    """Searches the rows of every shard of some datasets."""

    def __init__(self, shards: Sequence[tuple[str, Shard]], weights: DocumentWeights | None = None) -> None:
        """``shards``: each with the dataset it belongs to."""
        self.shards = list(shards)
        self._weights = weights or DocumentWeights()
        self.documents = [(dataset, each.doc_id) for dataset, shard in self.shards for each in shard.meta.documents]
        self._places = [(shard, number) for _, shard in self.shards for number in range(len(shard.meta.documents))]

    @cached_property
    def _subjects(self) -> np.ndarray:
        """The mean vector of each document, zero where it has none."""
        import numpy

        size = max(shard.meta.dimensions for _, shard in self.shards)
        parts = [shard.vectors[shard.first_rows] for _, shard in self.shards]
        return dequantize(
            numpy.concatenate([part if part.shape[1] else numpy.zeros((len(part), size), part.dtype) for part in parts])
        )

    def features(self, terms: Mapping[str, float], vector: np.ndarray | None) -> np.ndarray:
        """``FEATURES`` (rows) of each of ``documents`` (columns), unweighted."""
        import numpy

        found = numpy.zeros((len(FEATURES), len(self.documents)))
        if not self.documents:
            return found
        found[:2] = self._by_words(terms)
        known = {shard.meta.dimensions for _, shard in self.shards if shard.meta.dimensions}
        if vector is not None and known == {len(vector)}:
            found[3] = numpy.maximum(self._subjects @ vector, 0)
            best = [numpy.argsort(-found[row], kind="stable")[:CANDIDATES] for row in (0, 1, 3)]
            for place in numpy.unique(numpy.concatenate(best)).tolist():
                pages = self._pages(place)
                if pages.size:
                    found[2, place] = max(0.0, float((dequantize(pages) @ vector).max()))
        return numpy.round(found, 6)

    def _pages(self, place: int) -> np.ndarray:
        """The vectors of a document's pages, in one byte a number."""
        shard, number = self._places[place]
        document = shard.meta.documents[number]
        pages: np.ndarray = shard.vectors[document.first_row + 1 : document.first_row + document.rows]
        return pages

    def _by_words(self, terms: Mapping[str, float]) -> np.ndarray:
        """``page`` and ``title``."""
        import numpy

        names = sorted(terms)
        hashes = numpy.array([term_hash(name) for name in names], dtype=numpy.uint64)
        spans = [shard.spans(hashes) for _, shard in self.shards]
        frequency = numpy.array([span[:, 1] - span[:, 0] for span in spans]).sum(axis=0)
        rows = sum(shard.count for _, shard in self.shards)
        idf = numpy.log1p((rows - frequency + 0.5) / (frequency + 0.5))
        weights = numpy.array([terms[name] for name in names]) * idf * (PAGE_SCORING.k1 + 1) / LARGEST_WEIGHT
        return numpy.concatenate(
            [_best_rows(shard, span, weights) for (_, shard), span in zip(self.shards, spans, strict=True)], axis=1
        )

    def search(
        self,
        terms: Mapping[str, float],
        vector: np.ndarray | None,
        only: Ids[tuple[str, str]] | None = None,
    ) -> list[Scored]:
        """The documents, the likeliest first, ties in order of id. ``only``: of these (dataset and id)."""
        return self.ranked(self.features(terms, vector), self._weights, only)

    def ranked(
        self, features: np.ndarray, weights: DocumentWeights, only: Ids[tuple[str, str]] | None = None
    ) -> list[Scored]:
        """The same of features that are known, by other weights."""
        import numpy

        kept = [place for place, each in enumerate(self.documents) if only is None or each in only]
        if not kept:
            return []
        parts = numpy.array([getattr(weights, name) for name in FEATURES])[:, None] * features[:, kept]
        total = numpy.round(parts.sum(axis=0), 6)
        chance = numpy.exp(total - total.max())
        chance /= chance.sum()
        order = sorted(range(len(kept)), key=lambda each: (-total[each], self.documents[kept[each]]))
        return [
            Scored(
                *self.documents[kept[each]],
                round(float(chance[each]), 6),
                {name: round(float(value), 4) for name, value in zip(FEATURES, parts[:, each], strict=True) if value},
            )
            for each in order
        ]


def searched_terms(text: str) -> dict[str, float]:
    """The terms of a question with their weights, those about how to answer left out."""
    return query_weights(without_instructions(text))


def _best_rows(shard: Shard, spans: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Of each of the shard's documents the score of its best page, and of its title."""
    import numpy

    first = shard.first_rows
    if not len(first):
        return numpy.zeros((2, 0))
    scores = numpy.zeros(shard.count)
    for (start, end), weight in zip(spans.tolist(), weights.tolist(), strict=True):
        if end > start:
            scores[shard.rows[start:end]] += shard.weights[start:end] * weight
    titles = scores[first]
    scores[first] = 0.0  # a title is no page
    return numpy.stack([numpy.maximum.reduceat(scores, first), titles])
