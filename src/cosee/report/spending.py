"""What a run was expected to cost beside what it did cost."""

from __future__ import annotations

from typing import Any

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
            pairs = [(getattr(expected, figure).in_words(), f"{getattr(spent, figure):,}") for figure in FIGURES]
            if (price := run.estimate.price) is not None and expected.money is not None:
                paid = price.of(spent.calls, spent.tokens_in, spent.tokens_out)
                pairs.append((expected.money.in_words(2), f"{paid:,.2f}"))
            rows.append({"name": name, "pairs": pairs})
    return rows


def names(run: RunView) -> list[str]:
    """What each pair of a row is of."""
    price = run.estimate.price if run.estimate is not None else None
    return [*FIGURES.values(), *([price.currency] if price is not None else [])]
