"""Settings of the decision agent."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.settings.methods import AskingMethod
from cosee.artifacts.settings.modules import SEARCH


class DecisionMethod(AskingMethod):
    """A decision agent that picks one tool after the other until it can answer."""

    MODULES = SEARCH

    strategy: Literal["decision"] = Field("decision", description="Selects this method.")
    max_iterations: int = Field(8, ge=1, le=50, description="Decisions at most; then the answer is forced.")

    def open_calls(self) -> tuple[int, int | None]:
        """As many as its replies ask for, within the budget."""
        return 1, None
