"""Ink that nothing read of a page explains: nothing visible is lost without a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.pdf.page_model import FigureFound, RawPage
from cosee.parse.pdf.turning import seen_box

LEAST_DRAWING, LEAST_UNACCOUNTED = 0.0005, 0.0007
"""Shares of a page: of ink that makes a picture of a page with nothing else, and that nothing explains on another.
General knowledge: a line of text takes about 0.001."""
EDGE = 2.0
"""Points by which strokes and letters reach beyond their boxes."""


def whole_drawing(source: Any, page: RawPage) -> FigureFound | None:
    """What is drawn on a page of which nothing else was read, as one picture; ``source`` is the PDF's page."""
    if page.paper is None or page.turn is not None or any(not fragment.hidden for fragment in page.fragments):
        return None
    if not _painted(source):
        return None
    share, box = page.paper.ink_outside([])
    return FigureFound(box, "drawing", set()) if box is not None and share >= LEAST_DRAWING else None


def is_unaccounted(source: Any, page: RawPage, blocks: Iterable[BBox]) -> bool:
    """Whether a page that was drawn shows ink outside of its blocks, paths and pictures, and of what is smoothly
    shaded; pages that were not drawn, since nothing was doubted there, do not."""
    if page.paper is None or not page.paper.is_drawn or page.turn is not None:
        return False
    known = [*blocks, *(vector.bbox for vector in page.vectors), *(picture.bbox for picture in page.pictures)]
    known += [fragment.bbox for fragment in page.fragments]
    matrix = source.rotation_matrix if source.rotation else None
    known += [seen_box(box, matrix) for kind, box in _painted(source) if kind == "fill-shade"]
    grown = [(x0 - EDGE, y0 - EDGE, x1 + EDGE, y1 + EDGE) for x0, y0, x1, y1 in known]
    return page.paper.ink_outside(grown)[0] >= LEAST_UNACCOUNTED


def _painted(source: Any) -> list[tuple[str, BBox]]:
    try:
        return list(source.get_bboxlog())
    except pdf_faults():
        return []
