"""What a run cost: usage from its predictions, seconds and memory from what was measured beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from cosee.artifacts.results.costs import MethodCost, Seconds, StageCost
from cosee.artifacts.results.prediction import Usage
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.summary import mean


@dataclass(frozen=True)
class Measured:
    """One document's or one job's measured values."""

    seconds: float
    peak_rss_mb: float
    cpu_seconds: float = 0.0


def method_cost(
    results: Sequence[QuestionResult],
    seconds: Sequence[float],
    parts: Mapping[str, Sequence[float]] | None = None,
    *,
    peak_rss_mb: float | None = None,
) -> MethodCost:
    """Totals of one method; ``seconds`` are those measured, one a question, in any order, ``parts`` those of parts."""
    usages = [result.prediction.usage for result in results if result.prediction is not None]
    totals = _totals(usages)
    tokens = totals["tokens_in"] + totals["tokens_out"]
    accuracy = mean(result.value for result in results if result.scored)
    per_tokens = None
    if accuracy is not None and tokens:
        per_tokens = round(accuracy / (tokens / len(results) / 1000), 6)
    timed = {name: found for name, values in sorted((parts or {}).items()) if (found := seconds_of(values))}
    return MethodCost(
        questions=len(results),
        accuracy_per_1000_tokens=per_tokens,
        seconds=seconds_of(seconds),
        parts=timed,
        peak_rss_mb=peak_rss_mb,
        **totals,
    )


def stage_cost(documents: Sequence[Measured], jobs: Sequence[Measured], usages: Sequence[Usage]) -> StageCost:
    """What one stage took; ``usages`` are its model's calls."""
    totals = _totals(usages)
    totals.pop("tokens_cached")
    return StageCost(
        documents=len(documents),
        seconds=seconds_of([each.seconds for each in documents]),
        peak_rss_mb=max((each.peak_rss_mb for each in (*documents, *jobs)), default=None),
        jobs=len(jobs),
        job_seconds=round(sum(each.seconds for each in jobs), 3),
        cpu_seconds=round(sum(each.cpu_seconds for each in jobs), 3),
        **totals,
    )


def seconds_of(values: Sequence[float]) -> Seconds | None:
    """Total and quantiles; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return Seconds(
        measured=len(ordered),
        total=round(sum(ordered), 3),
        p50=round(_quantile(ordered, 0.5), 3),
        p95=round(_quantile(ordered, 0.95), 3),
        max=round(ordered[-1], 3),
    )


def _totals(usages: Sequence[Usage]) -> dict[str, int]:
    return {field: sum(getattr(usage, field) for usage in usages) for field in Usage.model_fields}


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    lower = int(position)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)
