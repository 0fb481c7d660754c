"""The two channels: nodes near a question's vector, and nodes that hold its words."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cosee.artifacts.doctree import split_id
from cosee.index.store import DocumentIndex

if TYPE_CHECKING:
    import numpy as np

Allowed = Callable[[str], bool]
"""Whether a node id passes the search's facets."""


@dataclass(frozen=True)
class Recalled:
    """A node that a channel found: its best score in 0..1, and the record (variant or chunk) that gave it."""

    score: float
    record_id: str


def dense_recall(index: DocumentIndex, query: np.ndarray, count: int, allowed: Allowed) -> dict[str, Recalled]:
    """Node id -> its best cosine, clipped to 0..1, over the ``count`` nearest records of every view and variant."""
    found: dict[str, Recalled] = {}
    for view in index.views.values():
        groups: dict[str | None, int] = {}
        for record_id, cosine in view.search(query, len(view.meta.ids)):
            node_id, variant, _ = split_id(record_id)
            if not allowed(node_id) or groups.get(variant, 0) >= count:
                continue
            groups[variant] = groups.get(variant, 0) + 1
            _keep(found, node_id, Recalled(min(1.0, max(0.0, cosine)), record_id))
    return found


def sparse_recall(index: DocumentIndex, terms: Iterable[str], count: int, allowed: Allowed) -> dict[str, Recalled]:
    """Node id -> its BM25F score divided by the best of the query, over the ``count`` best of each index."""
    terms = list(terms)
    hits: list[tuple[str, float]] = []
    for part in (index.sparse_coarse, index.sparse_leaf):
        passed = [hit for hit in part.search(terms, len(part.ids)) if allowed(split_id(hit[0])[0])]
        hits.extend(passed[:count])
    best = max((score for _, score in hits), default=0.0)
    found: dict[str, Recalled] = {}
    for record_id, score in hits:
        _keep(found, split_id(record_id)[0], Recalled(round(score / best, 6), record_id))
    return found


def _keep(found: dict[str, Recalled], node_id: str, hit: Recalled) -> None:
    known = found.get(node_id)
    if known is None or (hit.score, known.record_id) > (known.score, hit.record_id):
        found[node_id] = hit
