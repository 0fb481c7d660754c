"""The chance that each ranked page is needed, and how many pages are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cosee.retrieval.page_weights import CHANCE_FEATURES, RERANKER, VIEWS, PageWeights
from cosee.retrieval.thresholds import LEAST_SHARE, MOST_PAGES, NEEDED_CHANCE

if TYPE_CHECKING:
    import numpy as np


def chance_features(
    shares: Sequence[float], parts: Sequence[Mapping[str, float]], count: int = MOST_PAGES
) -> np.ndarray:
    """What the ranking tells of its first ``count`` pages: a row for each, a column for each of
    ``page_weights.CHANCE_FEATURES``.

    ``shares`` and ``parts`` are those of a ``Ranking``, the best page first; parts that are missing count as 0, that of
    a reranker as much as the least that it gave.
    """
    import numpy

    share = numpy.clip(numpy.asarray(shares, dtype=float), LEAST_SHARE, 1 - LEAST_SHARE)
    spread = -float((share * numpy.log(share)).sum())
    first = share[:count]
    rank = numpy.arange(len(first))
    best = numpy.log(first[:1])
    columns = [
        numpy.log(first / (1 - first)),
        numpy.log(first) - best,
        numpy.log1p(rank),
        rank == 0,
        rank == 1,
        numpy.log(numpy.clip(1 - (numpy.cumsum(first) - first), LEAST_SHARE, 1)),
        numpy.broadcast_to(best, len(first)),
        numpy.full(len(first), spread),
    ]
    known = [*parts[: len(first)], *[{}] * (len(first) - len(parts))]
    missing = {RERANKER: min((page[RERANKER] for page in parts if RERANKER in page), default=0.0)}
    view_parts = numpy.array(
        [[page.get(name, missing.get(name, 0.0)) for name in VIEWS] for page in known], dtype=float
    )
    return numpy.column_stack([*columns, view_parts.reshape(-1, len(VIEWS))])


def chances(shares: Sequence[float], parts: Sequence[Mapping[str, float]], weights: PageWeights) -> list[float]:
    """The chance of each of the first ``MOST_PAGES`` ranked pages that the question needs it."""
    import numpy

    if not len(shares):
        return []
    table = weights.read_chance if any(RERANKER in page for page in parts) else weights.chance
    odds = table["always"] + chance_features(shares, parts) @ numpy.array([table[name] for name in CHANCE_FEATURES])
    return [round(float(each), 6) for each in 1 / (1 + numpy.exp(-odds))]


def enough(found: Sequence[float], *, bound: float = NEEDED_CHANCE, most: int = MOST_PAGES) -> int:
    """How many of the ranked pages to give: the last one whose chance reaches ``bound``, and all before it."""
    likely = [rank for rank, chance in enumerate(found[:most], start=1) if chance >= bound]
    return likely[-1] if likely else min(1, len(found))
