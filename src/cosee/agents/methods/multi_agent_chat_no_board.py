"""multi_agent_chat_no_board: what the board is measured against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from cosee.agents.method import method
from cosee.artifacts.settings.methods import ROLES, AgentRole, PagesMethod

if TYPE_CHECKING:
    from cosee.agents.strategy import Strategy


class ChatMethod(PagesMethod):
    """Agents that talk in turns, with the text of the conversation as their only memory (seed 001 section 7)."""

    strategy: Literal["multi_agent_chat_no_board"] = Field(
        "multi_agent_chat_no_board", description="Selects this method."
    )
    agents: list[AgentRole] = Field(ROLES, min_length=1, description="Who speaks, in this order.")
    max_turns: int = Field(2, ge=1, le=10, description="Turns; in each, every agent speaks once.")


@method(
    "multi_agent_chat_no_board",
    settings=ChatMethod,
    order=80,
    calls="agents x `max_turns`",
    description="role agents that talk in turns, without a board",
)
def multi_agent_chat_no_board(settings: ChatMethod) -> Strategy:
    """A conversation over retrieved pages."""
    from cosee.agents.baselines.chat import ChatStrategy

    return ChatStrategy(settings)
