"""Scales of a chart's axes, read from its tick labels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from cosee.adapter import geometry
from cosee.artifacts.base import BBox

ALIGNED = 2.5
"""Tick labels of one axis share an edge or their middle to this many points."""
MIN_TICKS = 3
EXACT = 0.015
"""Largest deviation of a tick from the scale, as a share of the axis."""
_NUMBER = re.compile(
    r"(?P<sign>[+\-−–(])?\s*(?:US|HK|A|C)?[$€£¥₹]?\s*(?P<inner>[\-−–])?"
    r"(?P<digits>\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
    r"\s*(?P<unit>%|‰|°C?|[KMBkmb]n?|bn|tn|[x×]|pts?)?\)?$"
)
_FACTORS = {"k": 1e3, "m": 1e6, "mn": 1e6, "b": 1e9, "bn": 1e9, "tn": 1e12}


@dataclass(frozen=True)
class Label:
    """A word or short text of a chart and its box."""

    text: str
    bbox: BBox


@dataclass(frozen=True)
class Scale:
    """Maps a coordinate in points to the axis's value: ``factor * at + offset``, as a power of ten where ``log``."""

    factor: float
    offset: float
    log: bool
    length: float
    """Points from the first tick to the last."""
    ticks: tuple[Label, ...]

    def value(self, at: float) -> float:
        """The value at a coordinate."""
        value = self.factor * at + self.offset
        return 10.0**value if self.log else value

    def read(self, at: float) -> float:
        """The value at a coordinate to four digits, and no finer than a thousandth of the axis."""
        value = self.value(at)
        if self.log:
            return float(f"{value:.3g}")
        span = abs(self.factor) * self.length
        return round(value, max(-6, min(9, 3 - math.floor(math.log10(span))))) + 0.0


def number_of(text: str) -> float | None:
    """The number that a tick label shows (``1,200``, ``$3.5M``, ``40%``, ``(12)``); None for other text."""
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    digits = match["digits"]
    digits = re.sub(r"[ \u00a0\u202f]", "", digits)
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", ".")) * _FACTORS.get((match["unit"] or "").lower(), 1.0)
    return -value if match["sign"] in ("-", "−", "–", "(") or match["inner"] else value


def read_scale(labels: list[Label], axis: Literal["x", "y"]) -> Scale | None:
    """The scale of the longest row (``x``) or column (``y``) of numeric labels that fit one; None without any."""
    low = 1 if axis == "x" else 0
    along = 1 - low
    numeric = [(label, value) for label in labels if (value := number_of(label.text)) is not None]
    best: Scale | None = None
    tried: set[frozenset[int]] = set()
    for edge in (1, 2, 3) if axis == "y" else (3, 1, 2):
        groups: dict[int, list[tuple[Label, float]]] = {}
        for label, value in numeric:
            groups.setdefault(round(_edge(label.bbox, low, edge) / ALIGNED), []).append((label, value))
        for key in sorted(groups):
            members = groups[key] + groups.get(key + 1, [])
            identity = frozenset(id(label) for label, _ in members)
            if len(members) < MIN_TICKS or identity in tried:
                continue
            tried.add(identity)
            scale = _fit(members, along)
            if scale is not None and (best is None or len(scale.ticks) > len(best.ticks)):
                best = scale
    return best


def _edge(box: BBox, low: int, edge: int) -> float:
    """The start, end or middle of a label across its axis."""
    if edge == 3:
        return _middle(box, low)
    return box[low] if edge == 1 else box[low + 2]


def _middle(box: BBox, low: int) -> float:
    return (box[low] + box[low + 2]) / 2


def _fit(members: list[tuple[Label, float]], along: int) -> Scale | None:
    """A straight scale through at least three labels; labels that do not lie on it are left out."""
    points = sorted(((_middle(label.bbox, along), value, label) for label, value in members), key=lambda p: p[:2])
    if points[-1][0] - points[0][0] < 12:
        return None
    for log in (False, True):
        if log and any(value <= 0 for _, value, _ in points):
            continue
        values = [math.log10(value) if log else value for _, value, _ in points]
        line = _line([p[0] for p in points], values)
        if line is None:
            continue
        ticks = tuple(point[2] for point in points)
        ratio = max(p[1] for p in points) / min(p[1] for p in points) if log else 1.0
        if not log or ratio >= 100:
            return Scale(line[0], line[1], log, points[-1][0] - points[0][0], ticks)
    return None


def _line(at: list[float], values: list[float]) -> tuple[float, float] | None:
    """Slope and offset of the line through all points; None unless all lie on it and values differ."""
    span, rise = at[-1] - at[0], values[-1] - values[0]
    if span <= 0 or rise == 0:
        return None
    factor = rise / span
    offset = values[0] - factor * at[0]
    worst = max(abs(factor * a + offset - v) for a, v in zip(at, values, strict=True))
    return (factor, offset) if worst <= EXACT * abs(rise) else None


def category_labels(labels: list[Label], below: float, left: float, right: float) -> list[Label]:
    """The row of labels nearest below a plot, from left to right."""
    under = [
        label for label in labels if label.bbox[1] >= below - 3 and left - 20 <= _middle(label.bbox, 0) <= right + 20
    ]
    if not under:
        return []
    first = min(under, key=lambda label: label.bbox[1])
    row = [label for label in under if geometry.overlap_y(label.bbox, first.bbox) > 0.4 * geometry.height(first.bbox)]
    return sorted(row, key=lambda label: label.bbox[0])


def category_at(categories: list[Label], at: float, reach: float, axis: int = 0) -> str | None:
    """The text of the label whose middle is nearest to a coordinate, at most ``reach`` away."""
    near = min(categories, key=lambda label: abs(_middle(label.bbox, axis) - at), default=None)
    return near.text if near is not None and abs(_middle(near.bbox, axis) - at) <= reach else None
