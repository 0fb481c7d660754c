"""Pages ranked by four views of them and by what the question names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from cosee.artifacts.doctree import DocTree, Node, split_id
from cosee.index.store import DocumentIndex
from cosee.retrieval.page_index import page_index, pages_of
from cosee.retrieval.word_pairs import Pair, WordPairs

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class PageWeights:
    """What each view adds to the log odds that the answer is on a page.

    A conditional logit (D. McFadden, 1974) over the pages of one document: the share of a page is
    ``exp(sum of weight * view)`` over the sum of that of all pages. Fitted by ``python -m benchmarks.tune_retrieval``.
    """

    page: float = 0.27
    """Times the BM25F score of the whole page."""
    media: float = 0.12
    """Times the best BM25F score of an image or table on the page."""
    pairs: float = 0.14
    """Times the inverse page frequencies of the question's word pairs that the page has."""
    vector: float = 6.0
    """Times the best cosine of any record on the page, clipped to 0..1."""
    named_page: float = 20.0
    """A page that the question names; comes before everything else."""
    other_reading: float = 3.0
    """Taken off a named page for every reading of its number that is likelier."""
    named_node: float = 4.0
    """A page with a figure or table that the question names."""


class RankedPage(NamedTuple):
    """``share``: the page's share of the weight of all pages, 0..1; ``parts``: what each view added to its log odds."""

    page_idx: int
    share: float
    parts: dict[str, float]


class PageRanker:
    """The views of one document's pages."""

    def __init__(self, tree: DocTree, index: DocumentIndex, weights: PageWeights) -> None:
        self._tree, self._index, self._weights = tree, index, weights
        self._place = {page.page_idx: place for place, page in enumerate(tree.pages)}
        self._bm25 = page_index(tree, index)
        ids = {split_id(each)[0] for each in (*index.sparse_coarse.ids, *index.sparse_leaf.ids)}
        self._places = {each: self.places_of(tree.node(each)) for each in ids}
        self._pairs = WordPairs(tree, index, self._places, len(tree.pages))
        media = [node.id for node in tree.nodes if node.type in ("image", "table")]
        self._media = self._links(index.sparse_coarse.ids, frozenset(media))
        self._records = {name: self._links(view.meta.ids) for name, view in index.views.items()}

    @property
    def vocabulary(self) -> Collection[str]:
        """Every term of the document."""
        return self._bm25.terms.keys()

    def places_of(self, node: Node) -> list[int]:
        """Places in ``tree.pages`` that a node has a region on."""
        return [self._place[page] for page in pages_of(node) if page in self._place]

    def _links(self, ids: Sequence[str], only: Collection[str] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Rows of records and the places of their pages, of those whose node is in ``only``."""
        import numpy

        links = [
            (row, place)
            for row, each in enumerate(ids)
            for node_id in [split_id(each)[0]]
            if only is None or node_id in only
            for place in self._places.get(node_id, ())
        ]
        table = numpy.array(links, dtype=numpy.int64).reshape(-1, 2)
        return table[:, 0], table[:, 1]

    def views(
        self, terms: Mapping[str, float], pairs: Sequence[Pair], vector: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """The views that take part, each an array in the order of ``tree.pages``; no ``terms``: no sparse views."""
        import numpy

        found: dict[str, np.ndarray] = {}
        if terms:
            found["page"] = self._bm25.scores(terms)
            found["media"] = self._best(self._index.sparse_coarse.scores(terms), self._media)
            found["pairs"] = self._pairs.scores(pairs)
        if vector is not None:
            cosines = [
                self._best(numpy.round(view.vectors @ vector, 6), self._records[name])
                for name, view in self._index.views.items()
            ]
            found["vector"] = numpy.clip(numpy.max(cosines, axis=0), 0.0, 1.0)
        return found

    def _best(self, scores: np.ndarray, links: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        import numpy

        rows, places = links
        best = numpy.zeros(len(self._tree.pages))
        numpy.maximum.at(best, places, scores[rows])
        return best

    def rank(
        self,
        views: Mapping[str, np.ndarray],
        named_pages: Sequence[Sequence[int]],
        named_nodes: Collection[str],
        only: Collection[int] | None = None,
    ) -> list[RankedPage]:
        """Every page that anything speaks for, best first; ties in order of page.

        ``named_pages`` holds for each page that the question names the 0-based pages it can mean, ``named_nodes`` the
        figures and tables; ``only`` restricts to 0-based pages.
        """
        import numpy

        weights = self._weights
        parts = {name: getattr(weights, name) * scores for name, scores in views.items()}
        named = numpy.zeros(len(self._tree.pages))
        for node_id in sorted(named_nodes):
            named[self.places_of(self._tree.node(node_id))] += weights.named_node
        for readings in named_pages:
            for number, page in enumerate(readings):
                if page in self._place:
                    named[self._place[page]] += weights.named_page - number * weights.other_reading
        parts["named"] = named
        total = sum(parts.values(), start=numpy.zeros(len(self._tree.pages)))
        if not len(total):
            return []
        share = numpy.exp(total - total.max())
        share /= share.sum()
        rows = [
            RankedPage(
                page.page_idx,
                round(float(share[place]), 6),
                {name: round(float(values[place]), 4) for name, values in parts.items() if values[place] > 0},
            )
            for place, page in enumerate(self._tree.pages)
            if total[place] > 0 and (only is None or page.page_idx in only)
        ]
        order = numpy.round(total, 6)
        return sorted(rows, key=lambda row: (-order[self._place[row.page_idx]], row.page_idx))
