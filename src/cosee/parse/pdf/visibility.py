"""Which text of a page a reader cannot see; text is hidden only where the drawn page proves it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from typing import Any, NamedTuple

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, RawPage, Vector
from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.turning import seen_box

FILLED, STROKED = 16, 32
"""Character flags of text that is filled, and of text whose outline is drawn."""


class Painting(NamedTuple):
    """How a fragment is painted: MuPDF's character flags, opacity and colour, and its place in the painting order."""

    flags: int
    alpha: int
    color: int
    order: int


def mark_hidden(source: Any, paper: Paper, page: RawPage, paintings: list[Painting]) -> None:
    """Set ``hidden`` on fragments and the page flags ``hidden_text`` and ``ocr_layer``; ``source`` is the PDF's page.

    ``paintings`` are those of the fragments. Invisible text on a page that a picture covers is an OCR layer: it is what
    the reader sees, and stays visible. Text that is never painted, lies outside the page or is too small to read is
    hidden; of any other that seems so ``paper`` has to prove that it is not seen. Where text of the page is hidden it
    is drawn, so that ink left over can tell of a mistake.
    """
    pictured = sum(geometry.area(picture.bbox) for picture in page.pictures)
    covered = pictured >= thresholds.PAGE_COVER * page.width * page.height
    least = thresholds.MIN_COVER_AREA
    fills = [v for v in page.vectors if v.rectangular and not v.stroked and geometry.area(v.bbox) > least]
    fills = sorted(fills, key=lambda v: -geometry.area(v.bbox))[: thresholds.MAX_COVERS]
    in_order = sorted(fills, key=lambda fill: fill.order)
    orders = [fill.order for fill in in_order]
    under_picture = _covered_by_pictures(source, page)
    suspects: list[_Suspect] = []
    doubted = False
    for fragment, painting in zip(page.fragments, paintings, strict=False):
        invisible = not painting.flags & (FILLED | STROKED) or painting.alpha == 0
        if invisible and covered:
            fragment.ocr = True
            continue
        on_page = geometry.center_inside(fragment.bbox, page.bbox)
        fragment.hidden = invisible or fragment.size < thresholds.MIN_READABLE_SIZE or not on_page
        if fragment.hidden:
            doubted |= on_page
            continue
        later = in_order[bisect_right(orders, painting.order) :]
        over = any(_covers(fill.bbox, fragment) for fill in later)
        if over or under_picture(fragment) or _like_background(fragment, painting, page, fills):
            suspects.append(_Suspect(fragment, painting.color, over=over))
    if doubted:
        paper.draw()
    for suspect in _not_shown(paper, page, suspects):
        # Under the picture of the whole page lies the text that was recognised on it.
        suspect.fragment.ocr = covered and not suspect.over
        suspect.fragment.hidden = not suspect.fragment.ocr
    if any(fragment.ocr for fragment in page.fragments):
        page.flags.append("ocr_layer")
    if any(fragment.hidden for fragment in page.fragments):
        page.flags.append("hidden_text")


class _Suspect(NamedTuple):
    """Text that may not be seen; ``over``: that a filled box was painted over it."""

    fragment: Fragment
    color: int
    over: bool


def _covers(box: BBox, fragment: Fragment) -> bool:
    return geometry.contains(box, fragment.bbox, thresholds.COVER_TOLERANCE)


def _covered_by_pictures(source: Any, page: RawPage) -> Callable[[Fragment], bool]:
    """Tells whether a picture was painted over a fragment, after it."""
    import numpy as np

    if not any(_covers(p.bbox, f) for p in page.pictures[: thresholds.MAX_COVERS] for f in page.fragments):
        return lambda fragment: False
    matrix = source.rotation_matrix
    log = [(kind, seen_box(rect, matrix)) for kind, rect in source.get_bboxlog()]
    images = [(n, box) for n, (kind, box) in enumerate(log) if kind == "fill-image"][: thresholds.MAX_COVERS]
    texts = [n for n, (kind, _) in enumerate(log) if kind.endswith("-text")]
    boxes = np.array([log[n][1] for n in texts]).reshape(-1, 4)

    def covered(fragment: Fragment) -> bool:
        last = max((n for n, box in images if _covers(box, fragment)), default=-1)
        if last < 0:
            return False
        x0, y0, x1, y1 = fragment.bbox
        later = boxes[bisect_right(texts, last) :]
        shown = (later[:, 0] < x1) & (later[:, 2] > x0) & (later[:, 1] < y1) & (later[:, 3] > y0)
        return not shown.any()

    return covered


def _not_shown(paper: Paper, page: RawPage, suspects: list[_Suspect]) -> list[_Suspect]:
    """Of suspects, those that the drawn page does not show at their place; none where it cannot be drawn.

    What lies over them may be transparent, and what they are filled with may be no plain colour, so that only the
    page's own pixels can tell: text is shown where its colour is, or where there is ink that nothing else explains.
    """
    if not suspects or paper.pixels is None:
        return []
    import numpy as np

    doubted = {id(suspect.fragment) for suspect in suspects}
    others = [f.bbox for f in page.fragments if id(f) not in doubted and not f.hidden and not f.ocr]
    others += [p.bbox for p in page.pictures] + [v.bbox for v in page.vectors if v.stroked or not v.rectangular]
    boxes = np.array(others, dtype=float).reshape(-1, 4)
    found = []
    for suspect in suspects:
        rows, columns = paper.place(suspect.fragment.bbox)
        part = paper.pixels[rows, columns].astype(np.float32)
        if not part.size:
            continue
        ground = np.median(part.reshape(-1, 3), axis=0)
        difference = np.array(_channels(suspect.color), dtype=np.float32) - ground
        contrast = float(difference @ difference)
        if contrast > thresholds.MIN_CONTRAST:
            # How far each pixel is from the ground's colour to the text's; thin strokes do not get all the way.
            own = (part - ground) @ difference / contrast > thresholds.SHOWN_COLOUR
            shown = float(own.mean()) >= thresholds.SHOWN_SHARE
        else:
            x0, y0, x1, y1 = suspect.fragment.bbox
            near = (boxes[:, 0] < x1 + 1) & (boxes[:, 2] > x0 - 1) & (boxes[:, 1] < y1 + 1) & (boxes[:, 3] > y0 - 1)
            around = [paper.place(others[n]) for n in np.flatnonzero(near).tolist()]
            shown = _has_own_ink(part, ground, around, rows.start, columns.start)
        if not shown:
            found.append(suspect)
    return found


def _has_own_ink(part: Any, ground: Any, others: list[tuple[slice, slice]], top: int, left: int) -> bool:
    """Whether pixels differ from the ground where nothing else of the page lies."""
    import numpy as np

    ink = np.abs(part - ground).max(axis=2) > thresholds.PAGE_INK
    free = np.ones(ink.shape, dtype=bool)
    for rows, columns in others:
        free[
            max(rows.start - top, 0) : max(rows.stop - top, 0),
            max(columns.start - left, 0) : max(columns.stop - left, 0),
        ] = False
    return float((ink & free).mean()) >= thresholds.OWN_INK_SHARE


def _channels(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _like_background(fragment: Fragment, painting: Painting, page: RawPage, fills: list[Vector]) -> bool:
    """Whether the text may have the colour of what was painted below it: that of a box, white where nothing was."""
    color, order, box = _channels(painting.color), painting.order, fragment.bbox
    if max(color) < thresholds.DARK_LEVEL:
        return False
    if any(geometry.center_inside(box, picture.bbox) for picture in page.pictures):
        return False
    if any(v.order < order and not v.rectangular and geometry.center_inside(box, v.bbox) for v in page.vectors):
        return False
    below = [v for v in fills if v.order < order and geometry.center_inside(box, v.bbox)]
    background = _channels(max(below, key=lambda v: v.order).color if below else 0xFFFFFF)
    return sum(abs(a - b) for a, b in zip(color, background, strict=True)) < thresholds.SAME_COLOUR
