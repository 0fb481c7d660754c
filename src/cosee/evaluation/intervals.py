"""Bootstrap intervals over documents: questions of one document are not independent, documents are."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.results.metrics import Interval
from cosee.evaluation.thresholds import INTERVAL_PERCENTILES, RESAMPLED_AT_ONCE


def bootstrap_mean(values: Sequence[float], documents: Sequence[str], *, resamples: int, seed: int) -> Interval | None:
    """95 % interval of the mean of ``values`` (one a question) when whole documents are drawn with replacement.

    A resampled mean is the sum of the drawn documents' values over the number of their questions. For paired
    methods give the differences. None for fewer than two documents or no resamples. The same seed gives the same
    interval.
    """
    return bootstrap_ratio(values, [1.0] * len(values), documents, resamples=resamples, seed=seed)


def bootstrap_ratio(
    values: Sequence[float], weights: Sequence[float], documents: Sequence[str], *, resamples: int, seed: int
) -> Interval | None:
    """As ``bootstrap_mean`` for the sum of ``values`` over the sum of ``weights`` (none below 0); 0 of no weight."""
    names = list(dict.fromkeys(documents))
    if len(names) < 2 or resamples < 1:
        return None
    import numpy as np

    position = {name: number for number, name in enumerate(names)}
    where = np.array([position[name] for name in documents])
    sums = np.bincount(where, weights=np.asarray(values, dtype=np.float64), minlength=len(names))
    counts = np.bincount(where, weights=np.asarray(weights, dtype=np.float64), minlength=len(names))
    generator = np.random.default_rng(seed)
    means: list[float] = []
    step = max(1, RESAMPLED_AT_ONCE // len(names))
    for start in range(0, resamples, step):
        drawn = generator.integers(0, len(names), size=(min(step, resamples - start), len(names)))
        total = counts[drawn].sum(axis=1)
        means.extend((sums[drawn].sum(axis=1) / np.where(total > 0, total, 1.0)).tolist())
    low, high = np.percentile(np.asarray(means), INTERVAL_PERCENTILES)
    return Interval(low=round(float(low), 6), high=round(float(high), 6))
