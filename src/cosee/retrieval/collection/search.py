"""Which documents of a collection a question is about: the scores of their rows, and the chance of each document."""

from __future__ import annotations

from collections.abc import Collection as Ids
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosee.question.instructions import without_instructions
from cosee.retrieval.collection.rows import term_hash
from cosee.retrieval.collection.store import Shard
from cosee.retrieval.page_index import PAGE_SCORING
from cosee.text.tokens import query_weights

if TYPE_CHECKING:
    import numpy as np

FEATURES = ("page", "title", "words", "vector", "subject")
"""What speaks for a document: ``page``, the BM25F score of its best page; ``title``, that of its title; ``words``, the
inverse document frequencies of the question's terms that it has anywhere; ``vector``, the best cosine of a page;
``subject``, the cosine of the document's mean."""
BLOCK = 8192
"""Rows of vectors that are compared at a time."""


@dataclass(frozen=True)
class DocumentWeights:
    """What each feature adds to the log odds that a document holds the answer.

    A conditional logit over the documents of a collection, fitted by ``python -m benchmarks.corpus --fit``.
    """

    page: float = 0.3
    title: float = 0.3
    words: float = 0.3
    vector: float = 6.0
    subject: float = 2.0


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
        self.weights = weights or DocumentWeights()
        self.documents = [(dataset, each.doc_id) for dataset, shard in self.shards for each in shard.meta.documents]

    def features(self, terms: Mapping[str, float], vector: np.ndarray | None) -> np.ndarray:
        """``FEATURES`` (rows) of each of ``documents`` (columns), unweighted."""
        import numpy

        names = sorted(terms)
        hashes = numpy.array([term_hash(name) for name in names], dtype=numpy.uint64)
        given = numpy.array([terms[name] for name in names])
        columns = [shard.columns(hashes) for _, shard in self.shards]
        rows_with, documents_with = numpy.zeros(len(names)), numpy.zeros(len(names))
        for (_, shard), places in zip(self.shards, columns, strict=True):
            known = numpy.flatnonzero(places >= 0)
            rows_with[known] += (shard.starts[places[known] + 1] - shard.starts[places[known]]).astype(float)
            documents_with[known] += shard.documents[places[known]]
        rows = sum(len(shard.owners) for _, shard in self.shards)
        by_row = given * _idf(rows_with, rows) * (PAGE_SCORING.k1 + 1) / 255
        by_document = given * _idf(documents_with, len(self.documents))
        parts = [
            numpy.concatenate([_by_words(shard, places, by_row, by_document), _by_vectors(shard, vector)])
            for (_, shard), places in zip(self.shards, columns, strict=True)
        ]
        return numpy.round(numpy.concatenate(parts, axis=1), 6) if parts else numpy.zeros((len(FEATURES), 0))

    def search(
        self,
        terms: Mapping[str, float],
        vector: np.ndarray | None,
        only: Ids[tuple[str, str]] | None = None,
    ) -> list[Scored]:
        """The documents, the likeliest first, ties in order of id. ``only``: of these (dataset and id)."""
        import numpy

        kept = [place for place, each in enumerate(self.documents) if only is None or each in only]
        if not kept:
            return []
        weights = numpy.array([getattr(self.weights, name) for name in FEATURES])
        parts = weights[:, None] * self.features(terms, vector)[:, kept]
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


def _idf(frequency: np.ndarray, count: int) -> np.ndarray:
    import numpy

    found: np.ndarray = numpy.log1p((count - frequency + 0.5) / (frequency + 0.5))
    return found


def _by_words(shard: Shard, places: np.ndarray, by_row: np.ndarray, by_document: np.ndarray) -> np.ndarray:
    """``page``, ``title`` and ``words`` of the shard's documents."""
    import numpy

    scores = numpy.zeros(len(shard.owners), dtype=numpy.float64)
    found = numpy.zeros((3, len(shard.meta.documents)))
    for number, place in enumerate(places.tolist()):
        if place < 0:
            continue
        part = slice(int(shard.starts[place]), int(shard.starts[place + 1]))
        rows = shard.rows[part]
        scores[rows] += shard.weights[part] * by_row[number]
        having = numpy.zeros(found.shape[1], dtype=bool)
        having[shard.owners[rows]] = True
        found[2] += having * by_document[number]
    first = shard.first_rows
    found[1] = scores[first]
    scores[first] = 0.0  # a title is no page
    if len(first):
        found[0] = numpy.maximum.reduceat(scores, first)
    return found


def _by_vectors(shard: Shard, vector: np.ndarray | None) -> np.ndarray:
    """``vector`` and ``subject`` of the shard's documents."""
    import numpy

    found = numpy.zeros((2, len(shard.meta.documents)))
    first = shard.first_rows
    if vector is None or not len(first) or shard.vectors.shape[1] != len(vector):
        return found
    cosines = numpy.zeros(len(shard.owners))
    for start in range(0, len(cosines), BLOCK):
        block = shard.vectors[start : start + BLOCK].astype(numpy.float32)
        norms = numpy.sqrt(numpy.einsum("ij,ij->i", block, block))
        cosines[start : start + BLOCK] = block @ vector / numpy.where(norms > 0, norms, 1)
    found[1] = numpy.maximum(cosines[first], 0)
    cosines[first] = 0.0
    found[0] = numpy.maximum.reduceat(cosines, first)
    return found
