"""Outlines of painted paths: the points that boxes do not tell, read from a page when a drawing asks for them."""

from __future__ import annotations

from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import DrawnPath, Point, RawPage

MAX_PATHS = 8_000
MAX_SEGMENTS = 60_000
JOIN = 0.05
"""Points closer than this are one."""


def read_outlines(page: Any, matrix: Any) -> list[DrawnPath]:
    """Outlines of the paths of a ``pymupdf.Page``, as seen: ``matrix`` rotates where the page is rotated."""
    found: list[DrawnPath] = []
    segments = 0
    for drawing in page.get_cdrawings():
        items = drawing.get("items")
        if not items:
            continue
        segments += len(items)
        if segments > MAX_SEGMENTS or len(found) >= MAX_PATHS:
            break
        path = _outline(drawing, items, matrix)
        if path is not None:
            found.append(path)
    return found


def paths_in(page: RawPage, box: BBox) -> list[DrawnPath]:
    """Outlines whose centre lies in ``box``, in painting order; x as the page is laid out."""
    paths = [_mirrored(path, page.width) for path in page.outlines()] if page.mirrored else page.outlines()
    return [path for path in paths if geometry.center_inside(path.bbox, box, 1.0)]


def segments_in(page: RawPage, box: BBox) -> int:
    """How many lines and curves the paths in ``box`` have."""
    return sum(max(len(run) - 1, 0) for path in paths_in(page, box) for run in path.runs)


def _outline(drawing: Any, items: Any, matrix: Any) -> DrawnPath | None:
    """The outline of one of MuPDF's drawings, its segments joined to runs where one begins at the last one's end."""
    runs: list[list[Point]] = []
    curves = 0
    last: Any = None
    for item in items:
        kind = item[0]
        if kind == "re":
            x0, y0, x1, y1 = item[1]
            runs.append([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)])
        elif kind == "qu":
            ul, ur, ll, lr = item[1]
            runs.append([ul, ur, lr, ll, ul])
        else:
            start, end = item[1], item[-1]
            curves += kind == "c"
            if last is not None and abs(last[0] - start[0]) <= JOIN and abs(last[1] - start[1]) <= JOIN:
                runs[-1].append(end)
            else:
                runs.append([start, end])
            last = end
            continue
        last = None
    if matrix is not None:
        runs = [[_seen(point, matrix) for point in run] for run in runs]
    if not runs:
        return None
    if drawing.get("closePath") and len(runs[-1]) > 2 and runs[-1][0] != runs[-1][-1]:
        runs[-1].append(runs[-1][0])
    xs = [point[0] for run in runs for point in run]
    ys = [point[1] for run in runs for point in run]
    fill = _color(drawing.get("fill")) if "f" in drawing["type"] else None
    stroke = _color(drawing.get("color")) if "s" in drawing["type"] else None
    return DrawnPath((min(xs), min(ys), max(xs), max(ys)), runs, fill, stroke, curves)


def _seen(point: Any, matrix: Any) -> Point:
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def _color(channels: Any) -> int | None:
    """0xRRGGBB of colour channels 0..1; grey has one channel."""
    if channels is None:
        return None
    values = [max(0, min(255, round(255 * float(value)))) for value in channels]
    if len(values) == 1:
        values *= 3
    return values[0] << 16 | values[1] << 8 | values[2] if len(values) == 3 else None


def _mirrored(path: DrawnPath, width: float) -> DrawnPath:
    box = (width - path.bbox[2], path.bbox[1], width - path.bbox[0], path.bbox[3])
    return DrawnPath(box, [[(width - x, y) for x, y in run] for run in path.runs], path.fill, path.stroke, path.curves)
