"""multi_agent_chat_no_board: what the board is measured against."""

from __future__ import annotations

from cosee.agents.baselines.settings import ChatMethod
from cosee.agents.method import Strategy, method


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
