"""Figures of a page: raster pictures and clusters of vector drawings, with the labels that belong to them."""

from __future__ import annotations

from statistics import median

from cosee.adapter import geometry
from cosee.adapter.caption_join import CAPTION, joined_by_caption
from cosee.adapter.chart_form import chart_form
from cosee.adapter.page_model import FigureFound, Fragment, Picture, RawPage, TableFound, Vector
from cosee.adapter.table_columns import read_aligned
from cosee.adapter.table_rows import rows_of
from cosee.adapter.table_text import is_numeric
from cosee.adapter.visibility import PAGE_COVER
from cosee.artifacts.base import BBox

CLUSTER_DISTANCE = 9.0
MIN_SIDE = 16.0
MIN_SHARE = 0.002
"""A picture with a smaller share of the page is decoration."""
MAX_ASPECT = 25.0
MAX_CLUSTERED = 3_000
MAX_FIGURES = 200
MANY_PICTURES = 40


def find_figures(page: RawPage, tables: list[TableFound]) -> list[FigureFound]:
    """Pictures and drawings, from top to bottom; labels inside a drawing belong to it."""
    taken = {n for table in tables for n in table.fragments}
    figures = _pictures(page)
    taken = set(taken)
    for figure in figures:
        if not figure.flags:
            figure.fragments = _overlaid_labels(page, figure, taken)
            taken |= figure.fragments
    drawings = _drawings(page, tables, taken)
    figures = joined_by_caption(page, _combined(figures, drawings), taken)
    _absorb(page, figures, taken)
    return sorted(figures[:MAX_FIGURES], key=lambda f: (f.bbox[1], f.bbox[0]))


def _absorb(page: RawPage, figures: list[FigureFound], taken: set[int]) -> None:
    """Give short text that stands inside a drawing to it; ``taken`` belongs to tables."""
    held = taken | {n for figure in figures for n in figure.fragments}
    for figure in figures:
        if figure.kind != "drawing" or not figure.crop:
            continue
        for n, f in enumerate(page.fragments):
            if (
                n not in held
                and not f.hidden
                and len(f.text.split()) <= 7
                and geometry.center_inside(f.bbox, figure.bbox)
            ):
                if CAPTION.match(f.text):
                    continue
                figure.fragments.add(n)
                held.add(n)


def _pictures(page: RawPage) -> list[FigureFound]:
    page_area = max(page.width * page.height, 1.0)
    readable = any(not f.hidden and not f.ocr for f in page.fragments)
    found = []
    for picture in _tiles_joined(page.pictures, page_area):
        box = picture.bbox
        wide, high = geometry.width(box), geometry.height(box)
        figure = FigureFound(box, "image", set(), identity=picture.identity)
        if geometry.area(box) >= PAGE_COVER * page_area:
            if {"ocr_layer", "ocr"} & set(page.flags):
                figure.flags.append("page_scan")
            elif readable:
                figure.flags.append("background")
            else:
                figure.flags.append("page_image")
        elif (
            min(wide, high) < MIN_SIDE
            or wide * high < MIN_SHARE * page_area
            or max(wide, high) > MAX_ASPECT * min(wide, high)
        ):
            figure.flags.append("decoration")
        figure.crop = not set(figure.flags) & {"decoration", "background", "page_scan"}
        found.append(figure)
    return found


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
            joined.append(Picture(box, tuple(n for p in members[:50] for n in p.identity)))
            continue
        tiled = sum(geometry.area(p.bbox) for p in members) <= 1.15 * geometry.area(box)
        even = len({round(geometry.width(p.bbox)) for p in members[:-1]}) == 1
        even = even or len({round(geometry.height(p.bbox)) for p in members[:-1]}) == 1
        repeated = len({p.identity for p in members if p.identity}) < sum(1 for p in members if p.identity)
        covers = not repeated and sum(geometry.area(p.bbox) for p in members) >= 0.9 * geometry.area(box)
        if len(members) > 1 and tiled and even and covers:
            joined.append(Picture(box, tuple(n for p in members[:50] for n in p.identity)))
        else:
            joined += members
    return joined


def _overlaid_labels(page: RawPage, figure: FigureFound, taken: set[int]) -> set[int]:
    """Short labels printed over a picture; a picture under running text keeps none."""
    inside = [
        n
        for n, f in enumerate(page.fragments)
        if n not in taken and not f.hidden and geometry.contains(figure.bbox, f.bbox, 2.0)
    ]
    words = [len(page.fragments[n].text.split()) for n in inside]
    return set(inside) if words and sum(words) <= 40 and max(words) <= 4 else set()


def _drawings(page: RawPage, tables: list[TableFound], taken: set[int]) -> list[FigureFound]:
    page_area = max(page.width * page.height, 1.0)
    vectors = [
        v
        for v in page.vectors
        if geometry.area(v.bbox) < 0.7 * page_area
        and not (v.color == 0xFFFFFF and v.rectangular)
        and not any(geometry.center_inside(v.bbox, table.bbox, 3.0) for table in tables)
    ]
    sizes = [f.size for f in page.fragments if not f.hidden and len(f.text) > 20]
    body = median(sizes) if sizes else 10.0
    found = []
    for group in _vector_clusters(vectors):
        box = geometry.clamp(geometry.union(v.bbox for v in group), page.bbox)
        figure = _drawing(page, group, box, taken, body)
        if figure is not None:
            taken |= figure.fragments
            found.append(figure)
    return found


def _vector_clusters(vectors: list[Vector]) -> list[list[Vector]]:
    """Vectors grouped by closeness; near-equal boxes are grouped through one representative to bound the work."""
    cells: dict[tuple[int, ...], list[Vector]] = {}
    for vector in vectors:
        cells.setdefault(tuple(int(c // 4) for c in vector.bbox), []).append(vector)
    heads = list(cells.values())[:MAX_CLUSTERED]
    boxes = [geometry.union(v.bbox for v in head) for head in heads]
    return [[v for i in group for v in heads[i]] for group in geometry.clusters(boxes, CLUSTER_DISTANCE)]


def _drawing(page: RawPage, group: list[Vector], box: BBox, taken: set[int], body: float) -> FigureFound | None:
    wide, high = geometry.width(box), geometry.height(box)
    if wide < 24 or high < 18:
        return None
    curvy = sum(1 for v in group if not v.rectangular)
    inside = {
        n
        for n, f in enumerate(page.fragments)
        if n not in taken and not f.hidden and geometry.center_inside(f.bbox, box, 1.0) and not CAPTION.match(f.text)
    }
    fragments = [page.fragments[n] for n in inside]
    words = sum(len(f.text.split()) for f in fragments)
    prose = sum(1 for f in fragments if len(f.text.split()) >= 7)
    density = sum(geometry.area(f.bbox) for f in fragments) / max(wide * high, 1.0)
    near = inside | _near_labels(page, box, inside | taken, body)
    form = chart_form(box, group, [page.fragments[n].text for n in sorted(near)])
    if prose >= 3 or (density > 0.3 and words > 12):
        return None
    if form in (None, "bar", "other") and curvy < 3 and _shaded(group, fragments) and _tabular(page, near):
        return None
    if form is None and high < 32 and wide > 6 * high:
        return None
    if form is None and not _is_drawing(group, curvy, fragments, box):
        return None
    decoration = form is None and (wide < 60 or high < 30) and wide * high < 4000
    if form is None and not decoration and not curvy and words > 30 and density > 0.12:
        return None
    if decoration:
        return FigureFound(box, "drawing", set(), ["decoration"], crop=False) if curvy >= 3 else None
    box = geometry.clamp(geometry.union([box, *(page.fragments[n].bbox for n in near)]), page.bbox)
    flags = [f"chart:{form}"] if form else []
    return FigureFound(box, "drawing", near, flags)


def _shaded(group: list[Vector], fragments: list[Fragment]) -> bool:
    """Whether filled rectangles are the ground of text, in a few repeated widths, rather than bars of a chart."""
    filled = [v.bbox for v in group if v.rectangular and not v.stroked and min(_sides(v.bbox)) > 4]
    if not filled:
        return True
    with_text = sum(1 for box in filled if any(geometry.center_inside(f.bbox, box) for f in fragments))
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


def _is_drawing(group: list[Vector], curvy: int, fragments: list[Fragment], box: BBox) -> bool:
    """Whether paths are a picture rather than rules, underlines and shading of text."""
    if curvy >= 4:
        return True
    filled = [v for v in group if v.rectangular and not v.stroked and min(_sides(v.bbox)) > 4]
    boxes = [v for v in group if v.rectangular and v.stroked and min(_sides(v.bbox)) > 8]
    with_text = sum(1 for v in filled if any(geometry.center_inside(f.bbox, v.bbox) for f in fragments))
    rules = [v for v in group if v.rectangular and min(_sides(v.bbox)) <= 3 < max(_sides(v.bbox))]
    upright = sum(1 for v in rules if geometry.height(v.bbox) > geometry.width(v.bbox))
    if len(boxes) + len(filled) >= 3 and (len(rules) >= 2 or curvy >= 1) and with_text < 0.5 * max(len(filled), 1):
        return upright > 0 or curvy > 0
    return curvy >= 1 and len(group) >= 6


def _sides(box: BBox) -> tuple[float, float]:
    return geometry.width(box), geometry.height(box)


def _near_labels(page: RawPage, box: BBox, excluded: set[int], body: float) -> set[int]:
    """Tick labels, then axis titles, just outside a drawing."""
    near: set[int] = set()
    for reach, most_words, largest in ((12.0, 3, 1.02 * body), (13.0, 7, 1.02 * body)):
        for n, fragment in enumerate(page.fragments):
            gap = max(-geometry.overlap_x(fragment.bbox, box), -geometry.overlap_y(fragment.bbox, box))
            if gap > 1.7 * reach or n in excluded or n in near or fragment.hidden or fragment.size > largest:
                continue
            if len(fragment.text.split()) > most_words or CAPTION.match(fragment.text):
                continue
            beside = geometry.overlap_y(fragment.bbox, box) > 0 and most_words <= 3
            if gap <= (1.7 * reach if beside else reach) and (fragment.rotated or not _beside_prose(page, n)):
                near.add(n)
        box = geometry.union([box, *(page.fragments[n].bbox for n in near)])
    return near


def _beside_prose(page: RawPage, index: int) -> bool:
    """Whether a short fragment is the end (or start) of a paragraph: a long line of its size right above or below."""
    fragment = page.fragments[index]
    size = fragment.size
    for n, other in enumerate(page.fragments):
        close = -geometry.overlap_y(fragment.bbox, other.bbox) <= 0.6 * size
        if not close or n == index or other.hidden:
            continue
        if geometry.overlap_x(fragment.bbox, other.bbox) <= 0.5 * geometry.width(fragment.bbox):
            continue
        if abs(other.size - size) <= 0.6 and len(other.text.split()) >= 7:
            return True
    return False


def _combined(pictures: list[FigureFound], drawings: list[FigureFound]) -> list[FigureFound]:
    """Drawings over a picture (arrows, frames) join it; a drawing inside another one joins that."""
    kept = list(pictures)
    for drawing in sorted(drawings, key=lambda d: -geometry.area(d.bbox)):
        host = next(
            (
                f
                for f in kept
                if not set(f.flags) & {"background", "page_scan", "page_image", "decoration"}
                and geometry.intersection(f.bbox, drawing.bbox)
                >= (0.05 if f.kind == "drawing" else 0.5) * min(geometry.area(f.bbox), geometry.area(drawing.bbox))
            ),
            None,
        )
        if host is None:
            kept.append(drawing)
            continue
        host.bbox = geometry.union((host.bbox, drawing.bbox))
        host.fragments |= drawing.fragments
        host.flags += [flag for flag in drawing.flags if flag.startswith("chart:") and flag not in host.flags]
    return _inside_dropped(kept)


def _inside_dropped(figures: list[FigureFound]) -> list[FigureFound]:
    """Decoration inside a figure is a part of it."""
    real = [f for f in figures if f.crop]
    return [
        f
        for f in figures
        if "decoration" not in f.flags
        or f.kind == "image"
        or not any(geometry.contains(r.bbox, f.bbox, 2.0) for r in real)
    ]
