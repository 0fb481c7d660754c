"""What stands in the margins of the pages, of which some is furniture."""

from __future__ import annotations

from dataclasses import dataclass

from cosee.artifacts.documents.content import ContentItem
from cosee.parse.content.continuation import last_lines
from cosee.structure.captions.labels import caption_label
from cosee.structure.draft import TEXT_ROLES, Draft, is_visible
from cosee.structure.furniture import thresholds
from cosee.structure.furniture.page_labels import LAST_LINE
from cosee.structure.roles import is_note

FURNITURE_ROLES = frozenset({"header", "footer", "page_number"})
"""Roles that the source itself gives to furniture."""


@dataclass(frozen=True)
class Slot:
    """An item in the margin of a page."""

    item: ContentItem
    zone: str
    """``header``, ``footer``, ``margin``, or ``LAST_LINE`` where it stands higher than a footer."""
    last: bool = False
    """Whether nothing of the page stands below or beside it."""

    @property
    def height(self) -> float:
        """Vertical middle, 0..1."""
        return (self.item.bbox[1] + self.item.bbox[3]) / 2


def margin_items(draft: Draft) -> list[Slot]:
    """The short texts in the margins, and the last line of each page at any height."""
    slots: list[Slot] = []
    last = {item.id for item in last_lines(draft.items)}
    shapes = {page.page_idx: page.height / page.width for page in draft.pages if "sideways" not in page.flags}
    for item in draft.items:
        if item.role not in TEXT_ROLES | FURNITURE_ROLES or not is_visible(item):
            continue
        if not item.text.strip() or len(item.text) > thresholds.MAX_CHARACTERS:
            continue
        # Notes of figures and tables repeat with what they explain.
        if caption_label(item.text) is not None or item.text.lstrip()[0] in "•●▪■➢►" or is_note(item.text):
            continue
        _, y0, _, y1 = item.bbox
        if item.page_idx in shapes and _is_margin_stamp(item, shapes[item.page_idx]):
            slots.append(Slot(item, "margin"))
        elif y1 <= thresholds.HEADER_BOTTOM:
            slots.append(Slot(item, "header"))
        elif y0 >= thresholds.FOOTER_TOP:
            slots.append(Slot(item, "footer", last=item.id in last))
        elif item.id in last:
            slots.append(Slot(item, LAST_LINE, last=True))
    return slots


def _is_margin_stamp(item: ContentItem, shape: float) -> bool:
    """A line of text that runs up or down the left or right edge, such as a preprint's number.

    ``shape`` is the page's height divided by its width.
    """
    x0, y0, x1, y1 = item.bbox
    at_side = x1 <= thresholds.SIDE_MARGIN or x0 >= 1 - thresholds.SIDE_MARGIN
    return (
        at_side
        and shape * (y1 - y0) > thresholds.STAMP_ELONGATION * (x1 - x0)
        and y1 - y0 > thresholds.MIN_STAMP_HEIGHT
    )
