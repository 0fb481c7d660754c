"""Panels of one figure between two rules of one extent, as publishers frame a chart with its title and source."""

from __future__ import annotations

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.figures import thresholds
from cosee.parse.pdf.page_model import FigureFound, RawPage
from cosee.parse.pdf.page_text import PageText


def joined_by_frame(page: RawPage, text: PageText, figures: list[FigureFound]) -> list[FigureFound]:
    """The figures, with the panels in one frame joined where no running text or caption stands among them."""
    for frame in _frames(page):
        panels = [f for f in figures if f.crop and geometry.contains(frame, f.bbox, thresholds.FRAME_EDGE)]
        if len(panels) < 2 or any(f.kind == "image" for f in panels):
            continue
        whole = geometry.union(f.bbox for f in panels)
        running_text = text.prose & (text.sizes >= thresholds.FRAME_TEXT_SIZE * text.body)
        if text.touches(whole, text.captions | running_text):
            continue
        flags = list(dict.fromkeys(flag for f in panels for flag in f.flags))
        fragments = {n for f in panels for n in f.fragments} | set(text.inside(whole).tolist())
        figures = [f for f in figures if f not in panels] + [FigureFound(whole, "drawing", fragments, flags)]
    return figures


def _frames(page: RawPage) -> list[BBox]:
    """Boxes between neighbouring horizontal rules of one extent."""
    rules = [
        v.bbox
        for v in page.vectors
        if v.rectangular
        and geometry.height(v.bbox) <= thresholds.THIN
        and geometry.width(v.bbox) >= thresholds.MIN_FRAME_RULE
    ]
    if not 2 <= len(rules) <= thresholds.MAX_FRAME_RULES:
        return []
    rules.sort(key=lambda box: box[1])
    frames = []
    for n, top in enumerate(rules):
        edge, highest = thresholds.FRAME_EDGE, thresholds.MAX_FRAME * page.height
        below = (r for r in rules[n + 1 :] if abs(r[0] - top[0]) <= edge and abs(r[2] - top[2]) <= edge)
        bottom = next(below, None)
        if bottom is not None and thresholds.MIN_FRAME < bottom[3] - top[1] <= highest:
            frames.append((top[0], top[1], top[2], bottom[3]))
    return frames
