"""Neighbouring words of a question found side by side on a page.

The sequential dependence of D. Metzler and W. B. Croft, "A Markov random field model for term dependencies", SIGIR
2005: "operating lease" says more than "operating" and "lease". The sparse indexes tell which nodes have both words;
only those are read.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import SparseIndex
from cosee.index.view import searchable_text
from cosee.text.tokens import STOP_TERMS, analyze

if TYPE_CHECKING:
    import numpy as np

Pair = tuple[str, str]


def pairs_in(text: str) -> list[Pair]:
    """Terms, stop words apart, of ``text`` that follow each other, each pair once, in order."""
    terms = [term for term in analyze(text) if term not in STOP_TERMS]
    return list(dict.fromkeys(zip(terms, terms[1:], strict=False)))


class WordPairs:
    """Finds pairs on the pages of one document; what was read stays in memory."""

    def __init__(self, tree: DocTree, index: DocumentIndex, places: Mapping[str, Sequence[int]], pages: int) -> None:
        """``places``: node id -> places of its pages among ``pages`` pages."""
        self._tree, self._places, self._pages = tree, places, pages
        self._parts = (index.sparse_leaf, index.sparse_coarse)
        self._nodes = [[split_id(each)[0] for each in part.ids] for part in self._parts]
        self._pairs: dict[str, frozenset[Pair]] = {}

    def scores(self, pairs: Sequence[Pair]) -> np.ndarray:
        """For each page the sum of the inverse page frequencies (as in BM25F) of the pairs that it has."""
        import numpy

        total = numpy.zeros(self._pages)
        for pair in pairs:
            found = sorted({place for node_id in self._nodes_with(pair) for place in self._places.get(node_id, ())})
            total[found] += numpy.log1p((self._pages - len(found) + 0.5) / (len(found) + 0.5))
        return numpy.round(total, 6)

    def _nodes_with(self, pair: Pair) -> list[str]:
        candidates: dict[str, None] = {}
        for part, nodes in zip(self._parts, self._nodes, strict=True):
            first, second = _documents(part, pair[0]), _documents(part, pair[1])
            candidates.update(dict.fromkeys(nodes[row] for row in sorted(first & second)))
        return [node_id for node_id in candidates if pair in self._pairs_of(node_id)]

    def _pairs_of(self, node_id: str) -> frozenset[Pair]:
        if node_id not in self._pairs:
            self._pairs[node_id] = frozenset(pairs_in(searchable_text(self._tree.node(node_id))))
        return self._pairs[node_id]


def _documents(part: SparseIndex, term: str) -> set[int]:
    column = part.terms.get(term)
    if column is None:
        return set()
    return set(part.weights.rows[part.weights.part(column)].tolist())
