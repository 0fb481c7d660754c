"""Figures that are drawn in many pieces, put together on the evidence of the caption below or above them."""

from __future__ import annotations

import re

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.figures import thresholds
from cosee.parse.pdf.page_model import FigureFound, RawPage, TableFound
from cosee.parse.pdf.page_text import PageText
from cosee.text.caption_words import CAPTION, FIGURE_CAPTION

_TITLE = re.compile(r"\S+\s*[^\s]*\d[\w.\-–]*[)\]]?\s*(?:[:：.|–—\-]|$|[^a-z\s])|\S+\s+[A-ZIVX]+\s*(?:[:.|–—\-]|$)")
"""A caption that a sentence about a figure ("Figure 3 shows") does not open like."""
WHOLE_PAGE = {"background", "page_scan", "page_image"}
"""Flags of a picture that is the ground of its page or the page itself."""


def joined_by_caption(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound]
) -> list[FigureFound]:
    """The figures, with the pieces between running text and a caption joined into one.

    Panels (pictures or charts that are large parts of the whole) stay apart: they are figures of their own kind, and
    a later stage joins what has one caption. Paths above a caption that no other evidence made a figure become one.
    """
    held = {n for table in tables for n in table.fragments}
    captions = [
        n
        for n, fragment in enumerate(page.fragments)
        if text.captions[n] and n not in held and not fragment.rotated and FIGURE_CAPTION.match(fragment.text)
    ]
    for n in captions if len(captions) <= thresholds.MAX_CAPTIONS else []:
        figures = _joined_at_caption(page, text, figures, tables, n)
    return figures


def _joined_at_caption(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound], index: int
) -> list[FigureFound]:
    movable = [f for f in figures if not set(f.flags) & WHOLE_PAGE]
    pieces = _pieces(page, text, movable, tables, index)
    members = [f for f in movable if f.bbox in pieces]
    if not pieces or not (members or _TITLE.match(page.fragments[index].text)):
        return figures
    region = geometry.union(pieces)
    if geometry.width(region) < thresholds.MIN_JOINED_WIDTH or geometry.height(region) < thresholds.MIN_JOINED_HEIGHT:
        return figures
    members = [f for f in movable if geometry.center_inside(f.bbox, region, thresholds.SLACK)]
    if not members and not _has_picture(page, pieces):
        return figures
    panels = [f for f in members if geometry.area(f.bbox) >= thresholds.PANEL_SHARE * geometry.area(region)]
    if len(panels) >= 2 and all(f.kind == "image" or _is_chart(f) for f in panels) and not _one_picture(panels, pieces):
        return figures
    if len(members) == 1 and geometry.area(region) < thresholds.GROWN * geometry.area(members[0].bbox):
        return figures
    inside = {n for n in text.inside(region, thresholds.SLACK).tolist() if n != index}
    flags = list(dict.fromkeys(flag for f in members for flag in f.flags if flag != "decoration"))
    whole = FigureFound(region, "drawing", inside | {n for f in members for n in f.fragments}, flags)
    if len(members) == 1:
        whole.kind, whole.identity = members[0].kind, None
    return [f for f in figures if f not in members] + [whole]


def _has_picture(page: RawPage, pieces: list[BBox]) -> bool:
    """Whether the paths are more than rules and the frame of text."""
    return bool(page.vectors) and any(min(geometry.sides(box)) > thresholds.MIN_PIECE for box in pieces)


def _is_chart(figure: FigureFound) -> bool:
    return any(flag.startswith("chart:") for flag in figure.flags)


def _one_picture(panels: list[FigureFound], pieces: list[BBox]) -> bool:
    """Whether everything hangs together: the pieces of one picture, not a row of panels of equal size."""
    if len(pieces) > thresholds.MAX_PIECES or len(geometry.clusters(pieces, thresholds.PIECES_TOUCH)) > 1:
        return False
    wide = [geometry.width(f.bbox) for f in panels]
    high = [geometry.height(f.bbox) for f in panels]
    return max(wide) > thresholds.UNEVEN_PANELS * min(wide) or max(high) > thresholds.UNEVEN_PANELS * min(high)


def _pieces(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound], index: int
) -> list[BBox]:
    """The boxes of the pictures and paths between the caption and the text above it; below it where none are above."""
    pieces = [f.bbox for f in figures]
    if len(page.vectors) <= thresholds.MAX_PIECES:
        pieces += [
            v.bbox
            for v in page.vectors
            if geometry.area(v.bbox) < thresholds.MAX_PIECE_SHARE * page.width * page.height
            and not (v.rectangular and v.color == 0xFFFFFF)
            and not any(geometry.center_inside(v.bbox, table.bbox, thresholds.TABLE_MARGIN) for table in tables)
        ]
    caption = page.fragments[index].bbox
    wide = _column(page, text, caption, index)
    barriers = _barriers(text, pieces, tables, wide, index)
    least = thresholds.UNDER_CAPTION
    under = [box for box in pieces if geometry.overlap_length_x(box, wide) >= least * geometry.width(box)]
    rasters = [f.bbox for f in figures if f.kind == "image"]
    chosen = _reached(under, barriers, rasters, caption)
    if not chosen:
        under, barriers, rasters = ([_flipped(box) for box in boxes] for boxes in (under, barriers, rasters))
        chosen = [_flipped(box) for box in _reached(under, barriers, rasters, _flipped(caption))]
    return _grown(chosen, pieces, text) if chosen else []


def _grown(chosen: list[BBox], pieces: list[BBox], text: PageText) -> list[BBox]:
    """The chosen pieces and those that lie across their edge, unless these reach into running text."""
    for _ in range(thresholds.GROWING_ROUNDS):
        whole = geometry.union(chosen)
        outside = text.prose.copy()
        outside[text.inside(whole, thresholds.SLACK)] = False
        more = [
            box
            for box in pieces
            if geometry.intersection(box, whole) > thresholds.ACROSS_EDGE * geometry.area(box)
            and not geometry.contains(whole, box, thresholds.SLACK)
            and not text.touches(box, outside)
        ]
        if not more:
            break
        chosen = chosen + more
    return chosen


def _reached(pieces: list[BBox], barriers: list[BBox], rasters: list[BBox], caption: BBox) -> list[BBox]:
    """Pieces above a caption, as far up as the gaps are small and no barrier stands between."""
    lowest = caption[1] + thresholds.BARRIER_OVERLAP
    top = max((box[3] for box in barriers if box[3] <= lowest), default=float("-inf"))
    bottom = caption[1]
    chosen: list[BBox] = []
    for box in sorted(pieces, key=lambda b: -b[3]):
        middle = (box[1] + box[3]) / 2
        if not top < middle < caption[1]:
            continue
        further = chosen and box in rasters
        if bottom - box[3] > (thresholds.MAX_RASTER_GAP if further else thresholds.MAX_CAPTION_GAP):
            break
        chosen.append(box)
        bottom = min(bottom, box[1])
    return chosen


def _flipped(box: BBox) -> BBox:
    return box[0], -box[3], box[2], -box[1]


def _column(page: RawPage, text: PageText, caption: BBox, index: int) -> BBox:
    """The horizontal extent that belongs to a caption: its own lines, and the text column they stand in."""
    box = caption
    for n in text.prose.nonzero()[0].tolist():
        line = page.fragments[n].bbox
        edge = thresholds.COLUMN_EDGE
        if n != index and line[0] <= caption[0] + edge and line[2] >= caption[2] - edge:
            box = geometry.union((box, (line[0], caption[1], line[2], caption[3])))
    return box


def _barriers(text: PageText, pieces: list[BBox], tables: list[TableFound], column: BBox, index: int) -> list[BBox]:
    """Lines of running text in the column that are not inside a piece of the figure, other captions, tables."""
    grounds = [
        box
        for box in pieces
        if geometry.height(box) > thresholds.MIN_GROUND_HEIGHT and geometry.width(box) > thresholds.MIN_GROUND_WIDTH
    ]
    found = [table.bbox for table in tables if geometry.overlap_length_x(table.bbox, column) > 0]
    large = text.sizes >= thresholds.BARRIER_SIZE * text.body
    long = text.prose & (text.words >= thresholds.BARRIER_WORDS) & large
    for n in (long | text.captions).nonzero()[0].tolist():
        x0, y0, x1, y1 = text.boxes[n].tolist()
        box = (x0, y0, x1, y1)
        if n == index or geometry.overlap_length_x(box, column) <= 0:
            continue
        if text.captions[n] or not any(geometry.center_inside(box, piece) for piece in grounds):
            found.append(box)
    return found


def caption_between_columns(page: RawPage, free: list[int], found: FigureFound | TableFound) -> list[int]:
    """The lines of a caption below a float that columns of text run around, on both sides of it."""
    left, _, right, bottom = found.bbox
    inner: list[int] = []
    for n in sorted(free, key=lambda n: page.fragments[n].bbox[1]):
        fragment = page.fragments[n]
        box = fragment.bbox
        slack = thresholds.BETWEEN_COLUMNS
        below = -slack <= box[1] - bottom <= geometry.height(box)
        if not below or box[0] < left - slack or box[2] > right + slack:
            continue
        beside = [page.fragments[m].bbox for m in free if geometry.overlap_length_y(page.fragments[m].bbox, box) > 0]
        walled = any(other[2] <= left for other in beside) and any(other[0] >= right for other in beside)
        if not walled or not (inner or CAPTION.match(fragment.text)):
            break
        inner.append(n)
        bottom = max(bottom, box[3])
    return inner
