"""A job's share of its run's budget, given out question by question so that replies' order decides nothing."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import reduce

from cosee.artifacts.price import Price
from cosee.artifacts.results.prediction import Prediction, Usage
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import RunBudget
from cosee.models.purse import Purse
from cosee.models.structured import add_usage
from cosee.runs.thresholds import UNBOUNDED_CALLS


@dataclass(frozen=True)
class WorstCase:
    """The most that a question may spend: its own bound of calls, each as long as the model's context."""

    calls: int
    tokens: int

    @classmethod
    def of(cls, budget: Budget, max_context: int) -> WorstCase:
        """The worst case of a question with this budget."""
        calls = UNBOUNDED_CALLS if budget.calls is None else budget.calls
        return cls(calls, calls * max_context)


class Allowance:
    """Questions are asked in order. One begins at once where even the worst case of all that are under way leaves it
    room; else it waits for them, and is then given exactly what is left. So who is asked, and with how much, depends on
    what the questions before it spent and not on which reply came first.
    """

    def __init__(self, share: RunBudget, price: Price | None) -> None:
        self.share, self.price = share, price
        self._spent = Usage()
        self._kept: dict[str, Usage] = {}
        self._running = 0
        self._ended = threading.Condition()

    def keep(self, doc_id: str, rows: list[Prediction]) -> None:
        """Count the answers of a document that is not asked about again; they count for the documents after it."""
        self._kept[doc_id] = reduce(add_usage, (row.usage for row in rows), Usage())

    def admit(self, doc_id: str, worst: WorstCase) -> Purse | None:
        """What the next question, about this document, may spend; None where nothing is left. ``settle`` it."""
        with self._ended:
            while True:
                left = self._remaining(doc_id)
                if left is None:
                    if not self._running:
                        return None
                elif not self._running or self._fits(left, worst):
                    self._running += 1
                    return left
                self._ended.wait()

    def settle(self, row: Prediction | None) -> None:
        """A question that was admitted has ended; without a row where it was not asked after all."""
        with self._ended:
            self._spent = self._spent if row is None else add_usage(self._spent, row.usage)
            self._running -= 1
            self._ended.notify_all()

    def _remaining(self, doc_id: str) -> Purse | None:
        """What is left after everything that is known to be spent; None where that is nothing."""
        used = reduce(add_usage, (usage for name, usage in self._kept.items() if name < doc_id), self._spent)
        tokens = used.tokens_in + used.tokens_out
        purse = Purse(
            calls=None if self.share.calls is None else self.share.calls - used.calls,
            tokens=None if self.share.tokens is None else self.share.tokens - tokens,
            money=None if self.share.money is None else self.share.money - self._cost(used),
            price=self.price,
        )
        bounds = [bound for bound in (purse.calls, purse.tokens, purse.money) if bound is not None]
        return None if any(bound <= 0 for bound in bounds) else purse

    def _fits(self, left: Purse, worst: WorstCase) -> bool:
        """Whether what is left holds this question and all that are under way, whatever they spend."""
        count = self._running + 1
        price = 0.0
        if self.price is not None:
            dearest = max(self.price.tokens_in, self.price.tokens_out)
            price = self.price.call * worst.calls + dearest * worst.tokens / 1_000_000
        return (
            (left.calls is None or left.calls >= count * worst.calls)
            and (left.tokens is None or left.tokens >= count * worst.tokens)
            and (left.money is None or left.money >= count * price)
        )

    def _cost(self, used: Usage) -> float:
        return 0.0 if self.price is None else self.price.of(used.calls, used.tokens_in, used.tokens_out)
