"""Painted paths: their boxes, which of them are borders, and their outlines, which a drawing asks for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import DrawnPath, Point, RawPage, Vector
from cosee.parse.pdf.turning import seen_point


def painted_path(block: Any, order: int, box: BBox, bounds: BBox) -> Vector | None:
    """A painted path, a block of MuPDF's text page, cut to the page; None when it lies outside."""
    if geometry.overlap_length_x(box, bounds) < 0 or geometry.overlap_length_y(box, bounds) < 0:
        return None
    stroked, (wide, high) = bool(block.get("stroked")), geometry.sides(box)
    # The left and right sides of a border are cut off aslant where browsers paint them.
    side = not stroked and wide <= thresholds.MAX_SIDE and high >= thresholds.MIN_SIDE
    rectangular = bool(block.get("isrect")) or side
    return Vector(geometry.clamp(box, bounds), rectangular, stroked, int(block.get("color") or 0), order)


def borders_in(blocks: Sequence[Any]) -> dict[int, list[BBox]]:
    """Borders that are painted as what lies between two rectangles, as browsers do: place of each of the two in
    ``blocks`` -> the sides that are painted, nothing for the first, and for a frame that was painted before."""
    found: dict[int, list[BBox]] = {}
    known: set[tuple[BBox, BBox, int]] = set()
    goes_on = False
    for order, (one, other) in enumerate(pairwise(blocks)):
        begins, goes_on = not goes_on, bool(one.get("continues"))
        if not (goes_on and begins) or other.get("continues"):
            continue
        if not all(block.get("isrect") and not block.get("stroked") for block in (one, other)):
            continue
        inner, outer = sorted((tuple(one["bbox"]), tuple(other["bbox"])), key=geometry.area)
        thick = [abs(a - b) for a, b in zip(inner, outer, strict=True)]
        if geometry.contains(outer, inner) and thresholds.MIN_BORDER < max(thick) <= thresholds.MAX_BORDER:
            key = (inner, outer, int(other.get("color") or 0))
            found[order], found[order + 1] = [], [] if key in known else _sides(inner, outer, thick)
            known.add(key)
    return found


def _sides(inner: BBox, outer: BBox, thick: Sequence[float]) -> list[BBox]:
    x0, y0, x1, y1 = outer
    sides = [(x0, y0, inner[0], y1), (x0, y0, x1, inner[1]), (inner[2], y0, x1, y1), (x0, inner[3], x1, y1)]
    return [side for side, size in zip(sides, thick, strict=True) if size > thresholds.MIN_BORDER]


def read_outlines(page: Any, matrix: Any) -> list[DrawnPath]:
    """Outlines of the paths of a ``pymupdf.Page``, as seen: ``matrix`` rotates where the page is rotated."""
    found: list[DrawnPath] = []
    segments = 0
    for drawing in page.get_cdrawings():
        items = drawing.get("items")
        if not items:
            continue
        segments += len(items)
        if segments > thresholds.MAX_SEGMENTS or len(found) >= thresholds.MAX_PATHS:
            break
        found.append(_outline(drawing, items, matrix))
    return found


def paths_in(page: RawPage, box: BBox) -> list[DrawnPath]:
    """Outlines whose centre lies in ``box``, in painting order; x as the page is laid out."""
    paths = page.outlines()
    if page.mirrored:
        paths = [moved(path, partial(_mirrored, width=page.width)) for path in paths]
    return [path for path in paths if geometry.center_inside(path.bbox, box, thresholds.PATH_TOLERANCE)]


def segments_in(page: RawPage, box: BBox) -> int:
    """How many lines and curves the paths in ``box`` have."""
    return sum(max(len(run) - 1, 0) for path in paths_in(page, box) for run in path.runs)


def moved(path: DrawnPath, change: Callable[[BBox], BBox]) -> DrawnPath:
    """The path where ``change`` puts its box and its points."""
    runs = [[change((x, y, x, y))[:2] for x, y in run] for run in path.runs]
    return replace(path, bbox=change(path.bbox), runs=runs)


def _mirrored(box: BBox, width: float) -> BBox:
    return width - box[2], box[1], width - box[0], box[3]


def _outline(drawing: Any, items: Any, matrix: Any) -> DrawnPath:
    """The outline of one of MuPDF's drawings, its segments joined to runs where one begins at the last one's end."""
    runs: list[list[Point]] = []
    curves = 0
    last: Any = None
    for item in items:
        kind = item[0]
        if kind == "re":
            x0, y0, x1, y1 = item[1]
            runs.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
            last = None
        elif kind == "qu":
            ul, ur, ll, lr = item[1]
            runs.append([ul, ur, lr, ll, ul])
            last = None
        else:
            start, end = item[1], item[-1]
            curves += kind == "c"
            if last is not None and _is_same(last, start):
                runs[-1].append(end)
            else:
                runs.append([start, end])
            last = end
    if matrix is not None:
        runs = [[seen_point(point, matrix) for point in run] for run in runs]
    if drawing.get("closePath") and len(runs[-1]) > 2 and runs[-1][0] != runs[-1][-1]:
        runs[-1].append(runs[-1][0])
    xs = [point[0] for run in runs for point in run]
    ys = [point[1] for run in runs for point in run]
    fill = _color(drawing.get("fill")) if "f" in drawing["type"] else None
    stroke = _color(drawing.get("color")) if "s" in drawing["type"] else None
    return DrawnPath((min(xs), min(ys), max(xs), max(ys)), runs, fill, stroke, curves)


def _is_same(one: Any, other: Any) -> bool:
    return max(abs(float(one[0] - other[0])), abs(float(one[1] - other[1]))) <= thresholds.SAME_POINT


def _color(channels: Any) -> int | None:
    """0xRRGGBB of colour channels 0..1; grey has one channel."""
    if channels is None:
        return None
    values = [max(0, min(255, round(255 * float(value)))) for value in channels]
    if len(values) == 1:
        values *= 3
    return values[0] << 16 | values[1] << 8 | values[2] if len(values) == 3 else None
