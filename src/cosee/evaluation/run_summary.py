"""``metrics_summary.json``: every run's figures, and whether failures stay within the budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cosee.artifacts.results.metrics import Metrics, MetricsSummary, RunSummary


def summarize(runs: Iterable[Metrics], failure_budget: float) -> MetricsSummary:
    """Join the runs. A run is within the budget when neither its documents nor its answers fail in a larger share."""
    summaries = {metrics.run: _run(metrics, failure_budget) for metrics in runs}
    return MetricsSummary(
        failure_budget=failure_budget,
        within_budget=all(summary.within_budget for summary in summaries.values()),
        runs=summaries,
    )


def _run(metrics: Metrics, budget: float) -> RunSummary:
    questions: Counter[str] = Counter()
    for method in metrics.methods.values():
        questions.update(method.all.statuses)
    # A question without a row is a failure that was not even recorded.
    questions["failed"] += questions.pop("missing", 0)
    counts = {"documents": dict(metrics.documents.statuses), "questions": {k: v for k, v in questions.items() if v}}
    shares = {kind: _failure_share(statuses) for kind, statuses in counts.items()}
    return RunSummary(
        datasets=metrics.datasets,
        provenance=metrics.provenance,
        counts={kind: dict(sorted(statuses.items())) for kind, statuses in counts.items()},
        failure_shares=shares,
        within_budget=all(share <= budget for share in shares.values()),
        documents=metrics.documents,
        methods={name: method.all for name, method in metrics.methods.items()},
        by_source_dataset={name: method.groups["source_dataset"] for name, method in metrics.methods.items()},
        measures=metrics.measures,
        references=metrics.references,
        seeds=metrics.seeds,
        comparisons=metrics.comparisons,
        notes=metrics.notes,
    )


def _failure_share(statuses: dict[str, int]) -> float:
    """Share of failed and skipped rows, 0 of none."""
    total = sum(statuses.values())
    failed = statuses.get("failed", 0) + statuses.get("skipped", 0)
    return round(failed / total, 6) if total else 0.0
