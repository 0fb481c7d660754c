"""Which text of a page a reader cannot see: contract, settled 18."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from cosee import geometry
from cosee.parse.pdf.page_model import Fragment, RawPage, Vector
from cosee.parse.pdf.paper import INK, Paper
from cosee.parse.pdf.turning import seen_box

PAGE_COVER = 0.8
"""Pictures (one, or strips) over at least this share of the page are the page itself (a scan, a slide)."""
MIN_SIZE = 1.0
"""Text smaller than this many points cannot be read."""
OWN_INK_SHARE = 0.02
"""Share of a text's box that its ink takes at least."""
_MAX_COVERS = 300
_FILLED_OR_STROKED = 16 | 32


def mark_hidden(
    source: Any, paper: Paper, page: RawPage, styles: list[tuple[int, int, int]], orders: list[int]
) -> None:
    """Set ``hidden`` on fragments and the page flags ``hidden_text`` and ``ocr_layer``; ``source`` is the PDF's page.

    ``styles`` holds (character flags, alpha, colour) and ``orders`` the painting order of each fragment. Invisible text
    on a page that a picture covers is an OCR layer: it is what the reader sees, and stays visible. Text that is never
    painted, lies outside the page or is too small to read is hidden; of any other that seems so ``paper`` has to prove
    that it is not seen. Where text of the page is hidden it is drawn, so that ink left over can tell of a mistake.
    """
    covered = sum(geometry.area(picture.bbox) for picture in page.pictures) >= PAGE_COVER * page.width * page.height
    fills = [v for v in page.vectors if v.rectangular and not v.stroked and geometry.area(v.bbox) > 60]
    fills = sorted(fills, key=lambda v: -geometry.area(v.bbox))[:_MAX_COVERS]
    latest = max((fill.order for fill in fills), default=-1)
    painted = _last_paint(source, page)
    suspects: list[_Suspect] = []
    doubted = False
    for fragment, (flags, alpha, color), order in zip(page.fragments, styles, orders, strict=False):
        invisible = not flags & _FILLED_OR_STROKED or alpha == 0
        if invisible and covered:
            fragment.ocr = True
            continue
        fragment.hidden = invisible or fragment.size < MIN_SIZE or not geometry.center_inside(fragment.bbox, page.bbox)
        if fragment.hidden:
            doubted |= geometry.center_inside(fragment.bbox, page.bbox)
            continue
        over = order < latest and any(
            fill.order > order and geometry.contains(fill.bbox, fragment.bbox, 1.0) for fill in fills
        )
        if over or painted(fragment) or _like_background(fragment, color, order, page, fills):
            suspects.append(_Suspect(fragment, color, over=over))
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


@dataclass(frozen=True)
class _Suspect:
    """Text that may not be seen; ``over``: that a filled box was painted over it."""

    fragment: Fragment
    color: int
    over: bool


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
    found = []
    for suspect in suspects:
        rows, columns = paper.place(suspect.fragment.bbox)
        part = paper.pixels[rows, columns].astype(np.float32)
        if not part.size:
            continue
        ground = np.median(part.reshape(-1, 3), axis=0)
        way = np.array(_channels(suspect.color), dtype=np.float32) - ground
        length = float(way @ way)
        if length > 900:
            # Pixels on the way from the ground's colour to the text's; thin strokes do not get all the way.
            shown = float(((part - ground) @ way / length > 0.35).mean()) >= 0.01
        else:
            shown = _has_own_ink(part, ground, [paper.place(box) for box in others], rows.start, columns.start)
        if not shown:
            found.append(suspect)
    return found


def _has_own_ink(part: Any, ground: Any, others: list[tuple[slice, slice]], top: int, left: int) -> bool:
    """Whether pixels differ from the ground where nothing else of the page lies."""
    import numpy as np

    ink = np.abs(part - ground).max(axis=2) > INK
    free = np.ones(ink.shape, dtype=bool)
    for rows, columns in others:
        free[
            max(rows.start - top, 0) : max(rows.stop - top, 0),
            max(columns.start - left, 0) : max(columns.stop - left, 0),
        ] = False
    return float((ink & free).mean()) >= OWN_INK_SHARE


def _channels(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _like_background(fragment: Fragment, color: int, order: int, page: RawPage, fills: list[Vector]) -> bool:
    """Whether the text may have the colour of what was painted below it: that of a box, white where nothing was."""
    if max(_channels(color)) < 128:
        return False
    if any(geometry.center_inside(fragment.bbox, picture.bbox) for picture in page.pictures):
        return False
    if any(
        v.order < order and not v.rectangular and geometry.center_inside(fragment.bbox, v.bbox) for v in page.vectors
    ):
        return False
    below = [v for v in fills if v.order < order and geometry.center_inside(fragment.bbox, v.bbox)]
    background = max(below, key=lambda v: v.order).color if below else 0xFFFFFF
    return sum(abs(a - b) for a, b in zip(_channels(color), _channels(background), strict=True)) < 24
