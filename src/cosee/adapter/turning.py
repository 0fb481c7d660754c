"""Pages whose text is set sideways or upside down: laid out as if turned upright, boxes then put back as seen."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cosee.adapter.page_model import FigureFound, RawPage
from cosee.adapter.text import is_cjk
from cosee.artifacts.base import BBox
from cosee.artifacts.layout import LayoutBlock, LayoutPage, Span

MIN_CHARACTERS = 120
"""Fewer characters (four times fewer of Chinese or Japanese) say nothing about how a page is held."""
MIN_SHARE = 0.6
Matrix = tuple[float, float, float, float, float, float]


def quarter_of(dx: float, dy: float) -> int | None:
    """Direction of text as quarter turns clockwise (0 is left to right, 1 downwards), None where it is oblique."""
    if abs(dy) <= 0.2:
        return 0 if dx > 0 else 2
    return (1 if dy > 0 else 3) if abs(dx) <= 0.2 else None


def text_angle(directions: list[tuple[int | None, str]]) -> int:
    """Degrees clockwise by which most of a page's text, given as (quarter turns, characters), is turned."""
    weights: Counter[int | None] = Counter()
    for quarter, text in directions:
        weights[quarter] += len(text) if text.isascii() else sum(4 if is_cjk(c) else 1 for c in text)
    quarter, weight = max(weights.items(), key=lambda pair: (pair[1], pair[0] or 0), default=(0, 0))
    total = sum(weights.values())
    return 90 * quarter if quarter and total >= MIN_CHARACTERS and weight >= MIN_SHARE * total else 0


def upright_matrix(angle: int, width: float, height: float) -> Matrix:
    """From points of a page as seen, ``width`` by ``height``, to points of the page with its text upright."""
    if angle == 90:
        return 0.0, -1.0, 1.0, 0.0, 0.0, width
    if angle == 180:
        return -1.0, 0.0, 0.0, -1.0, width, height
    return (0.0, 1.0, -1.0, 0.0, height, 0.0) if angle == 270 else (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


def chained(first: Any, second: Matrix) -> Matrix:
    """The matrix that applies ``first`` (None changes nothing) and then ``second``."""
    if first is None:
        return second
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def turned(box: BBox, matrix: Matrix) -> BBox:
    """A box under a matrix of quarter turns."""
    a, b, c, d, e, f = matrix
    xs = a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e
    ys = b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f
    return round(min(xs), 2), round(min(ys), 2), round(max(xs), 2), round(max(ys), 2)


def turn_upright(page: RawPage, angle: int) -> None:
    """Turn everything on a page that is not turned yet, in place."""
    matrix = upright_matrix(angle, page.width, page.height)
    spans: dict[int, Span] = {}
    for fragment in page.fragments:
        fragment.bbox = turned(fragment.bbox, matrix)
        fragment.rotated = not fragment.rotated
        spans.update((id(span), span) for span in fragment.spans)
        for word in fragment.words:
            word.bbox = turned(word.bbox, matrix)
    for span in spans.values():
        span.bbox = turned(span.bbox, matrix)
    for vector in page.vectors:
        vector.bbox = turned(vector.bbox, matrix)
    for picture in page.pictures:
        picture.bbox = turned(picture.bbox, matrix)
    page.text_angle = angle
    if angle != 180:
        page.width, page.height = page.height, page.width


def as_seen(page: RawPage, blocks: list[LayoutBlock], figures: list[FigureFound]) -> None:
    """Put the boxes of an upright page back to where they are seen, in place, with the page's own size."""
    if not page.text_angle:
        return
    matrix = upright_matrix(360 - page.text_angle, page.width, page.height)
    _turn_blocks(blocks, matrix)
    for figure in figures:
        figure.bbox = turned(figure.bbox, matrix)
    if page.text_angle != 180:
        page.width, page.height = page.height, page.width


def upright_blocks(page: LayoutPage) -> list[LayoutBlock]:
    """The blocks of a page with boxes as if its text were upright; the page's own ones where it is."""
    if not page.text_angle:
        return page.blocks
    blocks = [block.model_copy(deep=True) for block in page.blocks]
    _turn_blocks(blocks, upright_matrix(page.text_angle, page.width, page.height))
    return blocks


def seen_box(page: LayoutPage, box: BBox) -> BBox:
    """A box of the upright page as it is seen."""
    if not page.text_angle:
        return box
    width, height = (page.width, page.height) if page.text_angle == 180 else (page.height, page.width)
    return turned(box, upright_matrix(360 - page.text_angle, width, height))


def _turn_blocks(blocks: list[LayoutBlock], matrix: Matrix) -> None:
    spans: dict[int, Span] = {}
    for block in blocks:
        block.bbox = turned(block.bbox, matrix)
        for line in block.lines:
            line.bbox = turned(line.bbox, matrix)
            spans.update((id(span), span) for span in line.spans)
    for span in spans.values():
        span.bbox = turned(span.bbox, matrix)
