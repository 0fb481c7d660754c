"""decision: an agent that picks tools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import method
from cosee.registry import TOOLS

if TYPE_CHECKING:
    from cosee.agents.strategy import Strategy


@method(
    "decision",
    settings=DecisionMethod,
    order=110,
    calls="within the budget",
    description="picks tools (searches, reading, interpreting pages) until it can answer",
    uses=(TOOLS,),
)
def decision(settings: DecisionMethod) -> Strategy:
    """One tool after the other."""
    from cosee.agents.decision.strategy import DecisionStrategy

    return DecisionStrategy(settings)
