"""Figures that are drawn in many pieces, put together on the evidence of the caption below or above them."""

from __future__ import annotations

from cosee.adapter import geometry
from cosee.adapter.caption_words import FIGURE_CAPTION
from cosee.adapter.page_model import FigureFound, RawPage, TableFound
from cosee.adapter.page_text import PageText
from cosee.artifacts.base import BBox

MAX_GAP = 60.0
"""Largest distance in points between a caption and its figure, and between the pieces of one."""
MAX_RASTER_GAP = 30.0
"""A picture further from what is joined already is a figure of its own."""
PANEL_SHARE = 0.15
"""A piece with at least this share of the whole is a panel; figures of several panels stay apart (later joined)."""
TOUCHING = 4.0
MIN_WIDTH, MIN_HEIGHT = 40.0, 30.0
MAX_PIECES = 4_000
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
    for n in captions:
        figures = _joined(page, text, figures, tables, n)
    return figures


def _joined(
    page: RawPage, text: PageText, figures: list[FigureFound], tables: list[TableFound], index: int
) -> list[FigureFound]:
    caption = page.fragments[index].bbox
    movable = [f for f in figures if not set(f.flags) & _APART]
    region = _region(page, text, movable, tables, caption, index)
    if region is None:
        return figures
    members = [f for f in movable if geometry.center_inside(f.bbox, region, 1.0)]
    panels = [f for f in members if geometry.area(f.bbox) >= PANEL_SHARE * geometry.area(region)]
    if len(panels) >= 2 and all(f.kind == "image" or _is_chart(f) for f in panels) and not _overlapping(panels):
        return figures
    if len(members) == 1 and geometry.area(region) < 1.1 * geometry.area(members[0].bbox):
        return figures
    inside = {n for n in text.inside(region, 1.0).tolist() if n != index}
    flags = list(dict.fromkeys(flag for f in members for flag in f.flags if flag != "decoration"))
    whole = FigureFound(region, "drawing", inside | {n for f in members for n in f.fragments}, flags)
    if len(members) == 1:
        whole.kind, whole.identity = members[0].kind, None
    return [f for f in figures if f not in members] + [whole]


def _is_chart(figure: FigureFound) -> bool:
    return any(flag.startswith("chart:") for flag in figure.flags)


def _overlapping(panels: list[FigureFound]) -> bool:
    """Whether pictures lie on or against one another: the pieces of one, not a row of panels of equal size."""
    together = len(geometry.clusters([f.bbox for f in panels], TOUCHING)) == 1
    wide = [geometry.width(f.bbox) for f in panels]
    high = [geometry.height(f.bbox) for f in panels]
    alike = max(wide) <= 1.1 * min(wide) and max(high) <= 1.1 * min(high)
    return together and not alike


def _region(
    page: RawPage,
    text: PageText,
    figures: list[FigureFound],
    tables: list[TableFound],
    caption: BBox,
    index: int,
) -> BBox | None:
    """The box of the pictures and paths between the caption and the text above it, or None."""
    pieces = [f.bbox for f in figures]
    if len(page.vectors) <= MAX_PIECES:
        pieces += [
            v.bbox
            for v in page.vectors
            if geometry.area(v.bbox) < 0.5 * page.width * page.height
            and not (v.rectangular and v.color == 0xFFFFFF)
            and not any(geometry.center_inside(v.bbox, table.bbox, 3.0) for table in tables)
        ]
    pieces = [box for box in pieces if (box[1] + box[3]) / 2 < caption[1]]
    wide = _column(page, text, caption, index)
    top = max((box[3] for box in _barriers(text, pieces, tables, wide, index) if box[3] <= caption[1] + 2), default=0.0)
    pieces = [
        box
        for box in pieces
        if (box[1] + box[3]) / 2 > top and geometry.overlap_x(box, wide) >= 0.5 * geometry.width(box)
    ]
    bottom = caption[1]
    chosen: list[BBox] = []
    rasters = {f.bbox for f in figures if f.kind == "image"}
    for box in sorted(pieces, key=lambda b: -b[3]):
        if bottom - box[3] > (MAX_RASTER_GAP if chosen and box in rasters else MAX_GAP):
            break
        chosen.append(box)
        bottom = min(bottom, box[1])
    if not chosen:
        return None
    region = geometry.union(chosen)
    high, across = geometry.height(region), geometry.width(region)
    return region if high >= MIN_HEIGHT and across >= MIN_WIDTH else None


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
    found = [table.bbox for table in tables if geometry.overlap_x(table.bbox, column) > 0]
    long = text.prose & (text.words >= 4) & (text.sizes >= 0.9 * text.body)
    for n in (long | text.captions).nonzero()[0].tolist():
        x0, y0, x1, y1 = text.boxes[n].tolist()
        box = (x0, y0, x1, y1)
        if n == index or geometry.overlap_x(box, column) <= 0:
            continue
        if text.captions[n] or not any(geometry.center_inside(box, piece) for piece in filled):
            found.append(box)
    return found
