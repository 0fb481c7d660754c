"""The chance that each ranked page is needed, and how many pages are enough."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cosee.retrieval.page_weights import CHANCE

if TYPE_CHECKING:
    import numpy as np

BOUND = 0.065
"""Pages are given until none is left whose chance to be needed reaches this."""
MOST = 10
"""Pages that are given at most."""
_LEAST = 1e-6


def chance_views(shares: Sequence[float]) -> np.ndarray:
    """What the shares of ranked pages tell: a column for each of ``page_weights.CHANCE``, a row for each page."""
    import numpy

    share = numpy.clip(numpy.asarray(shares, dtype=float), _LEAST, 1 - _LEAST)
    rank = numpy.arange(len(share))
    left = numpy.clip(1 - (numpy.cumsum(share) - share), _LEAST, 1)
    best = numpy.log(share[0])
    spread = -float((share * numpy.log(share)).sum())
    columns = [
        numpy.log(share / (1 - share)),
        numpy.log(share) - best,
        numpy.log1p(rank),
        rank == 0,
        rank == 1,
        numpy.log(left),
        numpy.full(len(share), best),
        numpy.full(len(share), spread),
    ]
    return numpy.stack(columns, axis=1).astype(float)


def chances(shares: Sequence[float], weights: Mapping[str, float]) -> list[float]:
    """The chance of each page that the question needs it, for pages ranked with ``shares``, the best first."""
    import numpy

    if not len(shares):
        return []
    odds = weights["always"] + chance_views(shares) @ numpy.array([weights[name] for name in CHANCE])
    return [round(float(each), 6) for each in 1 / (1 + numpy.exp(-odds))]


def enough(found: Sequence[float], *, bound: float = BOUND, most: int = MOST) -> int:
    """How many of the ranked pages to give: the last one whose chance reaches ``bound``, and all before it."""
    likely = [rank for rank, chance in enumerate(found[:most], start=1) if chance >= bound]
    return likely[-1] if likely else min(1, len(found))
