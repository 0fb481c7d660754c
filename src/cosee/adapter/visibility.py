"""Which text of a page a reader cannot see: contract, settled 18."""

from __future__ import annotations

from cosee.adapter import geometry
from cosee.adapter.page_model import Fragment, RawPage, Vector

PAGE_COVER = 0.8
"""Pictures over at least this share of the page are the page itself (a scan, a slide, a background)."""
MIN_SIZE = 1.0
"""Text smaller than this many points cannot be read."""
_MAX_COVERS = 300
_FILLED_OR_STROKED = 16 | 32


def mark_hidden(page: RawPage, styles: list[tuple[int, int, int]], orders: list[int]) -> None:
    """Set ``hidden`` on fragments and the page flags ``hidden_text`` and ``ocr_layer``.

    ``styles`` holds (character flags, alpha, colour) and ``orders`` the painting order of each fragment. Invisible text
    on a page that a picture covers is an OCR layer: it is what the reader sees, and stays visible.
    """
    # Some scanners cut a page into strips: together they are the page.
    strips = [geometry.area(picture.bbox) for picture in page.pictures]
    covered = sum(strips) >= PAGE_COVER * page.width * page.height
    fills = [v for v in page.vectors if v.rectangular and not v.stroked and geometry.area(v.bbox) > 60]
    fills = sorted(fills, key=lambda v: -geometry.area(v.bbox))[:_MAX_COVERS]
    covers = [vector for vector in fills if _light(vector.color) or _dark(vector.color)]
    for fragment, (flags, alpha, color), order in zip(page.fragments, styles, orders, strict=False):
        invisible = not flags & _FILLED_OR_STROKED or alpha == 0
        if invisible and covered:
            if "ocr_layer" not in page.flags:
                page.flags.append("ocr_layer")
            fragment.ocr = True
            continue
        fragment.hidden = (
            invisible
            or fragment.size < MIN_SIZE
            or not geometry.center_inside(fragment.bbox, page.bbox)
            or _like_background(fragment, color, order, fills, page)
            or any(cover.order > order and geometry.contains(cover.bbox, fragment.bbox, 1.0) for cover in covers)
        )
    if any(fragment.hidden for fragment in page.fragments):
        page.flags.append("hidden_text")


def _channels(color: int) -> tuple[int, int, int]:
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _light(color: int) -> bool:
    return min(_channels(color)) >= 250


def _dark(color: int) -> bool:
    return max(_channels(color)) <= 40


def _like_background(fragment: Fragment, color: int, order: int, fills: list[Vector], page: RawPage) -> bool:
    """Whether the text has the colour of what was painted below it (white where nothing was)."""
    if max(_channels(color)) < 128:
        return False
    if any(geometry.center_inside(fragment.bbox, picture.bbox) for picture in page.pictures):
        return False
    below = [v for v in fills if v.order < order and geometry.center_inside(fragment.bbox, v.bbox)]
    other = [v for v in page.vectors if not v.rectangular and v.order < order]
    if any(geometry.center_inside(fragment.bbox, v.bbox) for v in other):
        return False
    background = max(below, key=lambda v: v.order).color if below else 0xFFFFFF
    return sum(abs(a - b) for a, b in zip(_channels(color), _channels(background), strict=True)) < 24
