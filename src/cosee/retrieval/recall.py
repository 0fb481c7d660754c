"""The two channels: nodes near a question's vector, and nodes that hold its words."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from cosee.artifacts.documents.doctree import split_id
from cosee.index.document_index import DocumentIndex

if TYPE_CHECKING:
    import numpy as np

Allowed = Callable[[str], bool] | None
"""Whether a node id passes the search's facets; None where there are none."""


@dataclass(frozen=True)
class Recalled:
    """A node that a channel found: its best score in 0..1, and the record (variant or chunk) that gave it."""

    score: float
    record_id: str


def dense_recall(index: DocumentIndex, query: np.ndarray, count: int, allowed: Allowed) -> dict[str, Recalled]:
    """Node id -> its best cosine, clipped to 0..1, over the ``count`` nearest records of every view and variant."""
    import numpy

    found: dict[str, Recalled] = {}
    for view in index.views.values():
        for rows in view.groups:
            if allowed is not None:
                passed = [row for row in rows.tolist() if allowed(_node_of(view.meta.ids[row]))]
                rows = numpy.array(passed, dtype=int)
            for record_id, cosine in view.search(query, count, rows):
                _keep(found, _node_of(record_id), Recalled(min(1.0, max(0.0, cosine)), record_id))
    return found


def sparse_recall(
    index: DocumentIndex, terms: Mapping[str, float], count: int, allowed: Allowed
) -> dict[str, Recalled]:
    """Node id -> its BM25F score divided by the best of the query, over the ``count`` best of each index."""
    hits: list[tuple[str, float]] = []
    for part in (index.sparse_coarse, index.sparse_leaf):
        if allowed is None:
            hits += part.search(terms, count)
        else:
            hits += [hit for hit in part.search(terms, len(part.ids)) if allowed(_node_of(hit[0]))][:count]
    best = max((score for _, score in hits), default=0.0)
    found: dict[str, Recalled] = {}
    for record_id, score in hits:
        _keep(found, _node_of(record_id), Recalled(round(score / best, 6), record_id))
    return found


@lru_cache(maxsize=100_000)
def _node_of(record_id: str) -> str:
    return split_id(record_id)[0]


def _keep(found: dict[str, Recalled], node_id: str, hit: Recalled) -> None:
    known = found.get(node_id)
    if known is None or (hit.score, known.record_id) > (known.score, hit.record_id):
        found[node_id] = hit
