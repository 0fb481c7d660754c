"""The decision: which tool next, asked of the model, or by rule where the model cannot be asked."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from cosee.agents.decision.asking import ask, fit_context
from cosee.agents.decision.prompts import DECIDE
from cosee.agents.decision.schemas import Decision
from cosee.agents.decision.thresholds import (
    DECISION_CONTEXT_TOKENS,
    DECISION_REPLY_TOKENS,
    MAX_QUERY_CHARACTERS,
    NEWEST_TOLD,
)
from cosee.agents.decision.tool import Inputs, Services, Tool
from cosee.agents.decision.tree_data import TreeData
from cosee.models.blocks import Block, Message
from cosee.models.boxes import Grid
from cosee.models.messages import evidence_message, history_block, instruction_block
from cosee.models.reply_schema import box_schema


class DecisionAgent:
    """Asks the model for the next tool. Its prompt holds the question, what was found, what failed, which tools were
    used and which are available, and the conversation; nothing else."""

    def __init__(self, services: Services) -> None:
        self.services = services

    async def decide(self, tree_data: TreeData, available: Sequence[Tool]) -> Decision | None:
        """The model's decision, or None for a reply that stays unusable after its retries.

        Raises:
            ModelError: the call failed.
            BudgetExceeded: the question's budget does not allow it.
        """
        turns, client = earlier_turns(tree_data), self.services.context.client

        def build(tokens: int) -> Message:
            return evidence_message(
                tree_data.user_prompt,
                evidence=tree_data.environment.blocks(tokens, () if client.sees_images else None),
                instruction=instruction_block(DECIDE.id, DECIDE.text),
                history=history_block(turns) if turns else None,
                role=tools_block(tree_data, available, client.asked_grid),
            )

        message = fit_context(self.services.context, build, DECISION_CONTEXT_TOKENS)
        reply = await ask(self.services, message, Decision, DECISION_REPLY_TOKENS)
        return reply.value


def earlier_turns(tree_data: TreeData) -> list[dict[str, Any]]:
    """The conversation's earlier turns, then what each call found, then what failed or was refused."""
    found = [{"author": tool, "content": words} for tool, words in tree_data.environment.messages()]
    errors = [{"author": "error", "content": words} for words in tree_data.errors]
    return [*tree_data.conversation_history, *found[-NEWEST_TOLD:], *errors[-NEWEST_TOLD:]]


def tools_block(tree_data: TreeData, available: Sequence[Tool], grid: Grid | None = None) -> Block:
    """Which tools were used and which can be picked, with their inputs; last in the prompt, as it changes most.

    All of it is our own wording; what comes from outside stands in the history and the evidence.
    """
    used = {name: len(times) for name, times in tree_data.tasks_completed.items()}
    lines = [
        "Tools already used: " + (", ".join(f"{name} ({count} times)" for name, count in used.items()) or "none"),
        "Available tools:",
        *(f"- {tool.name}: {tool.description} Inputs: {_inputs(tool.inputs, grid)}" for tool in available),
    ]
    return instruction_block("decision.tools", "\n".join(lines), available=[tool.name for tool in available], used=used)


def fallback(
    tree_data: TreeData, available: Collection[str], was_made: Callable[[str, Mapping[str, Any]], bool]
) -> Decision:
    """The decision without a model: search the text, then by look where that found nothing, look, answer.

    A search that the model made in other words, and that found nothing, is made in the question's own.
    """
    query = {"query": tree_data.user_prompt[:MAX_QUERY_CHARACTERS]}
    used = tree_data.tasks_completed
    steps: list[tuple[str, dict[str, Any], bool]] = [
        ("fast_vector_search", query, "fast_vector_search" not in used or tree_data.environment.is_empty()),
        ("colqwen_visual_search", query, tree_data.environment.is_empty()),
        ("visual_interpretation", {}, "colqwen_visual_search" in used),
    ]
    for name, inputs, wanted in steps:
        if wanted and name in available and not was_made(name, inputs):
            return Decision(tool=name, inputs=inputs, reasoning="Next step of the fixed order.")
    return Decision(tool="text_response", reasoning="Last step of the fixed order.", should_end=True)


@lru_cache(maxsize=256)
def _inputs(inputs: type[Inputs], grid: Grid | None) -> str:
    """A tool's inputs as a model is told of them; boxes in its grid."""
    schema = inputs.model_json_schema()
    for name, each in schema.get("properties", {}).items():
        if each.get("asked") == "box":
            schema["properties"][name] = box_schema(grid or 1, each)
    told = {key: schema[key] for key in ("properties", "required", "$defs") if schema.get(key)}
    return json.dumps(_plain(told), ensure_ascii=False, separators=(",", ":")) if told else "none"


def _plain(value: Any) -> Any:
    """A JSON schema without titles."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items() if not (key == "title" and isinstance(each, str))}
    return [_plain(each) for each in value] if isinstance(value, list) else value
