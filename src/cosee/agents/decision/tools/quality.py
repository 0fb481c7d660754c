"""How well a page, or a figure on it, can be seen."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field

from cosee.agents.decision import suggestions
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Inputs, Output, Tool, in_thread, tool
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.evidence import box_on_page, known_node
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.picture_quality import PictureQuality
from cosee.imaging.measure import measure_picture
from cosee.models.blocks import PageImage


class QualityInputs(Inputs):
    """Which page, or which figure of it."""

    page: int = Field(ge=1, description="Page, counted from 1.")
    node_id: str = Field("", max_length=80, description="Only this figure or table of the page; empty for all of it.")


@tool(
    "assess_image_quality",
    order=80,
    description="Measure how well a page's picture, or one figure of it, can be seen: blur, noise, contrast, skew ...",
    status="Measuring a picture...",
    inputs=QualityInputs,
)
class AssessImageQuality(Tool):
    """Measured statistics of a page's picture: no model, no reference."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """One object with a score from 1, useless, to 5, flawless, the scores by distortion, and what is wrong."""
        tree, page = self.services.context.tree, int(inputs["page"])
        if page > len(tree.pages):
            yield Error(f"There is no page {page}", suggestion=suggestions.pages(tree))
            return
        node = known_node(tree, inputs["node_id"]) if inputs["node_id"] else None
        box = box_on_page(node, page) if node is not None else None
        if inputs["node_id"] and box is None:
            yield Error(f"There is no {inputs['node_id']!r} on page {page}", suggestion=suggestions.on_page(tree, page))
            return
        quality = await in_thread(_measure, self.services.context.page_image(page), box)
        what = f"{node.label or node.id} on page {page}" if node is not None else f"Page {page}"
        scores = ", ".join(f"{name} {score:g}" for name, score in sorted(quality.scores.items()))
        faults = ", ".join(quality.faults) or "none"
        yield Result(
            [
                {
                    "page_number": page,
                    "page_label": tree.pages[page - 1].page_label,
                    **({"node_id": node.id} if node is not None else {}),
                    "quality": quality.model_dump(mode="json"),
                    "text": f"{what}: picture quality {quality.score:g} of 5, faults: {faults} ({scores})",
                }
            ],
            {"page": page, "score": quality.score, "faults": faults},
            "image_quality",
            "quality",
            "Page {page}: picture quality {score} of 5, faults: {faults}.",
        )


def _measure(image: PageImage, box: BBox | None) -> PictureQuality:
    picture = image.load()
    if box is not None:
        width, height = picture.size
        left, top = int(box[0] * width), int(box[1] * height)
        right, bottom = max(left + 1, round(box[2] * width)), max(top + 1, round(box[3] * height))
        picture = picture.crop((left, top, right, bottom))
    return measure_picture(picture)
