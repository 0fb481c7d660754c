"""Pages that are seen sideways, upside down or askew are laid out upright."""

from __future__ import annotations

from collections.abc import Callable

from cosee.adapter import geometry
from cosee.adapter.page_model import Fragment, RawPage
from cosee.artifacts.base import BBox
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


def move(fragment: Fragment, change: Callable[[BBox], BBox]) -> None:
    """Give a fragment, its words and spans other boxes."""
    fragment.bbox = change(fragment.bbox)
    for word in fragment.words:
        word.bbox = change(word.bbox)
    for span in fragment.spans:
        span.bbox = geometry.rounded(change(span.bbox))
