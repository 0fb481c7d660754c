"""The state that passes through decisions and tools."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import Field

from cosee.agents.decision.environment import Environment
from cosee.artifacts.base import Artifact


class TreeData(Artifact):
    """What a conversation has found so far; ``save`` and ``load`` keep a conversation on disk."""

    schema_name: ClassVar[str] = "cosee.tree_data"

    user_prompt: str
    environment: Environment = Field(default_factory=Environment)
    conversation_history: list[dict[str, Any]] = Field(default_factory=list)
    """Earlier turns: ``{"author": "user" | "assistant", "content": str}``."""
    tasks_completed: dict[str, list[float]] = Field(default_factory=dict)
    """Tool -> seconds of each of its calls. Prompts say which tools were used, never for how long."""
    errors: list[str] = Field(default_factory=list)
    """What failed or was refused, for the next decision."""
    collection_names: list[str] = Field(default_factory=list)
    """Views of the document's index."""

    def next_turn(self, user_prompt: str) -> TreeData:
        """The state of the conversation's next question: history and environment stay, the rest is new."""
        return TreeData(
            user_prompt=user_prompt,
            environment=self.environment,
            conversation_history=list(self.conversation_history),
            collection_names=list(self.collection_names),
        )
