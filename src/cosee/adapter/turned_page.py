"""Pages that are seen sideways, upside down or askew: laid out upright, told as seen."""

from __future__ import annotations

from collections.abc import Callable

from cosee.adapter import geometry
from cosee.adapter.page_model import FigureFound, Fragment, RawPage
from cosee.artifacts.base import BBox
from cosee.artifacts.layout import LayoutBlock, Span
from cosee.imaging.upright import Turn


def turn_page(page: RawPage, turn: Turn) -> None:
    """Turn everything on a page, in place; ``page.turn`` leads back."""
    if not turn.degrees:
        return
    for fragment in page.fragments:
        move(fragment, turn.forward)
    for vector in page.vectors:
        vector.bbox = turn.forward(vector.bbox)
    for picture in page.pictures:
        picture.bbox = turn.forward(picture.bbox)
    page.width, page.height = turn.turned_size
    page.turn = turn
    page.flags.append("turned")


def turn_back(turn: Turn, blocks: list[LayoutBlock], figures: list[FigureFound]) -> None:
    """Boxes of a page that was laid out upright, as those of the page as seen."""
    bounds = (0.0, 0.0, turn.width, turn.height)

    def back(box: BBox) -> BBox:
        return geometry.rounded(geometry.clamp(turn.back(box), bounds))

    spans: dict[int, Span] = {}
    for block in blocks:
        block.bbox = back(block.bbox)
        for line in block.lines:
            line.bbox = back(line.bbox)
            spans.update((id(span), span) for span in line.spans)
    for span in spans.values():
        span.bbox = back(span.bbox)
    for figure in figures:
        figure.bbox = back(figure.bbox)


def move(fragment: Fragment, change: Callable[[BBox], BBox]) -> None:
    """Give a fragment, its words and spans other boxes."""
    fragment.bbox = change(fragment.bbox)
    for word in fragment.words:
        word.bbox = change(word.bbox)
    for span in fragment.spans:
        span.bbox = geometry.rounded(change(span.bbox))
