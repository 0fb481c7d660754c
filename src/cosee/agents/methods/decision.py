"""decision: an agent that picks tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from cosee.agents.method import method
from cosee.artifacts.settings.methods import AskingMethod
from cosee.artifacts.settings.modules import SEARCH
from cosee.registry import TOOLS

if TYPE_CHECKING:
    from cosee.agents.strategy import Strategy


class DecisionMethod(AskingMethod):
    """A decision agent that picks one tool after the other until it can answer (seed 003)."""

    MODULES = SEARCH

    strategy: Literal["decision"] = Field("decision", description="Selects this method.")
    max_iterations: int = Field(8, ge=1, le=50, description="Decisions at most; then the answer is forced.")


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
