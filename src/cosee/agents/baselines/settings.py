"""Settings of the baselines that have steps of their own."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.settings.methods import ROLES, AgentRole, PagesMethod


class ChatMethod(PagesMethod):
    """Agents that talk in turns, with the text of the conversation as their only memory."""

    strategy: Literal["multi_agent_chat_no_board"] = Field(
        "multi_agent_chat_no_board", description="Selects this method."
    )
    agents: list[AgentRole] = Field(ROLES, min_length=1, description="Who speaks, in this order.")
    max_turns: int = Field(2, ge=1, le=10, description="Turns; in each, every agent speaks once.")


class SelfConsistencyMethod(PagesMethod):
    """Several sampled calls that reason step by step, and the majority of their answers."""

    strategy: Literal["self_consistency"] = Field("self_consistency", description="Selects this method.")
    samples: int = Field(3, ge=1, le=40, description="Calls a question (N).")
