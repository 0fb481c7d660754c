"""Pages that are seen sideways, upside down or askew are laid out upright."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging.upright import Turn
from cosee.parse.pdf.outlines import moved
from cosee.parse.pdf.page_model import DrawnPath, Fragment, RawPage


def turn_page(page: RawPage, turn: Turn) -> None:
    """Turn everything on a page, in place; ``page.turn`` leads back."""
    if not turn.degrees:
        return
    turn_boxes(page, turn.forward, turn.turned_size)
    page.outlines = cache(partial(_turned_outlines, page.outlines, turn))
    page.turn = turn
    page.flags += ["turned", *(["sideways"] if round(turn.degrees / 90) % 2 else [])]


def turn_boxes(page: RawPage, change: Callable[[BBox], BBox], size: tuple[float, float]) -> None:
    """Give everything on a page other boxes, and the page another size, in place."""
    for fragment in page.fragments:
        move(fragment, change)
    for vector in page.vectors:
        vector.bbox = change(vector.bbox)
    for picture in page.pictures:
        picture.bbox = change(picture.bbox)
    page.width, page.height = size


def _turned_outlines(outlines: Callable[[], list[DrawnPath]], turn: Turn) -> list[DrawnPath]:
    return [moved(path, turn.forward) for path in outlines()]


def move(fragment: Fragment, change: Callable[[BBox], BBox]) -> None:
    """Give a fragment, its words and spans other boxes."""
    fragment.bbox = change(fragment.bbox)
    for word in fragment.words:
        word.bbox = change(word.bbox)
    for span in fragment.spans:
        span.bbox = geometry.rounded(change(span.bbox))


def hold_upright(page: RawPage) -> None:
    """Turn a page whose text is set sideways or upside down, where nothing has turned it yet."""
    if page.turn is None and page.text_angle:
        turn_page(page, Turn(page.width, page.height, 360 - page.text_angle))
