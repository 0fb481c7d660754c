"""Pictures and ruling lines of a page that is one picture: what a file made by a program would say of them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosee.adapter import geometry
from cosee.adapter.reading_need import LOOK_DPI
from cosee.artifacts.base import BBox
from cosee.imaging import ink
from cosee.models import area_detector

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

INSIDE = 0.6
"""Share of an area that lies in another one of which it is a part."""


def find_areas(gray: Gray, dpi: int, words: list[BBox]) -> tuple[list[BBox], list[BBox]]:
    """Figures, and straight lines outside of them, in pixels of the upright picture; ``words`` are those read on it.

    The detector of page areas says what is a figure where its weights are there, else the ink that is neither a word
    nor a line does.
    """
    small, factor = ink.reduced(gray, dpi, LOOK_DPI)
    marks = ink.dark(small, LOOK_DPI)
    lines = ink.rules(marks, LOOK_DPI)
    figures = _detected(small) if area_detector.is_available() else None
    if figures is None:
        figures = ink.blots(small, LOOK_DPI, [_scaled(box, 1 / factor) for box in words], lines)
    outside = [line for line in lines if not any(geometry.center_inside(line, figure, 4.0) for figure in figures)]
    return [_scaled(box, factor) for box in figures], [_scaled(box, factor) for box in outside]


def _detected(gray: Gray) -> list[BBox]:
    areas = area_detector.detect(gray)
    figures = sorted((a.bbox for a in areas if a.kind == "figure"), key=geometry.area, reverse=True)
    tables = [a.bbox for a in areas if a.kind == "table"]
    kept: list[BBox] = []
    for box in figures:
        if not any(geometry.intersection(box, other) > INSIDE * geometry.area(box) for other in (*kept, *tables)):
            kept.append(box)
    return sorted(kept, key=lambda box: (box[1], box[0]))


def _scaled(box: BBox, factor: float) -> BBox:
    return box[0] * factor, box[1] * factor, box[2] * factor, box[3] * factor
