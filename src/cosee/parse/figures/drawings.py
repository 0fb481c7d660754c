"""Drawings of a page: which groups of painted paths are charts and diagrams, with the labels that belong to them."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts.form import chart_form, is_number
from cosee.parse.figures import thresholds
from cosee.parse.figures.vector_groups import VectorGroup, find_groups
from cosee.parse.pdf.outlines import segments_in
from cosee.parse.pdf.page_model import FigureFound, Fragment, RawPage, TableFound, Vector
from cosee.parse.pdf.page_text import PageText, shown_area
from cosee.parse.tables.columns import read_aligned
from cosee.parse.tables.rows import rows_of
from cosee.parse.tables.text import is_numeric
from cosee.text.caption_words import PART_LABEL


def find_drawings(page: RawPage, text: PageText, tables: list[TableFound], taken: set[int]) -> list[FigureFound]:
    """Charts and diagrams drawn with paths; adds the fragments that they hold to ``taken``."""
    groups = sorted(find_groups(page, text, tables), key=lambda g: -geometry.area(g.bbox))[: thresholds.MAX_CHECKED]
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
    if wide < thresholds.MIN_WIDTH or high < thresholds.MIN_HEIGHT:
        return _timeline(page, text, group, free) if wide >= thresholds.MIN_TIMELINE else None
    within = [n for n in text.inside(box, thresholds.SLACK).tolist() if free[n] and not text.captions[n]]
    inside = set(within)
    near = inside | _near_labels(page, text, box, free, inside)
    labels = [page.fragments[n].text for n in sorted(near)]
    form = chart_form(box, group.vectors, labels)
    fragments = [page.fragments[n] for n in within]
    if not _is_apart_from_text(page, text, group, within, near, form):
        return None
    if form is None:
        if high < thresholds.STRIPE_HEIGHT and wide > thresholds.STRIPE_ASPECT * high:
            return None
        if not _is_drawing(group.vectors, fragments) and not _is_complex(page, group):
            return None
        if (wide < thresholds.ICON_WIDTH or high < thresholds.ICON_HEIGHT) and wide * high < thresholds.ICON_AREA:
            ornate = _count_slanted(group.vectors) >= thresholds.SLANTED_PICTURE
            return FigureFound(box, "drawing", set(), ["decoration"], crop=False) if ornate else None
    return FigureFound(_with_labels(page, box, near), "drawing", near, [f"chart:{form}"] if form else [])


def _with_labels(page: RawPage, box: BBox, labels: set[int]) -> BBox:
    """The box around a drawing and its labels, within the page."""
    return geometry.clamp(geometry.union([box, *(page.fragments[n].bbox for n in labels)]), page.bbox)


def _timeline(page: RawPage, text: PageText, group: VectorGroup, free: NDArray[np.bool_]) -> FigureFound | None:
    """A level row of symbols with a label at most of them."""
    symbols = _count_slanted(group.vectors)
    near = _near_labels(page, text, group.bbox, free, set()) if symbols >= thresholds.MIN_TIMELINE_SYMBOLS else set()
    if len(near) < max(symbols - 1, thresholds.MIN_TIMELINE_LABELS):
        return None
    return FigureFound(_with_labels(page, group.bbox, near), "drawing", near)


def _is_apart_from_text(
    page: RawPage, text: PageText, group: VectorGroup, within: list[int], near: set[int], form: str | None
) -> bool:
    """Whether the group is neither the frame of running text nor the rules and shading of a table."""
    fragments = [page.fragments[n] for n in within]
    words = int(text.words[within].sum())
    prose = int(text.prose[within].sum())
    area = max(geometry.area(group.bbox), 1.0)
    density = shown_area(text, np.array(within, dtype=np.intp)) / area
    if form is None and _ruled_list(group, fragments):
        return False
    slanted = _count_slanted(group.vectors)
    plain = slanted < thresholds.SLANTED_PICTURE
    if prose >= thresholds.MIN_PROSE and (density >= thresholds.FRAMED_DENSITY or plain):
        return False
    if density > thresholds.DENSE and words > thresholds.DENSE_WORDS and form != "bar":
        return False
    flat = plain and (form is None or (form in ("bar", "other") and _is_shading(group.vectors, fragments)))
    if flat and _is_table(page, near):
        return False
    wordy = words > thresholds.PLAIN_WORDS and density > thresholds.PLAIN_DENSITY
    return not (form is None and not slanted and wordy)


def _ruled_list(group: VectorGroup, fragments: list[Fragment]) -> bool:
    """Whether rules over the whole width divide rows of text that begin at one edge: a table of signs and words."""
    wide = geometry.width(group.bbox)
    ruled: Counter[int] = Counter()
    for vector in group.vectors:
        if geometry.height(vector.bbox) <= thresholds.THIN and geometry.width(vector.bbox) >= thresholds.MIN_ROW_RULE:
            ruled[round(vector.bbox[1])] += round(geometry.width(vector.bbox))
    words = [f for f in fragments if any(map(str.isalpha, f.text))]
    full = sum(length >= thresholds.FULL_RULE * wide for length in ruled.values())
    if full < thresholds.MIN_ROW_RULES or len(words) < thresholds.MIN_LIST_TEXTS:
        return False
    edges = Counter(round(f.bbox[0] / thresholds.LIST_EDGE) for f in words)
    return max(edges.values()) >= max(thresholds.MIN_AT_EDGE, thresholds.LIST_EDGE_SHARE * len(words))


def _is_complex(page: RawPage, group: VectorGroup) -> bool:
    """Whether a few paths hold so many segments that they are a picture (a map drawn as one path)."""
    small = min(geometry.sides(group.bbox)) < thresholds.MIN_COMPLEX_SIDE
    if small or len(group.vectors) > thresholds.MAX_COMPLEX_PATHS or group.vectors[0].rectangular:
        return False
    return segments_in(page, group.bbox) >= thresholds.COMPLEX


def _is_shading(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether filled rectangles are the ground of text, in a few repeated widths, rather than bars of a chart."""
    filled = _filled(vectors)
    if not filled:
        return True
    places = {(round(box[0]), round(box[2])) for box in filled}
    heights = {round(geometry.height(box)) for box in filled}
    widths = {round(geometry.width(box)) for box in filled}
    most = thresholds.VARIED * len(filled)
    bars = (len(places) >= most and len(heights) >= most) or len(widths) >= most
    with_text = _holding_text(filled, fragments) >= thresholds.TEXT_ON_SHADING * len(filled)
    return with_text and not (bars and len(filled) >= thresholds.MIN_VARIED_BARS)


def _is_table(page: RawPage, members: set[int]) -> bool:
    """Whether the text of a cluster stands in rows and columns: shading and rules of a table, not a drawing."""
    rows = rows_of(page.fragments, sorted(members))
    least = thresholds.MIN_TABLE_CELLS
    several = [row for row in rows if len(row.cells) >= least or (row.tabular and is_numeric(row.cells[-1].text))]
    held = sum(len(row.cells) for row in several)
    wordy = any(any(c.isalpha() for c in row.cells[0].text) for row in several)
    enough = len(several) >= thresholds.MIN_TABLE_ROWS and held >= thresholds.TABLE_CELLS_SHARE * len(members)
    return enough and wordy and read_aligned(rows, []) is not None


def _is_drawing(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether paths are a picture rather than rules, underlines and shading of text."""
    slanted = _count_slanted(vectors)
    if slanted >= thresholds.MIN_SLANTED or _is_box_diagram(vectors, fragments):
        return True
    filled = _filled(vectors)
    straight = [v for v in vectors if v.rectangular]
    boxes = sum(v.stroked and min(geometry.sides(v.bbox)) > thresholds.MIN_BOX for v in straight)
    rules = [v.bbox for v in straight if _is_rule(v.bbox, thresholds.RULE_IN_DRAWING)]
    upright = any(geometry.height(rule) > geometry.width(rule) for rule in rules)
    shading = _holding_text(filled, fragments) >= thresholds.TEXT_ON_SHADING * max(len(filled), 1)
    joined = len(rules) >= thresholds.MIN_RULES or slanted >= 1
    if boxes + len(filled) >= thresholds.MIN_BOXES and joined and not shading:
        return upright or slanted > 0
    return slanted >= 1 and len(vectors) >= thresholds.MIN_PATHS_OF_SLANTED


def _count_slanted(vectors: list[Vector]) -> int:
    """How many paths are curves or slanted: neither rules nor rectangles."""
    return sum(1 for v in vectors if not v.rectangular)


def _filled(vectors: list[Vector]) -> list[BBox]:
    """Boxes of the filled rectangles that are no rules."""
    return [
        v.bbox
        for v in vectors
        if v.rectangular and not v.stroked and min(geometry.sides(v.bbox)) > thresholds.MIN_FILLED
    ]


def _holding_text(boxes: list[BBox], fragments: list[Fragment]) -> int:
    """How many boxes have the middle of a text inside; a heat map has thousands of both."""
    places = np.array([f.bbox for f in fragments]).reshape(-1, 4)
    x, y = (places[:, 0] + places[:, 2]) / 2, (places[:, 1] + places[:, 3]) / 2
    return sum(bool(((x >= b[0]) & (x <= b[2]) & (y >= b[1]) & (y <= b[3])).any()) for b in boxes)


def _is_box_diagram(vectors: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether boxes with text stand apart from one another, joined by lines that end at them."""
    whole = geometry.union(v.bbox for v in vectors)
    widest = thresholds.MAX_NODE_SHARE * geometry.width(whole)
    boxes = [
        v.bbox for v in vectors if min(geometry.sides(v.bbox)) > thresholds.MIN_NODE and geometry.width(v.bbox) < widest
    ][: thresholds.MAX_NODES]
    margin = thresholds.NODE_MARGIN
    boxes = [b for n, b in enumerate(boxes) if not any(geometry.contains(b, o, margin) for o in boxes[:n])]
    boxes = [b for b in boxes if any(geometry.center_inside(f.bbox, b) for f in fragments)]
    apart = [b for b in boxes if all(o is b or geometry.distance(b, o) > thresholds.NODE_GAP for o in boxes)]
    lines = [v.bbox for v in vectors if _is_rule(v.bbox, thresholds.MIN_JOINT)]
    joints = sum(any(_is_joined_to(b, box) for box in apart) for b in lines)
    return len(apart) >= max(2, thresholds.NODES_APART * len(boxes)) and joints >= len(apart) / 2


def _is_rule(box: BBox, longer_than: float) -> bool:
    short, long = sorted(geometry.sides(box))
    return short <= thresholds.RULE_IN_DRAWING and long > longer_than


def _is_joined_to(one: BBox, other: BBox) -> bool:
    """Whether two boxes meet, and the first is not inside the second."""
    close = geometry.distance(one, other) <= thresholds.JOINT_REACH
    return close and not geometry.contains(other, one, thresholds.SLACK)


def _near_labels(page: RawPage, text: PageText, box: BBox, free: NDArray[np.bool_], inside: set[int]) -> set[int]:
    """Tick labels, then axis titles, just outside a drawing; never running text."""
    near: set[int] = set()
    candidates = free & ~text.captions & ~text.prose
    candidates[sorted(inside)] = False
    ticks = thresholds.TICK_REACH, thresholds.MAX_TICK_WORDS
    titles = thresholds.TITLE_REACH, thresholds.MAX_TITLE_WORDS
    for reach, most_words in (ticks, titles):
        across, down = text.gaps(box)
        gap = np.maximum(across, down)
        # Ticks of the upright axis stand beside the drawing; its title runs along it.
        beside = (down < 0) & (text.rotated | (most_words == thresholds.MAX_TICK_WORDS))
        furthest = np.where(beside, thresholds.BESIDE * reach, reach)
        fits = candidates & (text.words <= most_words) & (gap <= furthest)
        for n in np.flatnonzero(fits).tolist():
            if PART_LABEL.match(page.fragments[n].text):
                continue
            largest = thresholds.TICK_SIZE if is_number(page.fragments[n].text) else thresholds.TITLE_SIZE
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
        if geometry.height(box) > thresholds.LEGEND_REACH or not charts:
            continue
        host = min(charts, key=lambda f: geometry.distance(f.bbox, box))
        common = geometry.overlap_length_x(host.bbox, box)
        far = geometry.distance(host.bbox, box) > thresholds.LEGEND_REACH
        if far or common < thresholds.LEGEND_UNDER * geometry.width(box):
            continue
        whole = geometry.union((host.bbox, box))
        if text.touches(whole, text.prose | text.captions):
            continue
        labels = _near_labels(page, text, box, free, set())
        if not labels and geometry.width(box) > thresholds.LEGEND_WIDTH * geometry.width(host.bbox):
            continue
        free[sorted(labels)] = False
        host.fragments |= labels
        host.bbox = _with_labels(page, whole, labels)
