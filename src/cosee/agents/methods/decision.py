"""decision: an agent that picks tools."""

from __future__ import annotations

from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import Strategy, method
from cosee.registry import TOOLS


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
