"""Outlines of painted paths: the points that boxes do not tell, read from a page when a drawing asks for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import DrawnPath, Point, RawPage
from cosee.parse.pdf.turning import seen_point


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
