"""What a run cost: usage from its predictions, seconds from what was measured beside them."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.metrics import MethodCost, Seconds
from cosee.artifacts.prediction import Usage
from cosee.evaluation.results import QuestionResult


def method_cost(results: Sequence[QuestionResult], seconds: Sequence[float]) -> MethodCost:
    """Totals of one method; ``seconds`` are those measured, one a question, in any order."""
    usages = [result.prediction.usage for result in results if result.prediction is not None]
    totals = {field: sum(getattr(usage, field) for usage in usages) for field in Usage.model_fields}
    return MethodCost(questions=len(results), seconds=_seconds(seconds), **totals)


def _seconds(values: Sequence[float]) -> Seconds | None:
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


def _quantile(ordered: Sequence[float], share: float) -> float:
    position = share * (len(ordered) - 1)
    lower = int(position)
    upper = min(lower + 1, len(ordered) - 1)
    return ordered[lower] + (ordered[upper] - ordered[lower]) * (position - lower)
