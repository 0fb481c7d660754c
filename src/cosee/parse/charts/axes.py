"""Scales of a chart's axes, read from its tick labels."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Literal

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.charts import thresholds

# General knowledge: signs, currencies, magnitudes and units beside a number.
_NUMBER = re.compile(
    r"(?P<sign>[+\-−–(])?\s*(?:US|HK|A|C)?[$€£¥₹]?\s*(?P<inner>[\-−–])?"
    r"(?P<digits>\d{1,3}(?:[, \u00a0\u202f]\d{3})+(?:\.\d+)?|\d+(?:[.,]\d+)?|\.\d+)"
    r"\s*(?P<unit>%|‰|°C?|[KMBkmb]n?|bn|tn|[x×]|pts?)?\)?$"
)
_POWER = re.compile(r"10[\-−–](\d{1,2})$")
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
    tick_values: tuple[tuple[float, float], ...]
    """Coordinate and value of each tick."""

    def value(self, at: float) -> float:
        """The value at a coordinate."""
        value = self.factor * at + self.offset
        return 10.0**value if self.log else value

    def read(self, at: float, near: float = thresholds.AT_TICK) -> float:
        """The value at a coordinate to four digits, and no finer than a thousandth of the axis.

        A coordinate within ``near`` points of a tick has the tick's value.
        """
        for middle, exact in self.tick_values:
            if abs(at - middle) <= near:
                return exact
        value = self.value(at)
        if self.log:
            return float(f"{value:.3g}")
        span = abs(self.factor) * self.length
        decimals = thresholds.VALUE_DIGITS - math.floor(math.log10(span))
        return round(value, max(thresholds.MIN_DECIMALS, min(thresholds.MAX_DECIMALS, decimals))) + 0.0


def number_of(text: str) -> float | None:
    """The number that a tick label shows (``1,200``, ``$3.5M``, ``40%``, ``(12)``); None for other text."""
    if len(text) > thresholds.MAX_NUMBER:
        return None
    power = _POWER.match(text.strip())
    if power is not None:
        return float(f"1e-{power[1]}")
    match = _NUMBER.match(text.strip())
    if match is None:
        return None
    digits = re.sub(r"[ \u00a0\u202f]", "", match["digits"])
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    value = float(digits.replace(",", ".")) * _FACTORS.get((match["unit"] or "").lower(), 1.0)
    return -value if match["sign"] in ("-", "−", "–", "(") or match["inner"] else value


def read_scales(labels: list[Label], axis: Literal["x", "y"]) -> list[Scale]:
    """Every scale of a row (``x``) or column (``y``) of numeric labels, the longest first; no label is in two."""
    low = 1 if axis == "x" else 0
    numeric = [(label, value) for label in labels if (value := number_of(label.text)) is not None]
    found: list[Scale] = []
    for edge in ("start", "end", "middle"):
        groups: dict[int, list[tuple[Label, float]]] = {}
        for label, value in numeric:
            at = _middle(label.bbox, low) if edge == "middle" else label.bbox[low if edge == "start" else low + 2]
            groups.setdefault(round(at / thresholds.ALIGNED), []).append((label, value))
        for key in sorted(groups):
            found += _scales_along(groups[key] + groups.get(key + 1, []), 1 - low)
    kept: list[Scale] = []
    used: set[int] = set()
    for scale in sorted(found, key=lambda scale: -len(scale.ticks)):
        own = {id(label) for label in scale.ticks}
        if not own & used:
            used |= own
            kept.append(scale)
    return kept


def scale_at(scales: list[Scale], box: BBox, axis: Literal["x", "y"]) -> Scale | None:
    """The scale that a mark's box is read on: ticks along its extent, nearest to the left of it (below it)."""
    along = 0 if axis == "x" else 1
    across = 1 - along

    def distance(scale: Scale) -> float:
        ticks = geometry.union(tick.bbox for tick in scale.ticks)
        before, after = box[across] - ticks[across + 2], ticks[across] - box[across + 2]
        usual, other = (after, before) if axis == "x" else (before, after)
        if usual >= -thresholds.TICKS_INSIDE:
            return usual
        return other + thresholds.ON_OTHER_SIDE if other >= -thresholds.TICKS_INSIDE else thresholds.INSIDE_PLOT

    near = []
    for number, scale in enumerate(scales):
        ticks = geometry.union(tick.bbox for tick in scale.ticks)
        common = min(box[along + 2], ticks[along + 2]) - max(box[along], ticks[along])
        if common >= thresholds.TICKS_ALONG * (box[along + 2] - box[along]):
            near.append((distance(scale), number))
    return scales[min(near)[1]] if near else None


def _middle(box: BBox, low: int) -> float:
    return (box[low] + box[low + 2]) / 2


def _scales_along(members: list[tuple[Label, float]], along: int) -> list[Scale]:
    """The scales that follow one another along an aligned row or column of labels."""
    points = sorted(((_middle(label.bbox, along), value, label) for label, value in members), key=lambda p: p[:2])
    scales = []
    start = 0
    while start + thresholds.MIN_TICKS <= len(points):
        end, best = start + thresholds.MIN_TICKS, None
        while end <= len(points) and (scale := _fit(points[start:end])) is not None:
            best, end = scale, end + 1
        if best is not None:
            scales.append(best)
        start = max(start + 1, end - 1) if best is not None else start + 1
    return scales


def _fit(points: list[tuple[float, float, Label]]) -> Scale | None:
    """The straight or logarithmic scale through all labels."""
    length = points[-1][0] - points[0][0]
    if length < thresholds.MIN_SCALE:
        return None
    for log in (False, True):
        if log and any(value <= 0 for _, value, _ in points):
            continue
        line = _line([p[0] for p in points], [math.log10(p[1]) if log else p[1] for p in points])
        ratio = max(p[1] for p in points) / min(p[1] for p in points) if log else 1.0
        if line is not None and (not log or ratio >= thresholds.MIN_LOG_RATIO):
            ticks = tuple(label for _, _, label in points)
            return Scale(line[0], line[1], log, length, ticks, tuple((at, value) for at, value, _ in points))
    return None


def _line(at: list[float], values: list[float]) -> tuple[float, float] | None:
    """Slope and offset of the line through all points; None unless all lie on it and values differ."""
    span, rise = at[-1] - at[0], values[-1] - values[0]
    if span <= 0 or rise == 0:
        return None
    factor = rise / span
    offset = values[0] - factor * at[0]
    worst = max(abs(factor * a + offset - v) for a, v in zip(at, values, strict=True))
    return (factor, offset) if worst <= thresholds.EXACT * abs(rise) else None


def category_labels(labels: list[Label], below: float, left: float, right: float) -> list[Label]:
    """The row of labels nearest below a plot, from left to right."""
    over = thresholds.CATEGORY_OVERHANG
    under = [
        label
        for label in labels
        if label.bbox[1] >= below - thresholds.TICKS_INSIDE and left - over <= _middle(label.bbox, 0) <= right + over
    ]
    if not under:
        return []
    first = min(under, key=lambda label: label.bbox[1])
    row = [
        label
        for label in under
        if geometry.overlap_length_y(label.bbox, first.bbox) > thresholds.SAME_ROW * geometry.height(first.bbox)
    ]
    return sorted(row, key=lambda label: label.bbox[0])


def category_at(categories: list[Label], at: float, reach: float, axis: int = 0) -> str | None:
    """The text of the label whose middle is nearest to a coordinate, at most ``reach`` away."""
    near = min(categories, key=lambda label: abs(_middle(label.bbox, axis) - at), default=None)
    return near.text if near is not None and abs(_middle(near.bbox, axis) - at) <= reach else None
