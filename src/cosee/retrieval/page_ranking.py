"""Pages ranked by four views of them and by what the question names."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import SparseIndex
from cosee.retrieval.finance import Statement, statement_pages
from cosee.retrieval.page_index import pages_of
from cosee.retrieval.rewriting import Vocabulary
from cosee.retrieval.word_pairs import Pair, WordPairs

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class PageWeights:
    """What each view adds to the log odds that the answer is on a page.

    A conditional logit (D. McFadden, 1974) over the pages of one document: the share of a page is
    ``exp(sum of weight * view)`` over the sum of that of all pages. Fitted by ``python -m benchmarks.tune_retrieval``.
    """

    page: float = 0.26
    """Times the BM25F score of the whole page."""
    media: float = 0.12
    """Times the best BM25F score of an image or table on the page."""
    pairs: float = 0.20
    """Times the inverse page frequencies of the question's word pairs that the page has."""
    vector: float = 7.4
    """Times the best cosine of any record on the page, clipped to 0..1."""
    statement: float = 2.9
    """A page that is headed by the name of a financial statement behind the question; with ``finance`` alone."""
    named_node: float = 4.0
    """Times the figures and tables on the page that the question names."""
    named_section: float = 2.0
    """A page of a section that the question names."""
    named_page: float = 20.0
    """A page that the question names; comes before everything else."""


FIRST, BY_WORDS = 5, 3
"""Behind the first so many pages come those of the best so many by everything but vectors that are not among them:
neither way of searching can drown what is best by the other."""
OTHER_READING = 0.15
"""Taken off the 1 of a named page for every reading of its number that is likelier."""


class Named(NamedTuple):
    """What a question names: for each page the 0-based pages that it can mean, the likeliest first; the ids of figures
    and tables; those of sections; the financial statements behind what it asks for."""

    pages: Sequence[Sequence[int]] = ()
    nodes: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    statements: Sequence[Statement] = ()


class RankedPage(NamedTuple):
    """``share``: the page's share of the weight of all pages, 0..1; ``parts``: what each view added to its log odds."""

    page_idx: int
    share: float
    parts: dict[str, float]


class PageRanker:
    """The views of one document's pages."""

    def __init__(self, tree: DocTree, index: DocumentIndex, pages: SparseIndex, weights: PageWeights) -> None:
        """``pages`` has a document for each page, as ``page_index`` makes it."""
        self._tree, self._index, self._weights = tree, index, weights
        self._place = {page.page_idx: place for place, page in enumerate(tree.pages)}
        self._bm25 = pages
        ids = {split_id(each)[0] for each in (*index.sparse_coarse.ids, *index.sparse_leaf.ids)}
        self._places = {each: self.places_of(tree.node(each)) for each in ids}
        self._pairs = WordPairs(tree, index, self._places, len(tree.pages))
        media = [node.id for node in tree.nodes if node.type in ("image", "table")]
        self._media = self._links(index.sparse_coarse.ids, frozenset(media))
        self._records = {name: self._links(view.meta.ids) for name, view in index.views.items()}

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Every term of the document."""
        return Vocabulary(self._bm25.vocabulary)

    @cached_property
    def _statements(self) -> dict[Statement, list[int]]:
        return statement_pages(self._tree)

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
        self, terms: Mapping[str, float], pairs: Sequence[Pair], vector: np.ndarray | None, named: Named
    ) -> dict[str, np.ndarray]:
        """The views that take part, each an array in the order of ``tree.pages``; no ``terms``: no sparse views."""
        import numpy

        found: dict[str, np.ndarray] = {}
        if terms:
            found["page"] = self._bm25.scores(terms)
            found["media"] = self._best(self._index.sparse_coarse.scores(terms), self._media)
            found["pairs"] = self._pairs.scores(pairs)
        if vector is not None and self._index.views:
            cosines = [
                self._best(numpy.round(view.vectors @ vector, 6), self._records[name])
                for name, view in self._index.views.items()
            ]
            found["vector"] = numpy.clip(numpy.max(cosines, axis=0), 0.0, 1.0)
        for name in ("statement", "named_node", "named_section", "named_page"):
            found[name] = numpy.zeros(len(self._tree.pages))
        for statement in named.statements:
            found["statement"][[self._place[page] for page in self._statements[statement]]] = 1
        for node_id in sorted(named.sections):
            first, last = self._tree.node(node_id).page_span
            places = [self._place[page] for page in range(first, last + 1) if page in self._place]
            found["named_section"][places] = 1
        for node_id in sorted(named.nodes):
            found["named_node"][self.places_of(self._tree.node(node_id))] += 1
        for readings in named.pages:
            for number, page in enumerate(readings):
                if page in self._place:
                    found["named_page"][self._place[page]] += 1 - number * OTHER_READING
        return found

    def _best(self, scores: np.ndarray, links: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        import numpy

        rows, places = links
        best = numpy.zeros(len(self._tree.pages))
        numpy.maximum.at(best, places, scores[rows])
        return best

    def rank(self, views: Mapping[str, np.ndarray], only: Collection[int] | None = None) -> list[RankedPage]:
        """Every page that anything speaks for, best first; ties in order of page. ``only``: of these 0-based pages.

        Shares fall with the rank but for pages that ``BY_WORDS`` raises.
        """
        import numpy

        if not self._tree.pages:
            return []
        parts = {name: getattr(self._weights, name) * scores for name, scores in views.items()}
        total = numpy.round(sum(parts.values()), 6)
        share = numpy.exp(total - total.max())
        share /= share.sum()
        order = sorted(numpy.flatnonzero(total > 0).tolist(), key=lambda place: (-total[place], place))
        if "vector" in parts:
            words = numpy.round(total - parts["vector"], 6)
            best = sorted((place for place in order if words[place] > 0), key=lambda place: (-words[place], place))
            raised = [place for place in best[:BY_WORDS] if place not in order[:FIRST]]
            order = [*order[:FIRST], *raised, *(place for place in order[FIRST:] if place not in raised)]
        return [
            RankedPage(
                self._tree.pages[place].page_idx,
                round(float(share[place]), 6),
                {name: round(float(values[place]), 4) for name, values in parts.items() if values[place] > 0},
            )
            for place in order
            if only is None or self._tree.pages[place].page_idx in only
        ]
