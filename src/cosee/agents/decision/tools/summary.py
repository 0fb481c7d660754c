"""Making room: a summary in place of an environment that has grown too large."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from pydantic import Field

from cosee.agents.decision.asking import ask, fit_context
from cosee.agents.decision.prompts import SUMMARIZE
from cosee.agents.decision.rendering import cut_text, text_of
from cosee.agents.decision.results import Result
from cosee.agents.decision.schemas import Summary, SummaryPoint
from cosee.agents.decision.thresholds import CHARACTERS_A_TOKEN
from cosee.agents.decision.tool import Inputs, Output, Tool, tool
from cosee.agents.decision.tools.thresholds import (
    MAX_SUMMARIZED_TOKENS,
    POINT_MARKUP_CHARACTERS,
    SUMMARIZE_ABOVE_TOKENS,
    SUMMARY_REPLY_TOKENS,
    SUMMARY_TOKENS,
)
from cosee.agents.decision.tree_data import TreeData
from cosee.models.blocks import Message
from cosee.models.calls import ModelError
from cosee.models.messages import evidence_message, instruction_block


class SummaryInputs(Inputs):
    """How long the summary may be."""

    max_summary_tokens: int = Field(SUMMARY_TOKENS, ge=200, le=20_000, description="Tokens of the summary at most.")


@tool(
    "summarize",
    order=100,
    description="Summarise everything that was found, to make room. Runs by itself when the environment is too large.",
    status="Summarising what was found...",
    inputs=SummaryInputs,
)
class Summarize(Tool):
    """Findings with their pages stand for everything that was found."""

    async def is_tool_available(self, tree_data: TreeData) -> bool:
        """Only where there is something."""
        return not tree_data.environment.is_empty()

    async def run_if_true(self, tree_data: TreeData) -> tuple[bool, dict[str, Any]]:
        """Where the environment has grown too large; a summary that has just been made is far smaller."""
        if tree_data.environment.estimate_tokens() <= SUMMARIZE_ABOVE_TOKENS:
            return False, {}
        return True, {"max_summary_tokens": SUMMARY_TOKENS}

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """Stores the summary hidden, clears the environment and puts the summary's points into it.

        A point keeps the ``_REF_ID`` and the page of what it tells about. Where no model gives a usable summary, the
        beginnings of the objects are one.
        """
        environment, limit = tree_data.environment, int(inputs["max_summary_tokens"])
        values = environment.objects()
        points = await self._points(tree_data)
        objects = _within(_referring(points, values) or _beginnings(values, limit), limit)
        environment.hidden_environment["summary"] = objects
        environment.clear()
        yield Result(
            objects,
            {"summarized": len(values)},
            "summarized",
            "summary",
            "Environment of {summarized} objects summarized due to size into {num_objects} points.",
        )

    async def _points(self, tree_data: TreeData) -> list[SummaryPoint]:
        context = self.services.context

        def build(tokens: int) -> Message:
            return evidence_message(
                self.services.question.question,
                evidence=tree_data.environment.blocks(tokens, () if context.client.sees_images else None),
                instruction=instruction_block(SUMMARIZE.id, SUMMARIZE.text),
            )

        try:
            reply = await ask(
                self.services, fit_context(context, build, MAX_SUMMARIZED_TOKENS), Summary, SUMMARY_REPLY_TOKENS
            )
        except ModelError:
            return []
        return reply.value.points if reply.value else []


def _referring(points: Sequence[SummaryPoint], values: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The points of pages that were found, each with the reference of its page's first object."""
    sources: dict[int, Mapping[str, Any]] = {}
    for value in values:
        if value.get("page_number"):
            sources.setdefault(int(value["page_number"]), value)
    return [_point(sources[point.page], point.text.strip()) for point in points if point.page in sources]


def _beginnings(values: Sequence[Mapping[str, Any]], limit: int) -> list[dict[str, Any]]:
    """The start of every object, all of them together within the limit."""
    room = max(POINT_MARKUP_CHARACTERS, limit * CHARACTERS_A_TOKEN // max(1, len(values)) - POINT_MARKUP_CHARACTERS)
    return [_point(value, cut_text(text_of(value), room)) for value in values]


def _point(source: Mapping[str, Any], text: str) -> dict[str, Any]:
    kept = {key: source[key] for key in ("_REF_ID", "page_number", "page_label") if source.get(key) is not None}
    return {**kept, "text": text}


def _within(objects: Sequence[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """The first objects that fit the limit; one at least."""
    left = limit * CHARACTERS_A_TOKEN
    kept: list[dict[str, Any]] = []
    for value in objects:
        left -= len(value["text"]) + POINT_MARKUP_CHARACTERS
        if left < 0 and kept:
            break
        kept.append(value)
    return kept
