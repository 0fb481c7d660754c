"""What a run was expected to cost beside what it did cost."""

from __future__ import annotations

from typing import Any

from cosee.artifacts.results.estimate import Range
from cosee.report.views import RunView

FIGURES = {"calls": "Calls", "tokens_in": "Tokens read", "tokens_out": "Tokens written", "images": "Pictures"}


def spending(run: RunView) -> list[dict[str, Any]]:
    """A row a method: each figure expected, as a range where it is open, and spent; none without an estimate."""
    if run.estimate is None or run.costs is None:
        return []
    rows = []
    for name in run.metrics.method_order:
        expected, spent = run.estimate.methods.get(name), run.costs.methods.get(name)
        if expected is not None and spent is not None:
            pairs = [(_range(getattr(expected, figure)), f"{getattr(spent, figure):,}") for figure in FIGURES]
            rows.append({"name": name, "pairs": pairs})
    return rows


def _range(figure: Range) -> str:
    likely, low, high = (f"{value:,.0f}" for value in (figure.likely, figure.low, figure.high))
    return likely if low == high else f"{likely} ({low} to {high})"
