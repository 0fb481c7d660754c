"""Panels of one figure between two rules of one extent, as publishers frame a chart with its title and source."""

from __future__ import annotations

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf.page_model import FigureFound, RawPage
from cosee.parse.pdf.page_text import PageText

MIN_RULE = 100.0
MAX_SHARE = 0.8
"""A frame is at most this share of the page's height: more is a header and a footer rule."""
SAME = 3.0
MAX_RULES = 60


def joined_by_frame(page: RawPage, text: PageText, figures: list[FigureFound]) -> list[FigureFound]:
    """The figures, with the panels in one frame joined where no running text or caption stands among them."""
    for frame in _frames(page):
        panels = [f for f in figures if f.crop and geometry.contains(frame, f.bbox, SAME)]
        if len(panels) < 2 or any(f.kind == "image" for f in panels):
            continue
        whole = geometry.union(f.bbox for f in panels)
        if text.touches(whole, text.captions) or text.touches(whole, text.prose & (text.sizes >= 0.95 * text.body)):
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
        if v.rectangular and geometry.height(v.bbox) <= 2.5 and geometry.width(v.bbox) >= MIN_RULE
    ]
    if not 2 <= len(rules) <= MAX_RULES:
        return []
    rules.sort(key=lambda box: box[1])
    frames = []
    for n, top in enumerate(rules):
        below = (r for r in rules[n + 1 :] if abs(r[0] - top[0]) <= SAME and abs(r[2] - top[2]) <= SAME)
        bottom = next(below, None)
        if bottom is not None and 40 < bottom[3] - top[1] <= MAX_SHARE * page.height:
            frames.append((top[0], top[1], top[2], bottom[3]))
    return frames
