"""Looking at the pages that a visual search found."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field

from cosee.agents.decision.asking import ask
from cosee.agents.decision.pages import page_object
from cosee.agents.decision.prompts import INTERPRET
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.schemas import Interpretation
from cosee.agents.decision.tool import Inputs, Output, Tool, tool
from cosee.agents.decision.tools.search import ColQwenVisualSearch, most_recent_pages
from cosee.agents.decision.tools.thresholds import (
    INTERPRETATION_REPLY_TOKENS,
    MAX_INTERPRETATION_LINE,
    MAX_PAGES_INTERPRETED,
)
from cosee.agents.decision.tree_data import TreeData
from cosee.models.evidence import page_evidence
from cosee.models.messages import evidence_message, instruction_block


class InterpretationInputs(Inputs):
    """Which of the found pages to look at."""

    pages: list[int] = Field(default_factory=list, description="Pages of the last visual search; default: the best.")


@tool(
    "visual_interpretation",
    order=30,
    description="Look at the pages of the last visual search and describe their diagrams, charts and tables.",
    status="Looking at pages...",
    inputs=InterpretationInputs,
)
class VisualInterpretation(Tool):
    """A model looks at pages; without one that sees, what was read on them is told."""

    async def is_tool_available(self, tree_data: TreeData) -> bool:
        """Only after a visual search has found pages."""
        return tree_data.environment.find(ColQwenVisualSearch.name) is not None

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """What the best pages show, and their text as evidence."""
        found = [int(value["page_number"]) for value in most_recent_pages(tree_data)]
        wanted = [page for page in found if page in inputs["pages"]] if inputs["pages"] else found
        if not wanted:
            yield Error(
                "No visual pages to interpret" if not found else f"Pages {inputs['pages']} were not found",
                suggestion=f"Use pages of the last visual search: {found}" if found else "Call colqwen_visual_search",
            )
            return
        pages = wanted[:MAX_PAGES_INTERPRETED]
        objects: list[dict[str, Any]] = []
        for page in pages:
            text, fault = await self._interpret(page)
            if not text:
                yield Error(f"Page {page} could not be interpreted: {fault}")
                continue
            label = self.services.context.tree.pages[page - 1].page_label
            objects.append({"page_number": page, "page_label": label, "interpretation": text, "text": text})
        tree, client = self.services.context.tree, self.services.context.client
        if objects:
            yield Result(
                objects,
                {
                    "source": client.name,
                    "summary": " ".join(value["text"] for value in objects)[:MAX_INTERPRETATION_LINE],
                },
                "visual_interpretations",
                "interpretations",
                "{num_objects} pages were looked at. Summary: {summary}",
            )
        read = [value for value in (page_object(tree, page, {}) for page in pages) if value is not None]
        if read:
            numbers = ", ".join(map(str, pages))
            yield Result(read, {"pages": numbers}, "page_texts", "chunks", "Text of pages {pages}.")

    async def _interpret(self, page: int) -> tuple[str, str]:
        """What the page shows, or nothing and why."""
        context = self.services.context
        message = evidence_message(
            self.services.question.question,
            images=[context.page_image(page)] if context.client.sees_images else [],
            evidence=[page_evidence(context.tree, page)],
            instruction=instruction_block(INTERPRET.id, INTERPRET.text),
        )
        reply = await ask(self.services, message, Interpretation, INTERPRETATION_REPLY_TOKENS)
        return (reply.value.interpretation.strip(), "") if reply.value else ("", reply.error or "no reply")
