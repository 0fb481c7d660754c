"""How a page must be held so that most of its text can be read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cosee.artifacts.base import BBox
from cosee.text.scripts import count_cjk

MIN_CHARACTERS = 120
"""Fewer characters (four times fewer of Chinese or Japanese) say nothing about how a page is held."""
MIN_SHARE = 0.6
FEW_PIECES, FEW_SHARE = 6, 0.95
"""So many pieces of text tell it too, however short, where hardly any is held otherwise: a table, not a stamp."""
Matrix = tuple[float, float, float, float, float, float]


def quarter_of(dx: float, dy: float) -> int | None:
    """Direction of text as quarter turns clockwise (0 is left to right, 1 downwards), None where it is oblique."""
    if abs(dy) <= 0.2:
        return 0 if dx > 0 else 2
    return (1 if dy > 0 else 3) if abs(dx) <= 0.2 else None


def text_angle(directions: list[tuple[int | None, str]]) -> int:
    """Degrees clockwise by which most of a page's text, given as (quarter turns, characters), is turned."""
    weights: Counter[int | None] = Counter()
    pieces: Counter[int | None] = Counter()
    for quarter, text in directions:
        pieces[quarter] += bool(text)
        weights[quarter] += len(text) + 3 * count_cjk(text)
    quarter, weight = max(weights.items(), key=lambda pair: (pair[1], pair[0] or 0), default=(0, 0))
    total = sum(weights.values())
    if not quarter:
        return 0
    much = total >= MIN_CHARACTERS and weight >= MIN_SHARE * total
    all_of_it = pieces[quarter] >= FEW_PIECES and weight >= FEW_SHARE * total
    return 90 * quarter if much or all_of_it else 0


def chained(first: Any, second: Matrix) -> Matrix:
    """The matrix that applies ``first`` (None changes nothing) and then ``second``."""
    if first is None:
        return second
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def seen_box(box: Any, matrix: Any) -> BBox:
    """A box in points of the page as seen, or as read where its text is turned (``matrix``; None changes nothing)."""
    if matrix is None:
        return box[0], box[1], box[2], box[3]
    a, b, c, d, e, f = matrix
    xs = [a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e]
    ys = [b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f]
    return min(xs), min(ys), max(xs), max(ys)
