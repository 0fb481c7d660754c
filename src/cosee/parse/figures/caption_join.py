"""Figures that are drawn in many pieces, put together on the evidence of the caption below or above them."""

from __future__ import annotations

import re

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import FigureFound, RawPage, TableFound
from cosee.parse.pdf.page_text import PageText
from cosee.text.caption_words import CAPTION, FIGURE_CAPTION

MAX_GAP = 60.0
"""Largest distance in points between a caption and its figure, and between the pieces of one."""
MAX_RASTER_GAP = 30.0
"""A picture further from what is joined already is a figure of its own."""
PANEL_SHARE = 0.15
"""A piece with at least this share of the whole is a panel; figures of several panels stay apart (later joined)."""
TOUCHING = 6.0
MIN_WIDTH, MIN_HEIGHT = 40.0, 30.0
MAX_PIECES = 3_000
MAX_CAPTIONS = 40
"""A page with more lines that open like captions is a list of figures."""
_TITLE = re.compile(r"\S+\s*[^\s]*\d[\w.\-–]*[)\]]?\s*(?:[:：.|–—\-]|$|[^a-z\s])|\S+\s+[A-ZIVX]+\s*(?:[:.|–—\-]|$)")
"""A caption that a sentence about a figure ("Figure 3 shows") does not open like."""
_APART = {"background", "page_scan", "page_image"}


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
    for n in captions if len(captions) <= MAX_CAPTIONS else []:
        figures = _joined(page, text, figures, tables, n)
    return figures


def _joined(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound], index: int
) -> list[FigureFound]:
    movable = [f for f in figures if not set(f.flags) & _APART]
    pieces = _pieces(page, text, movable, tables, index)
    members = [f for f in movable if f.bbox in pieces]
    if not pieces or not (members or _TITLE.match(page.fragments[index].text)):
        return figures
    region = geometry.union(pieces)
    if geometry.height(region) < MIN_HEIGHT or geometry.width(region) < MIN_WIDTH:
        return figures
    members = [f for f in movable if geometry.center_inside(f.bbox, region, 1.0)]
    if not members and not _has_picture(page, pieces):
        return figures
    panels = [f for f in members if geometry.area(f.bbox) >= PANEL_SHARE * geometry.area(region)]
    if len(panels) >= 2 and all(f.kind == "image" or _is_chart(f) for f in panels) and not _one_picture(panels, pieces):
        return figures
    if len(members) == 1 and geometry.area(region) < 1.1 * geometry.area(members[0].bbox):
        return figures
    inside = {n for n in text.inside(region, 1.0).tolist() if n != index}
    flags = list(dict.fromkeys(flag for f in members for flag in f.flags if flag != "decoration"))
    whole = FigureFound(region, "drawing", inside | {n for f in members for n in f.fragments}, flags)
    if len(members) == 1:
        whole.kind, whole.identity = members[0].kind, None
    return [f for f in figures if f not in members] + [whole]


def _has_picture(page: RawPage, pieces: list[BBox]) -> bool:
    """Whether the paths are more than rules and the frame of text."""
    return sum(1 for box in pieces if min(geometry.width(box), geometry.height(box)) > 8) >= 1 and len(page.vectors) > 0


def _is_chart(figure: FigureFound) -> bool:
    return any(flag.startswith("chart:") for flag in figure.flags)


def _one_picture(panels: list[FigureFound], pieces: list[BBox]) -> bool:
    """Whether everything hangs together: the pieces of one picture, not a row of panels of equal size."""
    if len(pieces) > MAX_PIECES or len(geometry.clusters(pieces, TOUCHING)) > 1:
        return False
    wide = [geometry.width(f.bbox) for f in panels]
    high = [geometry.height(f.bbox) for f in panels]
    return max(wide) > 1.1 * min(wide) or max(high) > 1.1 * min(high)


def _pieces(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound], index: int
) -> list[BBox]:
    """The boxes of the pictures and paths between the caption and the text above it; below it where none are above."""
    pieces = [f.bbox for f in figures]
    if len(page.vectors) <= MAX_PIECES:
        pieces += [
            v.bbox
            for v in page.vectors
            if geometry.area(v.bbox) < 0.5 * page.width * page.height
            and not (v.rectangular and v.color == 0xFFFFFF)
            and not any(geometry.center_inside(v.bbox, table.bbox, 3.0) for table in tables)
        ]
    caption = page.fragments[index].bbox
    wide = _column(page, text, caption, index)
    barriers = _barriers(text, pieces, tables, wide, index)
    under = [box for box in pieces if geometry.overlap_length_x(box, wide) >= 0.5 * geometry.width(box)]
    rasters = [f.bbox for f in figures if f.kind == "image"]
    chosen = _reached(under, barriers, rasters, caption)
    if not chosen:
        turned = [[_flipped(box) for box in boxes] for boxes in (under, barriers, rasters)]
        flipped = _reached(turned[0], turned[1], turned[2], _flipped(caption))
        chosen = [_flipped(box) for box in flipped]
    return _grown(chosen, pieces, text) if chosen else []


def _grown(chosen: list[BBox], pieces: list[BBox], text: PageText) -> list[BBox]:
    """The chosen pieces and those that lie across their edge, unless these reach into running text."""
    for _ in range(3):
        whole = geometry.union(chosen)
        outside = text.prose.copy()
        outside[text.inside(whole, 1.0)] = False
        more = [
            box
            for box in pieces
            if geometry.intersection(box, whole) > 0.1 * geometry.area(box)
            and not geometry.contains(whole, box, 1.0)
            and not text.touches(box, outside)
        ]
        if not more:
            break
        chosen = chosen + more
    return chosen


def _reached(pieces: list[BBox], barriers: list[BBox], rasters: list[BBox], caption: BBox) -> list[BBox]:
    """Pieces above a caption, as far up as the gaps are small and no barrier stands between."""
    top = max((box[3] for box in barriers if box[3] <= caption[1] + 2), default=float("-inf"))
    bottom = caption[1]
    chosen: list[BBox] = []
    for box in sorted(pieces, key=lambda b: -b[3]):
        middle = (box[1] + box[3]) / 2
        if not top < middle < caption[1]:
            continue
        if bottom - box[3] > (MAX_RASTER_GAP if chosen and box in rasters else MAX_GAP):
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
        if n != index and line[0] <= caption[0] + 3 and line[2] >= caption[2] - 3:
            box = geometry.union((box, (line[0], caption[1], line[2], caption[3])))
    return box


def _barriers(text: PageText, pieces: list[BBox], tables: list[TableFound], column: BBox, index: int) -> list[BBox]:
    """Lines of running text in the column that are not inside a piece of the figure, other captions, tables."""
    filled = [box for box in pieces if geometry.height(box) > 12 and geometry.width(box) > 30]
    found = [table.bbox for table in tables if geometry.overlap_length_x(table.bbox, column) > 0]
    long = text.prose & (text.words >= 4) & (text.sizes >= 0.9 * text.body)
    for n in (long | text.captions).nonzero()[0].tolist():
        x0, y0, x1, y1 = text.boxes[n].tolist()
        box = (x0, y0, x1, y1)
        if n == index or geometry.overlap_length_x(box, column) <= 0:
            continue
        if text.captions[n] or not any(geometry.center_inside(box, piece) for piece in filled):
            found.append(box)
    return found


def caption_between_columns(page: RawPage, free: list[int], found: FigureFound | TableFound) -> list[int]:
    """The lines of a caption below a float that columns of text run around, on both sides of it."""
    left, _, right, bottom = found.bbox
    inner: list[int] = []
    for n in sorted(free, key=lambda n: page.fragments[n].bbox[1]):
        fragment = page.fragments[n]
        box = fragment.bbox
        below = -2 <= box[1] - bottom <= geometry.height(box)
        if not below or box[0] < left - 2 or box[2] > right + 2:
            continue
        beside = [page.fragments[m].bbox for m in free if geometry.overlap_length_y(page.fragments[m].bbox, box) > 0]
        walled = any(other[2] <= left for other in beside) and any(other[0] >= right for other in beside)
        if not walled or not (inner or CAPTION.match(fragment.text)):
            break
        inner.append(n)
        bottom = max(bottom, box[3])
    return inner
