"""Ink that nothing read of a page explains: nothing visible is lost without a word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cosee.artifacts.base import BBox
from cosee.imaging.pdf_faults import pdf_faults
from cosee.parse.figures import thresholds
from cosee.parse.pdf.page_model import FigureFound, RawPage
from cosee.parse.pdf.turning import seen_box


def whole_drawing(source: Any, page: RawPage) -> FigureFound | None:
    """What is drawn on a page of which nothing else was read, as one picture; ``source`` is the PDF's page."""
    if page.paper is None or page.turn is not None or any(not fragment.hidden for fragment in page.fragments):
        return None
    if not _painted(source):
        return None
    share, box = page.paper.ink_outside([])
    return FigureFound(box, "drawing", set()) if box is not None and share >= thresholds.MIN_INK else None


def is_unaccounted(source: Any, page: RawPage, blocks: Iterable[BBox]) -> bool:
    """Whether a page that was drawn shows ink outside of its blocks, paths and pictures, and of what is smoothly
    shaded; pages that were not drawn, since nothing was doubted there, do not."""
    if page.paper is None or not page.paper.is_drawn or page.turn is not None:
        return False
    known = [*blocks, *(vector.bbox for vector in page.vectors), *(picture.bbox for picture in page.pictures)]
    known += [fragment.bbox for fragment in page.fragments]
    matrix = source.rotation_matrix if source.rotation else None
    known += [seen_box(box, matrix) for kind, box in _painted(source) if kind == "fill-shade"]
    edge = thresholds.INK_EDGE
    grown = [(x0 - edge, y0 - edge, x1 + edge, y1 + edge) for x0, y0, x1, y1 in known]
    return page.paper.ink_outside(grown)[0] >= thresholds.MIN_INK_LEFT


def _painted(source: Any) -> list[tuple[str, BBox]]:
    try:
        return list(source.get_bboxlog())
    except pdf_faults():
        return []
