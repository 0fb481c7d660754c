"""A run's budget, shared out beforehand over the jobs that ask its model, by their questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import accumulate
from typing import Any, TypeVar

from cosee.artifacts.settings.answer import RunBudget

Job = TypeVar("Job")


def share_out(budget: RunBudget, questions: Mapping[Job, int]) -> dict[Job, RunBudget]:
    """Each job's share; whole calls and tokens add up to the budget exactly, whatever the order of ``questions``."""
    total = sum(questions.values())
    whole = {name: value for name in ("calls", "tokens") if (value := getattr(budget, name)) is not None}
    parts: dict[str, list[int]] = {name: _whole(value, questions.values(), total) for name, value in whole.items()}
    shares = {}
    for place, (job, count) in enumerate(questions.items()):
        given: dict[str, Any] = {name: values[place] for name, values in parts.items()}
        if budget.money is not None:
            given["money"] = round(budget.money * count / total, 9) if total else 0.0
        shares[job] = RunBudget(**given)
    return shares


def _whole(value: int, counts: Iterable[int], total: int) -> list[int]:
    """Whole shares of ``value`` in proportion to ``counts``: differences of rounded sums."""
    sums = [value * reached // total if total else 0 for reached in accumulate(counts, initial=0)]
    return [after - before for before, after in zip(sums, sums[1:], strict=False)]
