"""Figures of a page: raster pictures and drawings, with the labels that belong to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts.form import is_number
from cosee.parse.charts.reading import read_chart
from cosee.parse.charts.thresholds import MIN_TICKS
from cosee.parse.figures import thresholds
from cosee.parse.figures.caption_join import WHOLE_PAGE, joined_by_caption
from cosee.parse.figures.drawings import find_drawings
from cosee.parse.figures.frame_join import joined_by_frame
from cosee.parse.pdf.outlines import paths_in
from cosee.parse.pdf.page_model import FigureFound, Picture, RawPage, TableFound
from cosee.parse.pdf.page_text import PageText, page_text, shown_area
from cosee.parse.pdf.thresholds import PAGE_COVER

_READABLE = {"chart:line", "chart:bar", "chart:scatter"}
"""Forms whose marks outlines would show: without any the guess was wrong."""
_APART = WHOLE_PAGE | {"decoration"}
"""Flags of what no drawing joins."""


def find_figures(page: RawPage, tables: list[TableFound]) -> list[FigureFound]:
    """Pictures and drawings, from top to bottom; labels inside a drawing belong to it."""
    if not page.pictures and not page.vectors:
        return []
    text = page_text(page)
    taken = {n for table in tables for n in table.fragments}
    figures = _pictures(page, text, tables)
    for figure in figures:
        if _is_ground_of_text(text, figure):
            figure.flags, figure.crop = ["decoration"], False
        if not figure.flags:
            figure.fragments = _overlaid_labels(page, text, figure, taken)
            taken |= figure.fragments
    drawings = find_drawings(page, text, tables, taken)
    figures = joined_by_frame(page, text, _combined(figures, drawings))
    figures = joined_by_caption(page, text, figures, tables)
    _take_in_labels(text, figures, tables)
    if len(figures) > thresholds.MAX_FIGURES:
        page.flags += ["truncated", "too_many_figures"]
    figures = sorted(figures[: thresholds.MAX_FIGURES], key=lambda f: (f.bbox[1], f.bbox[0]))
    _read_charts(page, figures)
    return figures


def _take_in_labels(text: PageText, figures: list[FigureFound], tables: list[TableFound]) -> None:
    """Give short text that stands inside a drawing to it."""
    free = text.shown & ~text.captions & (text.words <= thresholds.MAX_LABEL)
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
        figure.chart = read_chart(figure.bbox, paths_in(page, figure.bbox), fragments, guess is not None)
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
    return thresholds.MIN_PATHS <= paths <= thresholds.MAX_PATHS


def _pictures(page: RawPage, text: PageText, tables: list[TableFound]) -> list[FigureFound]:
    page_area = max(page.width * page.height, 1.0)
    found = []
    for picture in _tiles_joined(page.pictures, page_area):
        flag = _flag_of(picture, page, text, tables, page_area)
        figure = FigureFound(picture.bbox, "image", set(), identity=picture.identity, parts=picture.parts)
        figure.flags, figure.crop = [flag] if flag else [], flag in (None, "page_image")
        found.append(figure)
    return found


def _flag_of(picture: Picture, page: RawPage, text: PageText, tables: list[TableFound], page_area: float) -> str | None:
    """What a picture is, if it is no figure."""
    short, long = sorted(geometry.sides(picture.bbox))
    if picture.is_text:
        return "page_scan"
    if geometry.area(picture.bbox) >= PAGE_COVER * page_area:
        scanned = {"ocr_layer", "ocr"} & set(page.flags)
        readable = any(not f.hidden and not f.ocr for f in page.fragments)
        return "page_scan" if scanned else "background" if readable else "page_image"
    if 0 < (picture.pixels or 0) < thresholds.MIN_PIXELS or long > thresholds.MAX_ASPECT * short:
        return "decoration"
    if short < thresholds.MIN_SIDE or short * long < thresholds.MIN_SHARE * page_area:
        # A sign in a cell may be all that the cell says.
        in_cell = any(geometry.center_inside(picture.bbox, table.bbox) for table in tables)
        return None if in_cell and short >= thresholds.MIN_IN_CELL else "decoration"
    logo = short * long < thresholds.MAX_LOGO * page_area and _in_margin(page, text, picture.bbox)
    return "decoration" if logo else None


def _in_margin(page: RawPage, text: PageText, box: BBox) -> bool:
    """Whether a box is above or below all text, in the margin of the page."""
    shown = text.boxes[text.shown]
    if not len(shown):
        return False
    margin = thresholds.MARGIN * page.height
    above = box[3] <= shown[:, 1].min() and box[3] <= margin
    below = box[1] >= shown[:, 3].max() and box[1] >= page.height - margin
    return bool(above or below)


def _tiles_joined(pictures: list[Picture], page_area: float) -> list[Picture]:
    """Strips and tiles of one picture (touching, equal in width or height) as one picture.

    On a page of very many pictures (artwork cut into snippets) all that lie close together are one.
    """
    joined = [p for p in pictures if geometry.area(p.bbox) >= PAGE_COVER * page_area]
    pictures = [p for p in pictures if geometry.area(p.bbox) < PAGE_COVER * page_area]
    mosaic = len(pictures) > thresholds.MANY_PICTURES
    gap = thresholds.SNIPPET_GAP if mosaic else thresholds.TILE_GAP
    for group in geometry.clusters([p.bbox for p in pictures], gap):
        members = [pictures[i] for i in group]
        box = geometry.union(p.bbox for p in members)
        if mosaic:
            joined.append(_as_one(box, members))
            continue
        total = sum(geometry.area(p.bbox) for p in members)
        tiled = total <= thresholds.TILE_OVERLAP * geometry.area(box)
        even = any(len({round(side(p.bbox)) for p in members[:-1]}) == 1 for side in (geometry.width, geometry.height))
        strips = len(members) >= thresholds.MIN_STRIPS and all(
            geometry.width(p.bbox) >= thresholds.STRIP * geometry.height(p.bbox) for p in members
        )
        repeated = not strips and len({p.identity for p in members}) == 1 and bool(members[0].identity)
        covers = total >= thresholds.TILE_COVER * geometry.area(box)
        if len(members) > 1 and tiled and even and covers and not repeated:
            joined.append(_as_one(box, members))
        else:
            joined += members
    return joined


def _as_one(box: BBox, members: list[Picture]) -> Picture:
    pixels = None if any(p.pixels is None for p in members) else sum(p.pixels or 0 for p in members)
    parts = tuple(p.bbox for p in members) if len(members) <= thresholds.MAX_PARTS else ()
    return Picture(
        box, tuple(n for p in members[: thresholds.MAX_IDENTIFYING] for n in p.identity), pixels, parts=parts
    )


def _is_ground_of_text(text: PageText, figure: FigureFound) -> bool:
    """Whether a picture is the shadow or ground of one or two lines of text rather than a picture with labels."""
    if figure.flags:
        return False
    lines = text.inside(figure.bbox)
    if not len(lines):
        return False
    largest = float(text.sizes[lines].max())
    covered = shown_area(text, lines) / max(geometry.area(figure.bbox), 1.0)
    return geometry.height(figure.bbox) <= thresholds.MAX_SHADOW * largest and covered >= thresholds.MIN_COVERED


def _overlaid_labels(page: RawPage, text: PageText, figure: FigureFound, taken: set[int]) -> set[int]:
    """What was recognised in a picture, and short labels printed over it; running text over it is not its own."""
    b, (x0, y0, x1, y1), margin = text.boxes, figure.bbox, thresholds.OVERLAID_MARGIN
    within: NDArray[np.bool_] = (
        (b[:, 0] >= x0 - margin) & (b[:, 1] >= y0 - margin) & (b[:, 2] <= x1 + margin) & (b[:, 3] <= y1 + margin)
    )
    inside = [n for n in np.flatnonzero(within & text.shown).tolist() if n not in taken]
    recognised = {n for n in inside if page.fragments[n].ocr}
    printed = [n for n in inside if n not in recognised]
    words = text.words[printed]
    labels = words.sum() <= thresholds.MAX_OVERLAID_WORDS and bool((words <= thresholds.MAX_OVERLAID_LABEL).all())
    return recognised | set(printed) if labels else recognised


def _combined(pictures: list[FigureFound], drawings: list[FigureFound]) -> list[FigureFound]:
    """Drawings over a picture (arrows, frames) join it; a drawing inside another one joins that."""
    kept = list(pictures)
    for drawing in sorted(drawings, key=lambda d: -geometry.area(d.bbox)):
        host = next((f for f in kept if not set(f.flags) & _APART and _joins(drawing, f)), None)
        if host is None:
            kept.append(drawing)
            continue
        over = geometry.intersection(host.bbox, drawing.bbox) >= thresholds.DRAWING_OVER * geometry.area(drawing.bbox)
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
        return common >= thresholds.DRAWINGS_SHARED * smaller
    large = geometry.area(host.bbox) >= thresholds.MIN_HOST * geometry.area(drawing.bbox)
    return large and common >= thresholds.PICTURE_SHARED * smaller


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
        return geometry.contains(host.bbox, figure.bbox, thresholds.DECORATION_MARGIN)
    if figure.kind != "image" or (set(figure.flags) | set(host.flags)) & WHOLE_PAGE:
        return False
    common = geometry.intersection(figure.bbox, host.bbox) / max(geometry.area(figure.bbox), 1.0)
    if host.kind == "drawing":
        return common >= thresholds.PICTURE_IN_DRAWING
    if common < thresholds.PICTURE_IN_PICTURE:
        return False
    # Of a picture only what lies on it in pieces that overlap one another.
    beside = sum(1 for f in others if f is not host and geometry.intersection(f.bbox, figure.bbox) > 0)
    large = geometry.area(host.bbox) >= thresholds.HOST_OVER_PART * geometry.area(figure.bbox)
    return large and beside >= thresholds.MIN_OVERLAPPING
