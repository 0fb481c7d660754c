"""Figures that are drawn in many pieces, put together on the evidence of the caption below them."""

from __future__ import annotations

import re
from statistics import median

from cosee.adapter import geometry
from cosee.adapter.page_model import FigureFound, RawPage
from cosee.artifacts.base import BBox

CAPTION = re.compile(
    r"^(?:fig(?:ure|\.)?|table|tab\.|chart|exhibit|scheme|plate|abb(?:ildung|\.)|tabelle|figura|tableau|source|图|圖|図|表)\s*"
    r"[\dA-ZIVX一二三四五六七八九十：:]",
    re.IGNORECASE,
)
_FIGURE = re.compile(
    r"^(?:fig(?:ure|\.)?|chart|exhibit|abb(?:ildung|\.)|figura|图|圖|図)\s*[\dA-ZIVX]+\s*[.:|–—\-]?", re.I
)
MAX_GAP = 60.0
"""Largest distance in points between a caption and its figure, and between the pieces of one."""
MAX_RASTER_GAP = 30.0
"""A picture further above what is joined already is a figure of its own."""
PROSE_WORDS = 8
PANEL_SHARE = 0.15
"""A piece with at least this share of the whole is a panel; figures of several panels stay apart (later joined)."""


def joined_by_caption(page: RawPage, figures: list[FigureFound], taken: set[int]) -> list[FigureFound]:
    """The figures, with the pieces between a paragraph and a caption joined into one.

    Panels (pictures or charts that are large parts of the whole) stay apart: they are figures of their own kind, and
    a later stage joins what has one caption.
    """
    for n, fragment in enumerate(page.fragments):
        if n in taken or fragment.hidden or fragment.rotated or not _FIGURE.match(fragment.text):
            continue
        figures = _joined(page, figures, fragment.bbox, n)
    return figures


def _joined(page: RawPage, figures: list[FigureFound], caption: BBox, index: int) -> list[FigureFound]:
    apart = [f for f in figures if set(f.flags) & {"background", "page_scan", "page_image"}]
    region = _region(page, [f for f in figures if f not in apart], caption, index)
    if region is None:
        return figures
    members = [f for f in figures if f not in apart and geometry.center_inside(f.bbox, region, 1.0)]
    if not members:
        return figures
    panels = [f for f in members if geometry.area(f.bbox) >= PANEL_SHARE * geometry.area(region)]
    if len(panels) >= 2 and all(f.kind == "image" or _is_chart(f) for f in panels):
        return figures
    if len(members) == 1 and geometry.area(region) < 1.1 * geometry.area(members[0].bbox):
        return figures
    inside = {
        n
        for n, f in enumerate(page.fragments)
        if not f.hidden and n != index and geometry.center_inside(f.bbox, region, 1.0)
    }
    flags = list(dict.fromkeys(flag for f in members for flag in f.flags if flag != "decoration"))
    whole = FigureFound(region, "drawing", inside | {n for f in members for n in f.fragments}, flags)
    if len(members) == 1:
        whole.kind, whole.identity = members[0].kind, None
    return [f for f in figures if f not in members] + [whole]


def _is_chart(figure: FigureFound) -> bool:
    return any(flag.startswith("chart:") for flag in figure.flags)


def _region(page: RawPage, figures: list[FigureFound], caption: BBox, index: int) -> BBox | None:
    """The box of the pictures and paths between the caption and the text above it, or None."""
    pieces = [f.bbox for f in figures]
    pieces += [
        v.bbox
        for v in page.vectors
        if geometry.area(v.bbox) < 0.5 * page.width * page.height and not (v.rectangular and v.color == 0xFFFFFF)
    ]
    pieces = [box for box in pieces if (box[1] + box[3]) / 2 < caption[1] and caption[1] - box[3] < page.height]
    wide = _column(page, caption, index)
    top = max((box[3] for box in _prose(page, pieces, wide, index) if box[3] <= caption[1] + 2), default=0.0)
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
    return region if geometry.height(region) >= 30 and geometry.width(region) >= 40 else None


def _column(page: RawPage, caption: BBox, index: int) -> BBox:
    """The horizontal extent that belongs to a caption: its own lines, and the text column they stand in."""
    box = caption
    for n, fragment in enumerate(page.fragments):
        if n == index or fragment.hidden or fragment.rotated or len(fragment.text.split()) < PROSE_WORDS:
            continue
        if geometry.contains((fragment.bbox[0], 0, fragment.bbox[2], page.height), caption, 3.0):
            box = geometry.union((box, (fragment.bbox[0], caption[1], fragment.bbox[2], caption[3])))
    return box


def _prose(page: RawPage, pieces: list[BBox], column: BBox, index: int) -> list[BBox]:
    """Lines of running text in the column that are not inside a piece of the figure, and other captions."""
    sizes = [f.size for f in page.fragments if not f.hidden and len(f.text) > 30]
    body = median(sizes) if sizes else 10.0
    filled = [box for box in pieces if geometry.height(box) > 12 and geometry.width(box) > 30]
    found = []
    for n, f in enumerate(page.fragments):
        if n == index or f.hidden or f.rotated or geometry.overlap_x(f.bbox, column) <= 0:
            continue
        long = len(f.text.split()) >= PROSE_WORDS and f.size >= 0.9 * body
        if (long and not any(geometry.center_inside(f.bbox, box) for box in filled)) or CAPTION.match(f.text):
            found.append(f.bbox)
    return found
