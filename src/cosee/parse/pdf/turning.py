"""How a page must be held so that most of its text can be read."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.text.scripts import count_cjk

Matrix = tuple[float, float, float, float, float, float]


def quarter_of(dx: float, dy: float) -> int | None:
    """Direction of text as quarter turns clockwise (0 is left to right, 1 downwards), None where it is oblique."""
    if abs(dy) <= thresholds.OBLIQUE:
        return 0 if dx > 0 else 2
    return (1 if dy > 0 else 3) if abs(dx) <= thresholds.OBLIQUE else None


def text_angle(directions: list[tuple[int | None, str]]) -> int:
    """Degrees clockwise by which most of a page's text, given as (quarter turns, characters), is turned."""
    weights: Counter[int | None] = Counter()
    pieces: Counter[int | None] = Counter()
    for quarter, text in directions:
        pieces[quarter] += bool(text)
        weights[quarter] += len(text) + (thresholds.CJK_WEIGHT - 1) * count_cjk(text)
    quarter, weight = max(weights.items(), key=lambda pair: (pair[1], pair[0] or 0), default=(0, 0))
    total = sum(weights.values())
    if not quarter:
        return 0
    most = total >= thresholds.UPRIGHT_MIN_CHARACTERS and weight >= thresholds.UPRIGHT_MIN_SHARE * total
    enough_pieces = pieces[quarter] >= thresholds.UPRIGHT_MIN_PIECES
    nearly_all = enough_pieces and weight >= thresholds.UPRIGHT_PIECES_SHARE * total
    return 90 * quarter if most or nearly_all else 0


def chained(first: Any, second: Matrix) -> Matrix:
    """The matrix that applies ``first`` (None changes nothing) and then ``second``."""
    if first is None:
        return second
    a, b, c, d, e, f = first
    p, q, r, s, t, u = second
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def seen_direction(direction: tuple[float, float], matrix: Any) -> tuple[float, float]:
    """A direction on the page as seen (``matrix``; None changes nothing)."""
    dx, dy = direction
    return (dx, dy) if matrix is None else (matrix[0] * dx + matrix[2] * dy, matrix[1] * dx + matrix[3] * dy)


def seen_point(point: Any, matrix: Any) -> tuple[float, float]:
    """A point of the page as seen."""
    x, y = point
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def seen_box(box: Any, matrix: Any) -> BBox:
    """A box in points of the page as seen, or as read where its text is turned (``matrix``; None changes nothing)."""
    if matrix is None:
        return box[0], box[1], box[2], box[3]
    a, b, c, d, e, f = matrix
    xs = [a * box[0] + c * box[1] + e, a * box[2] + c * box[3] + e]
    ys = [b * box[0] + d * box[1] + f, b * box[2] + d * box[3] + f]
    return min(xs), min(ys), max(xs), max(ys)
