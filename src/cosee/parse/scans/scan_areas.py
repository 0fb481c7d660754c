"""Pictures and ruling lines of a page that is one picture: what a file made by a program would say of them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging import ink
from cosee.models.vision import area_detector
from cosee.parse.pdf.page_model import Fragment
from cosee.parse.scans.reading_need import LOOK_DPI
from cosee.text.caption_words import FIGURE_CAPTION

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

PROSE, DENSE, SPARSE = 6, 0.25, 0.04
"""Words of a line of running text; the share of a picture that its lines, or the cells of a table, cover."""
CAPTION_REACH = 30.0
OF_INK = 0.2
"""Share of a detected figure that ink beside words and lines covers."""
INSIDE = 0.6
"""Share of an area that lies in another one of which it is a part."""


def find_areas(gray: Gray, dpi: int, words: list[BBox]) -> tuple[list[BBox], list[BBox]]:
    """Figures, and straight lines outside of them, in pixels of the upright picture; ``words`` are those read on it.

    Ink that is neither a word nor a line tells what is a figure; where the weights of the detector of page areas are
    there, its figures are taken that hold such ink, so that a table or a letter is none.
    """
    small, factor = ink.reduced(gray, dpi, LOOK_DPI)
    marks = ink.dark(small, LOOK_DPI)
    lines = ink.rules(marks, LOOK_DPI)
    figures = ink.blots(small, LOOK_DPI, [geometry.scaled(box, 1 / factor) for box in words], lines)
    if area_detector.is_available():
        figures = [box for box in _detected(small) if _holds_ink(box, figures)]
    outside = [line for line in lines if not any(geometry.center_inside(line, figure, 4.0) for figure in figures)]
    return [geometry.scaled(box, factor) for box in figures], [geometry.scaled(box, factor) for box in outside]


def is_picture_of_text(inside: list[Fragment], box: BBox, others: list[Fragment]) -> bool:
    """Whether what was recognised in a picture (``inside``) is all that it shows: paragraphs, or rows of a table.

    A picture with the caption of a figure (among ``others``) stays a figure.
    """
    if not inside or any(_captions_figure(fragment, box) for fragment in others):
        return False
    share = sum(geometry.area(f.bbox) for f in inside) / max(geometry.area(box), 1.0)
    prose = sum(1 for f in inside if f.text.count(" ") >= PROSE - 1)
    if prose >= 2 and share >= DENSE and 2 * prose >= len(inside):
        return True
    rows: list[int] = []
    last = inside[0].bbox
    for fragment in sorted(inside, key=lambda f: f.bbox[1] + f.bbox[3]):
        high = min(geometry.height(fragment.bbox), geometry.height(last))
        if rows and geometry.overlap_length_y(fragment.bbox, last) >= 0.5 * high:
            rows[-1] += 1
        else:
            rows.append(1)
        last = fragment.bbox
    full = sum(1 for count in rows if count >= 2)
    return full >= 3 and full >= 0.7 * len(rows) and share >= SPARSE


def _captions_figure(fragment: Fragment, box: BBox) -> bool:
    near = geometry.distance(fragment.bbox, box) <= CAPTION_REACH
    return near and not fragment.hidden and FIGURE_CAPTION.match(fragment.text) is not None


def _holds_ink(box: BBox, blots: list[BBox]) -> bool:
    return sum(geometry.intersection(box, blot) for blot in blots) >= OF_INK * geometry.area(box)


def _detected(gray: Gray) -> list[BBox]:
    areas = area_detector.detect(gray)
    figures = sorted((a.bbox for a in areas if a.kind == "figure"), key=geometry.area, reverse=True)
    tables = [a.bbox for a in areas if a.kind == "table"]
    kept: list[BBox] = []
    for box in figures:
        if not any(geometry.intersection(box, other) > INSIDE * geometry.area(box) for other in (*kept, *tables)):
            kept.append(box)
    return sorted(kept, key=lambda box: (box[1], box[0]))
