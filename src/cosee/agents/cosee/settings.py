"""Settings of CoSee."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field, model_validator

from cosee.artifacts.settings.methods import ROLES, AgentRole, GenerationSettings, PagesMethod
from cosee.artifacts.settings.modules import PAGES, SEARCH


class CoSeeMethod(PagesMethod):
    """Role agents over a shared board. A preset sets what is not given: ``cosee_base`` and ``cosee``
    three agents and two rounds, ``cosee_light`` two agents, ``cosee_expanded`` three rounds."""

    MODULES = SEARCH | PAGES | {"board"}
    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "cosee_light": {"agents": ["detail_reader", "cross_checker"]},
        "cosee_expanded": {"max_steps": 3},
    }

    strategy: Literal["cosee", "cosee_base", "cosee_light", "cosee_expanded"] = Field(
        "cosee", description="Selects this method, and its preset."
    )
    agents: list[AgentRole] = Field(ROLES, min_length=1, description="Who acts, in this order.")
    max_steps: int = Field(2, ge=1, le=10, description="Rounds at most (T).")
    order: Literal["sequential", "parallel"] = Field(
        "sequential", description="'parallel' shows every agent the board as the round began, and asks them as a batch."
    )
    agent_generation: dict[AgentRole, GenerationSettings] = Field(
        default_factory=dict, description="How one agent's replies are drawn, over 'generation'."
    )
    stop_confidence: float = Field(0.8, ge=0, le=1, description="A verified hypothesis at or above it ends the rounds.")
    stop_agreement: int = Field(2, ge=2, description="So many agents with the same answer end the rounds.")
    zooms: int = Field(2, ge=0, description="Boxes of the board that a model which sees is shown larger, the newest.")
    max_cells_per_page: int = Field(8, ge=1, description="Newest cells of a page that the board's text shows.")
    max_total_chars: int = Field(2000, ge=200, description="Bound of the board's text; the oldest cells go first.")

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, value: Any) -> Any:
        return {**cls.PRESETS.get(str(value.get("strategy")), {}), **value} if isinstance(value, dict) else value

    def open_calls(self) -> tuple[int, int | None]:
        """A round at least, every agent in every round at most."""
        return len(self.agents), len(self.agents) * self.max_steps
