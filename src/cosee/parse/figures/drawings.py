"""Drawings of a page: which groups of painted paths are charts and diagrams, with the labels that belong to them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts.form import chart_form, is_number
from cosee.parse.figures.vector_groups import VectorGroup, find_groups
from cosee.parse.pdf.outlines import segments_in
from cosee.parse.pdf.page_model import FigureFound, Fragment, RawPage, TableFound, Vector
from cosee.parse.pdf.page_text import PageText, shown_area
from cosee.parse.tables.columns import read_aligned
from cosee.parse.tables.rows import rows_of
from cosee.parse.tables.text import is_numeric
from cosee.text.caption_words import PART_LABEL

MIN_WIDTH, MIN_HEIGHT = 24.0, 18.0
MIN_TIMELINE = 100.0
TICK_REACH, TITLE_REACH = 12.0, 13.0
"""How far outside a drawing, in points, its tick labels and then its axis titles stand."""
BESIDE = 1.7
"""Tick labels and turned axis titles left and right of a drawing may be this many times further off."""
TICK_SIZE = 1.3
"""Largest tick label, in sizes of the running text."""
LEGEND_REACH = 26.0
PANEL_SIDE = 30.0
COMPLEX = 40
"""Line segments and curves of a single path that make it a picture."""
MAX_CHECKED = 400


def find_drawings(page: RawPage, text: PageText, tables: list[TableFound], taken: set[int]) -> list[FigureFound]:
    """Charts and diagrams drawn with paths; adds the fragments that they hold to ``taken``."""
    groups = sorted(find_groups(page, text, tables), key=lambda g: -geometry.area(g.bbox))[:MAX_CHECKED]
    groups.sort(key=lambda g: (g.bbox[1], g.bbox[0]))
    free = text.shown.copy()
    free[sorted(taken)] = False
    found: list[FigureFound] = []
    rest: list[VectorGroup] = []
    for group in groups:
        figure = _drawing(page, text, group, free)
        if figure is None:
            rest.append(group)
            continue
        free[sorted(figure.fragments)] = False
        found.append(figure)
    _add_legends(page, text, found, rest, free)
    for figure in found:
        taken |= figure.fragments
    return found


def _drawing(page: RawPage, text: PageText, group: VectorGroup, free: NDArray[np.bool_]) -> FigureFound | None:
    box = group.bbox
    wide, high = geometry.width(box), geometry.height(box)
    if wide < MIN_WIDTH or high < MIN_HEIGHT:
        return _timeline(page, text, group, free) if wide >= MIN_TIMELINE else None
    within = [n for n in text.inside(box, 1.0).tolist() if free[n] and not text.captions[n]]
    inside = set(within)
    near = inside | _near_labels(page, text, box, free, inside)
    labels = [page.fragments[n].text for n in sorted(near)]
    form = chart_form(box, group.vectors, labels)
    fragments = [page.fragments[n] for n in within]
    if not _stands_alone(page, text, group, within, near, form):
        return None
    curvy = sum(1 for v in group.vectors if not v.rectangular)
    if form is None:
        if high < 32 and wide > 6 * high:
            return None
        if not is_drawing(group.vectors, fragments) and not _is_complex(page, group):
            return None
        if (wide < 60 or high < 30) and wide * high < 4000:
            return FigureFound(box, "drawing", set(), ["decoration"], crop=False) if curvy >= 3 else None
    whole = geometry.union([box, *(page.fragments[n].bbox for n in near)])
    return FigureFound(geometry.clamp(whole, page.bbox), "drawing", near, [f"chart:{form}"] if form else [])


def _timeline(page: RawPage, text: PageText, group: VectorGroup, free: NDArray[np.bool_]) -> FigureFound | None:
    """A level row of marks with a label at most of them."""
    marks = sum(1 for v in group.vectors if not v.rectangular)
    near = _near_labels(page, text, group.bbox, free, set()) if marks >= 3 else set()
    if len(near) < max(marks - 1, 4):
        return None
    whole = geometry.union([group.bbox, *(page.fragments[n].bbox for n in near)])
    return FigureFound(geometry.clamp(whole, page.bbox), "drawing", near)


def _stands_alone(
    page: RawPage, text: PageText, group: VectorGroup, within: list[int], near: set[int], form: str | None
) -> bool:
    """Whether the group is neither the frame of running text nor the rules and shading of a table."""
    fragments = [page.fragments[n] for n in within]
    words = int(text.words[within].sum())
    prose = int(text.prose[within].sum())
    area = max(geometry.area(group.bbox), 1.0)
    density = shown_area(text, np.array(within, dtype=np.intp)) / area
    if form is None and _ruled_list(group, [page.fragments[n] for n in within]):
        return False
    curvy = sum(1 for v in group.vectors if not v.rectangular)
    if prose >= 3 and (density >= 0.2 or curvy < 3):
        return False
    if density > 0.3 and words > 12 and form != "bar":
        return False
    flat = curvy < 3 and (form is None or (form in ("bar", "other") and _shaded(group.vectors, fragments)))
    if flat and _tabular(page, near):
        return False
    return not (form is None and not curvy and words > 30 and density > 0.12)


def _ruled_list(group: VectorGroup, fragments: list[Fragment]) -> bool:
    """Whether rules over the whole width divide rows of text that begin at one edge: a table of signs and words."""
    wide = geometry.width(group.bbox)
    ruled: Counter[int] = Counter()
    for vector in group.vectors:
        if geometry.height(vector.bbox) <= 2.5 and geometry.width(vector.bbox) >= 20:
            ruled[round(vector.bbox[1])] += round(geometry.width(vector.bbox))
    words = [f for f in fragments if any(map(str.isalpha, f.text))]
    if sum(1 for length in ruled.values() if length >= 0.9 * wide) < 3 or len(words) < 4:
        return False
    edges = Counter(round(f.bbox[0] / 3) for f in words)
    return max(edges.values()) >= max(3, 0.3 * len(words))


def _is_complex(page: RawPage, group: VectorGroup) -> bool:
    """Whether a few paths hold so many segments that they are a picture (a map drawn as one path)."""
    if len(group.vectors) > 12 or min(geometry.width(group.bbox), geometry.height(group.bbox)) < PANEL_SIDE:
        return False
    return not group.vectors[0].rectangular and segments_in(page, group.bbox) >= COMPLEX


def _shaded(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether filled rectangles are the ground of text, in a few repeated widths, rather than bars of a chart."""
    filled = [v.bbox for v in vectors if v.rectangular and not v.stroked and min(geometry.sides(v.bbox)) > 4]
    if not filled:
        return True
    with_text = _holding_text(filled, fragments)
    shapes = {(round(box[0]), round(box[2])) for box in filled}
    heights = {round(geometry.height(box)) for box in filled}
    varied = len(shapes) >= 0.6 * len(filled) and len(heights) >= 0.6 * len(filled)
    lengths = len({round(geometry.width(box)) for box in filled}) >= 0.6 * len(filled)
    return with_text >= 0.5 * len(filled) and not ((varied or lengths) and len(filled) >= 4)


def _tabular(page: RawPage, members: set[int]) -> bool:
    """Whether the text of a cluster stands in rows and columns: shading and rules of a table, not a drawing."""
    rows = rows_of(page.fragments, sorted(members))
    several = [row for row in rows if len(row.cells) >= 3 or (row.tabular and is_numeric(row.cells[-1].text))]
    held = sum(len(row.cells) for row in several)
    wordy = any(any(c.isalpha() for c in row.cells[0].text) for row in several)
    return len(several) >= 3 and wordy and held >= 0.6 * len(members) and read_aligned(rows, []) is not None


def is_drawing(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether paths are a picture rather than rules, underlines and shading of text."""
    curvy = sum(1 for v in vectors if not v.rectangular)
    if curvy >= 4 or _is_box_diagram(vectors, fragments):
        return True
    filled = [v for v in vectors if v.rectangular and not v.stroked and min(geometry.sides(v.bbox)) > 4]
    boxes = [v for v in vectors if v.rectangular and v.stroked and min(geometry.sides(v.bbox)) > 8]
    with_text = _holding_text([v.bbox for v in filled], fragments)
    rules = [v for v in vectors if v.rectangular and min(geometry.sides(v.bbox)) <= 3 < max(geometry.sides(v.bbox))]
    upright = sum(1 for v in rules if geometry.height(v.bbox) > geometry.width(v.bbox))
    if len(boxes) + len(filled) >= 3 and (len(rules) >= 2 or curvy >= 1) and with_text < 0.5 * max(len(filled), 1):
        return upright > 0 or curvy > 0
    return curvy >= 1 and len(vectors) >= 6


def _holding_text(boxes: list[BBox], fragments: list[Fragment]) -> int:
    """How many boxes have the middle of a text inside; a heat map has thousands of both."""
    places = np.array([f.bbox for f in fragments]).reshape(-1, 4)
    x, y = (places[:, 0] + places[:, 2]) / 2, (places[:, 1] + places[:, 3]) / 2
    return sum(bool(((x >= b[0]) & (x <= b[2]) & (y >= b[1]) & (y <= b[3])).any()) for b in boxes)


def _is_box_diagram(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether boxes with text stand apart from one another, joined by lines that end at them."""
    whole = geometry.union(v.bbox for v in vectors)
    boxes = [
        v.bbox
        for v in vectors
        if min(geometry.sides(v.bbox)) > 12 and geometry.width(v.bbox) < 0.8 * geometry.width(whole)
    ]
    boxes = boxes[:200]
    boxes = [b for n, b in enumerate(boxes) if not any(geometry.contains(b, o, 2.0) for o in boxes[:n])]
    boxes = [b for b in boxes if any(geometry.center_inside(f.bbox, b) for f in fragments)]
    apart = [b for b in boxes if all(o is b or geometry.distance(b, o) > 4 for o in boxes)]
    lines = [v.bbox for v in vectors if min(geometry.sides(v.bbox)) <= 3 and max(geometry.sides(v.bbox)) > 6]
    joints = [b for b in lines if sum(_touch(b, box) for box in apart) >= 1]
    return len(apart) >= 2 and len(apart) >= 0.6 * len(boxes) and len(joints) >= len(apart) / 2


def _touch(one: BBox, other: BBox) -> bool:
    """Whether two boxes meet, and the first is not inside the second."""
    close = geometry.overlap_length_x(one, other) >= -3 and geometry.overlap_length_y(one, other) >= -3
    return close and not geometry.contains(other, one, 1.0)


def _near_labels(page: RawPage, text: PageText, box: BBox, free: NDArray[np.bool_], inside: set[int]) -> set[int]:
    """Tick labels, then axis titles, just outside a drawing; never running text."""
    near: set[int] = set()
    candidates = free & ~text.captions & ~text.prose
    candidates[sorted(inside)] = False
    for reach, most_words in ((TICK_REACH, 3), (TITLE_REACH, 7)):
        across, down = text.gaps(box)
        gap = np.maximum(across, down)
        beside = (down < 0) & (most_words <= 3)
        # The title of the upright axis runs along the drawing.
        along = (down < 0) & text.rotated
        fits = candidates & (text.words <= most_words) & (gap <= np.where(beside | along, BESIDE * reach, reach))
        for n in np.flatnonzero(fits).tolist():
            if PART_LABEL.match(page.fragments[n].text):
                continue
            largest = TICK_SIZE if is_number(page.fragments[n].text) else 1.02
            if text.sizes[n] <= largest * text.body:
                near.add(n)
                candidates[n] = False
        box = geometry.union([box, *(page.fragments[n].bbox for n in near)])
    return near


def _add_legends(
    page: RawPage, text: PageText, figures: list[FigureFound], rest: list[VectorGroup], free: NDArray[np.bool_]
) -> None:
    """Give small groups right beside a chart (swatches of a legend, arrow heads) to it, with their labels."""
    charts = [f for f in figures if f.crop]
    for group in rest:
        box = group.bbox
        if geometry.height(box) > LEGEND_REACH or not charts:
            continue
        host = min(charts, key=lambda f: geometry.distance(f.bbox, box))
        if geometry.distance(host.bbox, box) > LEGEND_REACH or geometry.overlap_length_x(
            host.bbox, box
        ) < 0.5 * geometry.width(box):
            continue
        whole = geometry.union((host.bbox, box))
        if text.touches(whole, text.prose) or text.touches(whole, text.captions):
            continue
        labels = _near_labels(page, text, box, free, set())
        if not labels and geometry.width(box) > 0.5 * geometry.width(host.bbox):
            continue
        free[sorted(labels)] = False
        host.fragments |= labels
        host.bbox = geometry.clamp(geometry.union((whole, *(page.fragments[n].bbox for n in labels))), page.bbox)
