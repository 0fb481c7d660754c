"""Plain retrieval of chunks: BM25 and vectors over pieces of text and tables, without tree, pages or reranking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.artifacts.results.prediction import Retrieved
from cosee.index.document_index import DocumentIndex
from cosee.retrieval import fusion
from cosee.retrieval.recall import Allowed
from cosee.text.tokens import query_weights

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Chunk:
    """A piece of a leaf, or a whole table or figure. ``text`` is that of the piece; None where it is the node's."""

    chunk_id: str
    node_id: str
    page: int
    score: float
    text: str | None

    def as_retrieved(self) -> Retrieved:
        """The chunk as a prediction lists it."""
        return Retrieved(node_id=self.node_id, page=self.page, score=self.score)


def rank_chunks(
    tree: DocTree,
    index: DocumentIndex,
    text: str,
    vector: np.ndarray | None,
    channels: Sequence[str],
    count: int,
    allowed: Allowed,
) -> list[Chunk]:
    """The best ``count`` ``allowed`` chunks for ``text``, ties in order of id: by one channel's scores divided by the
    best, by reciprocal rank fusion of two."""
    rankings = []
    if "sparse" in channels:
        terms = query_weights(text)
        hits = [hit for part in (index.sparse_leaf, index.sparse_coarse) for hit in part.search(terms, len(part.ids))]
        rankings.append(_chunks_of(tree, hits, allowed))
    if "dense" in channels and vector is not None:
        hits = [
            hit
            for name in ("leaf_raw", "coarse")
            if name in index.views
            for hit in index.views[name].search(vector, len(index.views[name].meta.ids))
        ]
        rankings.append(_chunks_of(tree, hits, allowed))
    scores = fusion.reciprocal_ranks(rankings) if len(rankings) > 1 else _over_best(rankings[0] if rankings else {})
    texts = {leaf.node_id: leaf.raw_text for leaf in index.leaves}
    best = sorted(scores, key=lambda each: (-scores[each], each))[:count]
    return [
        Chunk(each, node.id, node.page_idx + 1, scores[each], texts.get(each))
        for each in best
        for node in (tree.node(split_id(each)[0]),)
    ]


def _chunks_of(tree: DocTree, hits: Sequence[tuple[str, float]], allowed: Allowed) -> dict[str, float]:
    """Chunk id -> score, of what scored at all; sections are no chunks."""
    return {
        record_id: score
        for record_id, score in hits
        for node_id in [split_id(record_id)[0]]
        if score > 0 and tree.node(node_id).type != "section" and (allowed is None or allowed(node_id))
    }


def _over_best(scores: dict[str, float]) -> dict[str, float]:
    best = max(scores.values(), default=0.0)
    return {each: round(score / best, 6) for each, score in scores.items()}
