"""Which text of a page a reader cannot see: contract, settled 18."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any

from cosee import geometry
from cosee.parse.pdf.page_model import Fragment, Picture, RawPage, Vector
from cosee.parse.pdf.turning import seen_box

PAGE_COVER = 0.8
"""Pictures (one, or strips) over at least this share of the page are the page itself (a scan, a slide)."""
MIN_SIZE = 1.0
"""Text smaller than this many points cannot be read."""
PROOF_DPI, PROOF_PIXELS = 100, 4_000_000
"""How a page is rendered to see whether text shows through what was painted over it."""
_MAX_COVERS = 300
_FILLED_OR_STROKED = 16 | 32


def mark_hidden(source: Any, page: RawPage, styles: list[tuple[int, int, int]], orders: list[int]) -> None:
    """Set ``hidden`` on fragments and the page flags ``hidden_text`` and ``ocr_layer``; ``source`` is the PDF's page.

    ``styles`` holds (character flags, alpha, colour) and ``orders`` the painting order of each fragment. Invisible text
    on a page that a picture covers is an OCR layer: it is what the reader sees, and stays visible.
    """
    covered = sum(geometry.area(picture.bbox) for picture in page.pictures) >= PAGE_COVER * page.width * page.height
    fills = [v for v in page.vectors if v.rectangular and not v.stroked and geometry.area(v.bbox) > 60]
    fills = sorted(fills, key=lambda v: -geometry.area(v.bbox))[:_MAX_COVERS]
    curved = [vector for vector in page.vectors if not vector.rectangular]
    painted = _last_paint(source, page)
    suspects: list[tuple[Fragment, int]] = []
    for fragment, (flags, alpha, color), order in zip(page.fragments, styles, orders, strict=False):
        invisible = not flags & _FILLED_OR_STROKED or alpha == 0
        if invisible and covered:
            fragment.ocr = True
            continue
        over = [fill for fill in fills if fill.order > order and geometry.contains(fill.bbox, fragment.bbox, 1.0)]
        fragment.hidden = (
            invisible
            or fragment.size < MIN_SIZE
            or not geometry.center_inside(fragment.bbox, page.bbox)
            or _like_background(fragment, color, order, fills, curved, page.pictures)
            or any(_light(fill.color) or _dark(fill.color) for fill in over)
        )
        if not fragment.hidden and (over or painted(fragment)):
            suspects.append((fragment, color))
    for fragment in _not_shown(source, page, suspects):
        # Under the picture of the whole page lies the text that was recognised on it.
        fragment.ocr = covered
        fragment.hidden = not covered
    if any(fragment.ocr for fragment in page.fragments):
        page.flags.append("ocr_layer")
    if any(fragment.hidden for fragment in page.fragments):
        page.flags.append("hidden_text")


def _last_paint(source: Any, page: RawPage) -> Callable[[Fragment], bool]:
    """Tells whether a picture was painted over a fragment, after it."""
    import numpy as np

    over = [p.bbox for p in page.pictures]
    if not any(geometry.contains(box, f.bbox, 1.0) for box in over[:_MAX_COVERS] for f in page.fragments):
        return lambda fragment: False
    matrix = source.rotation_matrix
    log = [(kind, seen_box(rect, matrix)) for kind, rect in source.get_bboxlog()]
    images = [(n, box) for n, (kind, box) in enumerate(log) if kind == "fill-image"][:_MAX_COVERS]
    texts = [n for n, (kind, _) in enumerate(log) if kind.endswith("-text")]
    boxes = np.array([log[n][1] for n in texts]).reshape(-1, 4)

    def covered(fragment: Fragment) -> bool:
        last = max((n for n, box in images if geometry.contains(box, fragment.bbox, 1.0)), default=-1)
        if last < 0:
            return False
        x0, y0, x1, y1 = fragment.bbox
        later = boxes[bisect_right(texts, last) :]
        shown = (later[:, 0] < x1) & (later[:, 2] > x0) & (later[:, 1] < y1) & (later[:, 3] > y0)
        return not shown.any()

    return covered


def _not_shown(source: Any, page: RawPage, suspects: list[tuple[Fragment, int]]) -> list[Fragment]:
    """Of fragments that something was painted over, those whose colour the rendered page does not show at their place.

    What lies over them may be transparent, so that only the page's own pixels can tell.
    """
    if not suspects:
        return []
    import numpy as np
    import pymupdf

    zoom = min(PROOF_DPI / 72, (PROOF_PIXELS / max(page.width * page.height, 1.0)) ** 0.5)
    pixmap = source.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False, colorspace=pymupdf.csRGB)
    pixels = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3)
    found = []
    for fragment, color in suspects:
        x0, y0, x1, y1 = (max(0, round(value * zoom)) for value in fragment.bbox)
        part = pixels[y0:y1, x0:x1].reshape(-1, 3).astype(np.float32)
        if not len(part):
            continue
        ground = np.median(part, axis=0)
        way = np.array(_channels(color), dtype=np.float32) - ground
        length = float(way @ way)
        # Pixels on the way from the ground's colour to the text's; thin strokes do not get all the way.
        shown = float(((part - ground) @ way / length > 0.35).mean()) if length > 900 else 0.0
        if shown < 0.01:
            found.append(fragment)
    return found


def _channels(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _light(color: int) -> bool:
    return min(_channels(color)) >= 250


def _dark(color: int) -> bool:
    return max(_channels(color)) <= 40


def _like_background(
    fragment: Fragment, color: int, order: int, fills: list[Vector], curved: list[Vector], pictures: list[Picture]
) -> bool:
    """Whether the text has the colour of what was painted below it (white where nothing was)."""
    if max(_channels(color)) < 128:
        return False
    if any(geometry.center_inside(fragment.bbox, picture.bbox) for picture in pictures):
        return False
    below = [v for v in fills if v.order < order and geometry.center_inside(fragment.bbox, v.bbox)]
    if any(v.order < order and geometry.center_inside(fragment.bbox, v.bbox) for v in curved):
        return False
    background = max(below, key=lambda v: v.order).color if below else 0xFFFFFF
    return sum(abs(a - b) for a, b in zip(_channels(color), _channels(background), strict=True)) < 24
