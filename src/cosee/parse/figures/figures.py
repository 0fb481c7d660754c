"""Figures of a page: raster pictures and drawings, with the labels that belong to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts.axes import MIN_TICKS
from cosee.parse.charts.form import is_number
from cosee.parse.charts.reading import read_chart
from cosee.parse.figures.caption_join import joined_by_caption
from cosee.parse.figures.drawings import find_drawings
from cosee.parse.figures.frame_join import joined_by_frame
from cosee.parse.pdf.outlines import paths_in
from cosee.parse.pdf.page_model import FigureFound, Picture, RawPage, TableFound
from cosee.parse.pdf.page_text import PageText, page_text, shown_area
from cosee.parse.pdf.visibility import PAGE_COVER

MIN_SIDE = 16.0
MIN_SHARE = 0.002
"""A picture with a smaller share of the page is decoration."""
MIN_IN_CELL = 10.0
"""Smallest side of a picture that counts in a table's cell."""
MAX_ASPECT = 25.0
MAX_FIGURES = 200
MANY_PICTURES = 40
FLAT = 64
"""A bitmap of fewer pixels shows nothing: it fills a shape with a colour."""
MAX_LABEL = 7
"""Words of a label inside a figure."""
MAX_PATHS = 3_000
"""Paths of a drawing without labels that is still looked at as a chart."""
MAX_SHADOW, MIN_COVERED = 2.6, 0.3
"""A picture at most this many font sizes high, of which text covers at least this share, is the ground of text."""
STRIP = 8.0
"""Pictures this many times as long as high are strips."""
MAX_PARTS = 64
"""Strips and tiles of one picture that are told one by one."""
MARGIN, MAX_LOGO = 0.1, 0.005
"""A picture with a smaller share of the page, within this share of its height from the top or foot and beyond all text,
is a logo."""
_READABLE = {"chart:line", "chart:bar", "chart:scatter"}
"""Forms whose marks outlines would show: without any the guess was wrong."""
_WHOLE_PAGE = {"background", "page_scan", "page_image"}
_APART = _WHOLE_PAGE | {"decoration"}


def find_figures(page: RawPage, tables: list[TableFound]) -> list[FigureFound]:
    """Pictures and drawings, from top to bottom; labels inside a drawing belong to it."""
    if not page.pictures and not page.vectors:
        return []
    text = page_text(page)
    taken = {n for table in tables for n in table.fragments}
    figures = _pictures(page, tables)
    for figure in figures:
        if _shadows_text(text, figure):
            figure.flags, figure.crop = ["decoration"], False
        if not figure.flags:
            figure.fragments = _overlaid_labels(page, text, figure, taken)
            taken |= figure.fragments
    drawings = find_drawings(page, text, tables, taken)
    figures = joined_by_frame(page, text, _combined(figures, drawings))
    figures = joined_by_caption(page, text, figures, tables)
    _absorb(text, figures, tables)
    if len(figures) > MAX_FIGURES:
        page.flags += ["truncated", "too_many_figures"]
    figures = sorted(figures[:MAX_FIGURES], key=lambda f: (f.bbox[1], f.bbox[0]))
    _read_charts(page, figures)
    return figures


def _absorb(text: PageText, figures: list[FigureFound], tables: list[TableFound]) -> None:
    """Give short text that stands inside a drawing to it."""
    free = text.shown & ~text.captions & (text.words <= MAX_LABEL)
    free[sorted({n for table in tables for n in table.fragments} | {n for f in figures for n in f.fragments})] = False
    for figure in figures:
        if figure.kind == "drawing" and figure.crop:
            own = [n for n in text.inside(figure.bbox).tolist() if free[n]]
            figure.fragments |= set(own)
            free[own] = False


def _read_charts(page: RawPage, figures: list[FigureFound]) -> None:
    """Series and values of charts drawn with paths; what their outlines tell decides over the boxes' guess."""
    for figure in figures:
        guess = next((flag for flag in figure.flags if flag.startswith("chart:")), None)
        if not figure.crop or (figure.kind != "drawing" and guess is None):
            continue
        fragments = [page.fragments[n] for n in sorted(figure.fragments)]
        if guess is None and not _may_be_chart(page, figure, [fragment.text for fragment in fragments]):
            continue
        figure.chart = read_chart(figure.bbox, paths_in(page, figure.bbox), fragments, guess)
        if figure.chart is not None or guess in _READABLE:
            figure.flags = [flag for flag in figure.flags if not flag.startswith("chart:")]
        if figure.chart is not None:
            if page.mirrored:
                for series in figure.chart.series:
                    series.points.reverse()
            figure.flags.append(f"chart:{figure.chart.form}")


def _may_be_chart(page: RawPage, figure: FigureFound, labels: list[str]) -> bool:
    """Whether outlines are worth reading: there are tick labels, or hardly any labels at all (they may be outlines)."""
    if len(labels) >= MIN_TICKS:
        return sum(1 for label in labels if is_number(label)) >= MIN_TICKS
    paths = sum(1 for v in page.vectors if geometry.center_inside(v.bbox, figure.bbox))
    return 2 <= paths <= MAX_PATHS


def _pictures(page: RawPage, tables: list[TableFound]) -> list[FigureFound]:
    page_area = max(page.width * page.height, 1.0)
    readable = any(not f.hidden and not f.ocr for f in page.fragments)
    found = []
    for picture in _tiles_joined(page.pictures, page_area):
        box = picture.bbox
        wide, high = geometry.width(box), geometry.height(box)
        figure = FigureFound(box, "image", set(), identity=picture.identity, parts=picture.parts)
        if picture.is_text:
            figure.flags.append("page_scan")
        elif geometry.area(box) >= PAGE_COVER * page_area:
            if {"ocr_layer", "ocr"} & set(page.flags):
                figure.flags.append("page_scan")
            elif readable:
                figure.flags.append("background")
            else:
                figure.flags.append("page_image")
        elif (picture.pixels or FLAT) < FLAT or max(wide, high) > MAX_ASPECT * min(wide, high):
            figure.flags.append("decoration")
        elif min(wide, high) < MIN_SIDE or wide * high < MIN_SHARE * page_area:
            # A sign in a cell may be all that the cell says.
            if min(wide, high) >= MIN_IN_CELL and any(geometry.center_inside(box, table.bbox) for table in tables):
                found.append(figure)
                continue
            figure.flags.append("decoration")
        elif wide * high < MAX_LOGO * page_area and _in_margin(page, box):
            figure.flags.append("decoration")
        figure.crop = not set(figure.flags) & {"decoration", "background", "page_scan"}
        found.append(figure)
    return found


def _in_margin(page: RawPage, box: BBox) -> bool:
    """Whether a box is above or below all text, in the margin of the page."""
    text = page_text(page)
    shown = text.boxes[text.shown]
    if not len(shown):
        return False
    above = box[3] <= shown[:, 1].min() and box[3] <= page.bbox[1] + MARGIN * page.height
    below = box[1] >= shown[:, 3].max() and box[1] >= page.bbox[3] - MARGIN * page.height
    return bool(above or below)


def _tiles_joined(pictures: list[Picture], page_area: float) -> list[Picture]:
    """Strips and tiles of one picture (touching, equal in width or height) as one picture.

    On a page of very many pictures (artwork cut into snippets) all that lie close together are one.
    """
    joined = [p for p in pictures if geometry.area(p.bbox) >= PAGE_COVER * page_area]
    pictures = [p for p in pictures if geometry.area(p.bbox) < PAGE_COVER * page_area]
    mosaic = len(pictures) > MANY_PICTURES
    for group in geometry.clusters([p.bbox for p in pictures], 6.0 if mosaic else 1.0):
        members = [pictures[i] for i in group]
        box = geometry.union(p.bbox for p in members)
        if mosaic:
            joined.append(_as_one(box, members))
            continue
        tiled = sum(geometry.area(p.bbox) for p in members) <= 1.15 * geometry.area(box)
        even = len({round(geometry.width(p.bbox)) for p in members[:-1]}) == 1
        even = even or len({round(geometry.height(p.bbox)) for p in members[:-1]}) == 1
        strips = len(members) >= 3 and all(geometry.width(p.bbox) >= STRIP * geometry.height(p.bbox) for p in members)
        repeated = not strips and len({p.identity for p in members}) == 1 and bool(members[0].identity)
        covers = not repeated and sum(geometry.area(p.bbox) for p in members) >= 0.9 * geometry.area(box)
        if len(members) > 1 and tiled and even and covers:
            joined.append(_as_one(box, members))
        else:
            joined += members
    return joined


def _as_one(box: BBox, members: list[Picture]) -> Picture:
    pixels = None if any(p.pixels is None for p in members) else sum(p.pixels or 0 for p in members)
    parts = tuple(p.bbox for p in members) if len(members) <= MAX_PARTS else ()
    return Picture(box, tuple(n for p in members[:50] for n in p.identity), pixels, parts=parts)


def _shadows_text(text: PageText, figure: FigureFound) -> bool:
    """Whether a picture is the shadow or ground of one or two lines of text rather than a picture with labels."""
    if figure.flags:
        return False
    lines = text.inside(figure.bbox)
    if not len(lines):
        return False
    largest = float(text.sizes[lines].max())
    covered = shown_area(text, lines) / max(geometry.area(figure.bbox), 1.0)
    return geometry.height(figure.bbox) <= MAX_SHADOW * largest and covered >= MIN_COVERED


def _overlaid_labels(page: RawPage, text: PageText, figure: FigureFound, taken: set[int]) -> set[int]:
    """What was recognised in a picture, and short labels printed over it; running text over it is not its own."""
    b, box = text.boxes, figure.bbox
    within: NDArray[np.bool_] = (
        (b[:, 0] >= box[0] - 2) & (b[:, 1] >= box[1] - 2) & (b[:, 2] <= box[2] + 2) & (b[:, 3] <= box[3] + 2)
    )
    inside = [n for n in np.flatnonzero(within & text.shown).tolist() if n not in taken]
    recognised = {n for n in inside if page.fragments[n].ocr}
    printed = [n for n in inside if n not in recognised]
    words = text.words[printed]
    return recognised | set(printed) if printed and int(words.sum()) <= 40 and int(words.max()) <= 4 else recognised


def _combined(pictures: list[FigureFound], drawings: list[FigureFound]) -> list[FigureFound]:
    """Drawings over a picture (arrows, frames) join it; a drawing inside another one joins that."""
    kept = list(pictures)
    for drawing in sorted(drawings, key=lambda d: -geometry.area(d.bbox)):
        host = next((f for f in kept if not set(f.flags) & _APART and _joins(drawing, f)), None)
        if host is None:
            kept.append(drawing)
            continue
        over = geometry.intersection(host.bbox, drawing.bbox) >= 0.8 * geometry.area(drawing.bbox)
        host.bbox = geometry.union((host.bbox, drawing.bbox))
        host.fragments |= drawing.fragments
        if host.kind == "image" and not over:
            continue  # Lines that point into the picture.
        host.flags += [flag for flag in drawing.flags if flag.startswith("chart:") and flag not in host.flags]
    return _inside_dropped(kept)


def _joins(drawing: FigureFound, host: FigureFound) -> bool:
    """Whether a drawing lies on a picture or on another drawing; a small picture in a drawing is no host."""
    smaller = min(geometry.area(host.bbox), geometry.area(drawing.bbox))
    common = geometry.intersection(host.bbox, drawing.bbox)
    if host.kind == "drawing":
        return common >= 0.05 * smaller
    return common >= 0.15 * smaller and geometry.area(host.bbox) >= 0.4 * geometry.area(drawing.bbox)


def _inside_dropped(figures: list[FigureFound]) -> list[FigureFound]:
    """Decoration inside a figure, and pictures inside a drawing, are parts of it."""
    real = [f for f in figures if f.crop]
    kept = []
    for figure in figures:
        host = next((r for r in real if r is not figure and _part_of(figure, r, real)), None)
        if host is None:
            kept.append(figure)
        elif figure.crop:
            host.fragments |= figure.fragments
            host.bbox = geometry.union((host.bbox, figure.bbox))
    return kept


def _part_of(figure: FigureFound, host: FigureFound, others: list[FigureFound]) -> bool:
    if "decoration" in figure.flags and figure.kind != "image":
        return geometry.contains(host.bbox, figure.bbox, 2.0)
    if figure.kind != "image" or set(figure.flags) & _WHOLE_PAGE or set(host.flags) & _WHOLE_PAGE:
        return False
    common = geometry.intersection(figure.bbox, host.bbox) / max(geometry.area(figure.bbox), 1.0)
    if host.kind == "drawing":
        return common >= 0.6
    if common < 0.8:
        return False
    # Of a picture only what lies on it in pieces that overlap one another.
    beside = sum(1 for f in others if f is not host and geometry.intersection(f.bbox, figure.bbox) > 0)
    return geometry.area(host.bbox) >= 3 * geometry.area(figure.bbox) and beside >= 3
