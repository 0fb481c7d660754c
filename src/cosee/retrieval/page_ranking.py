"""Pages ranked by views of them: words, vectors, hits, what the question names, and what the first pages lead to.

A conditional logit (D. McFadden, 1974) over the pages of one document: the share of a page is ``exp(sum of weight *
view)`` over the sum of that of all pages. It is made twice: of the views that read each page by itself, then of these
and of those that need the shares so found. The weights are in ``page_weights``.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.artifacts.results.prediction import Retrieved
from cosee.index.document_index import DocumentIndex
from cosee.index.sparse import SparseIndex
from cosee.retrieval.finance import Statement, statement_pages
from cosee.retrieval.page_index import pages_of
from cosee.retrieval.page_links import PageLinks
from cosee.retrieval.page_weights import FINDING_VIEWS, PageWeights
from cosee.retrieval.rewriting import Vocabulary
from cosee.retrieval.thresholds import COUNTED_HITS, OTHER_READING
from cosee.retrieval.word_pairs import Pair, WordPairs

if TYPE_CHECKING:
    import numpy as np


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
        self,
        terms: Mapping[str, float],
        own_terms: Mapping[str, float],
        pairs: Sequence[Pair],
        vector: np.ndarray | None,
        named: Named,
        hits: Sequence[Retrieved] = (),
    ) -> dict[str, np.ndarray]:
        """The views that read each page by itself, each an array in the order of ``tree.pages``; no ``terms``: no
        sparse views. ``own_terms`` are those of the question, without any that were added; ``hits`` come best first."""
        import numpy

        found: dict[str, np.ndarray] = {}
        if terms:
            found["page"] = self._bm25.scores(terms)
            found["media"] = _over_best(self._best(self._index.sparse_coarse.scores(terms), self._media))
            found["pairs"] = self._pairs.scores(pairs)
            found["word_rank"] = _over_rank(self._bm25.scores(own_terms))
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
        return found | self._hit_views(hits) | {"length": self._length}

    def _hit_views(self, hits: Sequence[Retrieved]) -> dict[str, np.ndarray]:
        import numpy

        best, counts = numpy.zeros(len(self._tree.pages)), numpy.zeros(len(self._tree.pages))
        for number, hit in enumerate(hits):
            places = self.places_of(self._tree.node(hit.node_id))
            best[places] = numpy.maximum(best[places], hit.score)
            if number < COUNTED_HITS:
                counts[places] += 1
        return {"node": _over_best(best), "nodes": numpy.log1p(counts)}

    @cached_property
    def _length(self) -> np.ndarray:
        """The paragraphs of each page, as a logarithm."""
        import numpy

        counts = numpy.zeros(len(self._tree.pages))
        for node in self._tree.of_type("paragraph"):
            counts[self.places_of(node)] += 1
        return numpy.log1p(counts)

    @cached_property
    def links(self) -> PageLinks:
        """What pages lead to."""
        return PageLinks(self._tree, self._index, self.places_of)

    def _best(self, scores: np.ndarray, links: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        import numpy

        rows, places = links
        best = numpy.zeros(len(self._tree.pages))
        numpy.maximum.at(best, places, scores[rows])
        return best

    def rank(
        self, views: Mapping[str, np.ndarray], only: Collection[int] | None = None, *, linked: bool = True
    ) -> list[RankedPage]:
        """Every page that anything speaks for, by falling share; ties in order of page.

        ``only``: of these 0-based pages. ``linked``: with the views of what the first pages lead to.
        """
        import numpy

        if not self._tree.pages:
            return []
        if linked:
            views = {**views, **self.links.views(shares(views, self._weights.first))}
        parts = {name: weight * views[name] for name, weight in self._weights.last.items() if name in views}
        share = shares(views, self._weights.last)
        evidence = sum((parts[name] for name in FINDING_VIEWS if name in parts), start=numpy.zeros(len(share)))
        order = sorted(numpy.flatnonzero(evidence > 0).tolist(), key=lambda place: (-share[place], place))
        rounded_parts = [(name, numpy.round(values, 4).tolist()) for name, values in parts.items()]
        rounded = numpy.round(share, 6).tolist()
        return [
            RankedPage(
                self._tree.pages[place].page_idx,
                rounded[place],
                {name: values[place] for name, values in rounded_parts if values[place]},
            )
            for place in order
            if only is None or self._tree.pages[place].page_idx in only
        ]


def shares(views: Mapping[str, np.ndarray], weights: Mapping[str, float]) -> np.ndarray:
    """The share of each page, by the views that there are of those that have a weight."""
    import numpy

    odds = numpy.round(sum(weight * views[name] for name, weight in weights.items() if name in views), 6)
    likely = numpy.exp(odds - odds.max())
    share: np.ndarray = likely / likely.sum()
    return share


def _over_best(scores: np.ndarray) -> np.ndarray:
    return scores / (scores.max(initial=0.0) or 1.0)


def _over_rank(scores: np.ndarray) -> np.ndarray:
    """1 / rank of each page, equal scores in order of page; 0 where nothing was found."""
    import numpy

    ranks = numpy.empty(len(scores))
    ranks[numpy.argsort(-scores, kind="stable")] = numpy.arange(1, len(scores) + 1)
    return (scores > 0) / ranks
