"""What one question may still spend of a run's budget."""

from __future__ import annotations

from dataclasses import dataclass

from cosee.artifacts.price import Price
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import BudgetExceeded

BOUND = "run_budget"


@dataclass
class Purse:
    """Calls, tokens (read and written) and money that are left; None where nothing bounds them."""

    calls: int | None = None
    tokens: int | None = None
    money: float | None = None
    price: Price | None = None
    emptied: bool = False
    """Whether a call was refused for want of it."""

    def admit(self, used: Usage, calls: int, tokens_in: int, tokens_out: int) -> int:
        """How many tokens each of ``calls`` replies may have, at most ``tokens_out``, after ``used`` was spent.

        Raises:
            BudgetExceeded: nothing is left for these calls.
        """
        most = tokens_out
        read = used.tokens_in + tokens_in
        if self.calls is not None and used.calls + calls > self.calls:
            most = 0
        if self.tokens is not None:
            most = min(most, (self.tokens - used.tokens_out - read) // calls)
        if self.money is not None and self.price is not None:
            left = self.money - self.price.of(used.calls + calls, read, used.tokens_out)
            price = self.price.tokens_out / 1_000_000
            if price:
                most = min(most, int(left / price) // calls)
            elif left < 0:
                most = 0
        if most < 1:
            self.emptied = True
            raise BudgetExceeded(BOUND)
        return most
