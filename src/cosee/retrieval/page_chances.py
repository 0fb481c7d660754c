"""The chance that each ranked page is needed, and how many pages are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cosee.retrieval.page_weights import CHANCE, PARTS

if TYPE_CHECKING:
    import numpy as np

BOUND = 0.05
"""Pages are given until none is left whose chance to be needed reaches this."""
MOST = 10
"""Pages that are given at most."""
_LEAST = 1e-6


def chance_views(shares: Sequence[float], parts: Sequence[Mapping[str, float]], count: int = MOST) -> np.ndarray:
    """What the ranking tells of its first ``count`` pages: a row for each, a column for each of
    ``page_weights.CHANCE``.

    ``shares`` and ``parts`` are those of a ``Ranking``, the best page first; parts that are missing count as 0.
    """
    import numpy

    share = numpy.clip(numpy.asarray(shares, dtype=float), _LEAST, 1 - _LEAST)
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
        numpy.log(numpy.clip(1 - (numpy.cumsum(first) - first), _LEAST, 1)),
        numpy.broadcast_to(best, len(first)),
        numpy.full(len(first), spread),
    ]
    told = [[parts[place].get(name, 0.0) if place < len(parts) else 0.0 for name in PARTS] for place in rank.tolist()]
    return numpy.column_stack([*columns, numpy.array(told, dtype=float).reshape(-1, len(PARTS))])


def chances(shares: Sequence[float], parts: Sequence[Mapping[str, float]], weights: Mapping[str, float]) -> list[float]:
    """The chance of each of the first ``MOST`` ranked pages that the question needs it."""
    import numpy

    if not len(shares):
        return []
    odds = weights["always"] + chance_views(shares, parts) @ numpy.array([weights[name] for name in CHANCE])
    return [round(float(each), 6) for each in 1 / (1 + numpy.exp(-odds))]


def enough(found: Sequence[float], *, bound: float = BOUND, most: int = MOST) -> int:
    """How many of the ranked pages to give: the last one whose chance reaches ``bound``, and all before it."""
    likely = [rank for rank, chance in enumerate(found[:most], start=1) if chance >= bound]
    return likely[-1] if likely else min(1, len(found))
