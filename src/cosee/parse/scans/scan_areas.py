"""Pictures and ruling lines of a page that is one picture: what a file made by a program would say of them itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.imaging import ink
from cosee.models.vision import area_detector
from cosee.parse.pdf.page_model import Fragment
from cosee.parse.scans import thresholds
from cosee.parse.scans.thresholds import LOOK_DPI
from cosee.text.caption_words import FIGURE_CAPTION

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray


def find_areas(gray: Gray, dpi: int, words: list[BBox]) -> tuple[list[BBox], list[BBox]]:
    """Figures, and straight lines outside of them, in pixels of the upright picture; ``words`` are those read on it.

    Ink that is neither a word nor a line tells what is a figure; where the weights of the detector of page areas are
    there, its figures are taken that hold such ink, so that a table or a letter is none.
    """
    small, factor = ink.reduced(gray, dpi, LOOK_DPI)
    lines = ink.rules(ink.dark(small, LOOK_DPI), LOOK_DPI)
    figures = ink.blots(small, LOOK_DPI, [geometry.scaled(box, 1 / factor) for box in words], lines)
    if area_detector.is_available():
        figures = [box for box in _detected(small) if _holds_ink(box, figures)]
    slack = thresholds.LINE_TOLERANCE
    outside = [line for line in lines if not any(geometry.center_inside(line, figure, slack) for figure in figures)]
    return [geometry.scaled(box, factor) for box in figures], [geometry.scaled(box, factor) for box in outside]


def is_picture_of_text(inside: list[Fragment], box: BBox, others: list[Fragment]) -> bool:
    """Whether what was recognised in a picture (``inside``) is all that it shows: paragraphs, or rows of a table.

    A picture with the caption of a figure (among ``others``) stays a figure.
    """
    if not inside or any(_captions_figure(fragment, box) for fragment in others):
        return False
    share = sum(geometry.area(f.bbox) for f in inside) / max(geometry.area(box), 1.0)
    prose = sum(f.text.count(" ") + 1 >= thresholds.PROSE_WORDS for f in inside)
    enough = prose >= max(thresholds.PROSE_LINES, thresholds.PROSE_SHARE * len(inside))
    if enough and share >= thresholds.PROSE_COVER:
        return True
    rows: list[int] = []
    last = inside[0].bbox
    for fragment in sorted(inside, key=lambda f: f.bbox[1] + f.bbox[3]):
        high = min(geometry.height(fragment.bbox), geometry.height(last))
        if rows and geometry.overlap_length_y(fragment.bbox, last) >= thresholds.SAME_ROW * high:
            rows[-1] += 1
        else:
            rows.append(1)
        last = fragment.bbox
    full = sum(count >= 2 for count in rows)
    enough = full >= max(thresholds.TABLE_ROWS, thresholds.TABLE_SHARE * len(rows))
    return enough and share >= thresholds.TABLE_COVER


def _captions_figure(fragment: Fragment, box: BBox) -> bool:
    near = geometry.distance(fragment.bbox, box) <= thresholds.CAPTION_REACH
    return near and not fragment.hidden and FIGURE_CAPTION.match(fragment.text) is not None


def _holds_ink(box: BBox, blots: list[BBox]) -> bool:
    return sum(geometry.intersection(box, blot) for blot in blots) >= thresholds.FIGURE_INK * geometry.area(box)


def _detected(gray: Gray) -> list[BBox]:
    areas = area_detector.detect(gray)
    figures = sorted((a.bbox for a in areas if a.kind == "figure"), key=geometry.area, reverse=True)
    tables = [a.bbox for a in areas if a.kind == "table"]
    kept: list[BBox] = []
    for box in figures:
        most = thresholds.PART_SHARE * geometry.area(box)
        if not any(geometry.intersection(box, other) > most for other in (*kept, *tables)):
            kept.append(box)
    return sorted(kept, key=lambda box: (box[1], box[0]))
