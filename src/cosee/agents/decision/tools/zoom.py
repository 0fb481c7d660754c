"""Looking closer: a part of a page, drawn anew and larger."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field

from cosee.agents.decision import suggestions
from cosee.agents.decision.asking import ask
from cosee.agents.decision.prompts import INTERPRET
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.schemas import Interpretation
from cosee.agents.decision.tool import Inputs, Output, Tool, tool
from cosee.agents.decision.tools.thresholds import INTERPRETATION_REPLY_TOKENS, MAX_FIGURES_NAMED
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.evidence import box_on_page, known_node
from cosee.artifacts.base import BBox
from cosee.models.boxes import shown_box, unit_box
from cosee.models.evidence import is_picture, node_data
from cosee.models.messages import evidence_message, instruction_block, node_block
from cosee.models.reply_schema import BOX


class ZoomInputs(Inputs):
    """Which part of which page."""

    page: int = Field(ge=1, description="Page, counted from 1.")
    node_id: str = Field("", max_length=80, description="A figure or table of that page; empty where bbox says where.")
    bbox: list[float] | None = Field(None, description="Where node_id is empty:", json_schema_extra=BOX)


@tool(
    "zoom",
    order=35,
    description="Look at one figure, table or other part of a page drawn larger, to read small text, values and marks.",
    status="Looking closer...",
    inputs=ZoomInputs,
)
class Zoom(Tool):
    """A sharper picture of a part of a page, read by the model."""

    async def is_tool_available(self, tree_data: TreeData) -> bool:
        """Only for a model that sees, once something was found."""
        return self.services.context.client.sees_images and not tree_data.environment.is_empty()

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """What the part shows, with its place; or a recoverable error that says what there is."""
        context = self.services.context
        tree, page = context.tree, int(inputs["page"])
        if page > len(tree.pages):
            yield Error(f"There is no page {page}", suggestion=suggestions.pages(tree))
            return
        node = known_node(tree, inputs["node_id"]) if inputs["node_id"] else None
        box = box_on_page(node, page) if node is not None else self._box(page, inputs["bbox"])
        if box is None:
            wanted = f"{inputs['node_id']!r}" if inputs["node_id"] else f"box {inputs['bbox']}"
            yield Error(f"There is no {wanted} on page {page}", suggestion=self._there_are(page))
            return
        where = shown_box(box, context.client.asked_grid or 1, context.client.sent_size(context.page_image(page)))
        known = [node_block(node_data(tree, node.id))] if node is not None else []
        message = evidence_message(
            self.services.question.question,
            images=[context.page_image(page).region(box)],
            evidence=known,
            instruction=instruction_block(INTERPRET.id, INTERPRET.text),
        )
        reply = await ask(self.services, message, Interpretation, INTERPRETATION_REPLY_TOKENS)
        if reply.value is None:
            yield Error(f"{where} of page {page} could not be read: {reply.error}")
            return
        text = reply.value.interpretation.strip()
        yield Result(
            [
                {
                    "page_number": page,
                    "page_label": tree.pages[page - 1].page_label,
                    "bbox": list(box),
                    "text": f"The part {where} of page {page}, seen larger: {text}",
                }
            ],
            {"page": page, "where": str(where), "source": context.client.name},
            "closer_looks",
            "interpretations",
            "Looked closer at {where} of page {page}.",
        )

    def _box(self, page: int, said: list[float] | None) -> BBox | None:
        client = self.services.context.client
        size = client.sent_size(self.services.context.page_image(page)) if client.asked_grid == "pixels" else None
        return unit_box(said, client.asked_grid, size)

    def _there_are(self, page: int) -> str:
        """What of a page can be looked at, in words."""
        tree = self.services.context.tree
        pictures = [each.id for each in tree.readable_on(page - 1) if is_picture(node_data(tree, each.id))]
        named = f"; figures there: {', '.join(pictures[:MAX_FIGURES_NAMED])}" if pictures else "; it has no figures"
        return f"Give a bbox inside of the page{named}"
