"""Plots as numbers for inline SVG in the rows of a table: the text stays text, at every width and when read aloud."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from cosee.artifacts.results.metrics import Interval
from cosee.report.thresholds import DIFFERENCE_AXIS_STEPS, LEAST_DIFFERENCE_AXIS

Kind = TypeVar("Kind", bound=str)
SCALES = (0.2, 0.4, 0.6, 0.8, 1.0)
"""Ends of the axis of shares; the smallest that holds every value is taken."""


@dataclass(frozen=True)
class Point:
    """One row of a plot; places are in percent of the axis, None where there is nothing to draw."""

    name: str
    text: str
    x: float | None = None
    low: float | None = None
    high: float | None = None
    interval: str = ""
    mark: float | None = None
    """A second value to compare with: a ceiling, or a constant answer."""
    href: str | None = None
    note: str = ""
    hollow: bool = False
    """Drawn as an outline: a figure that is not to be compared with the others."""


@dataclass(frozen=True)
class Plot:
    """Rows of points on one axis; ``line`` is a reference through all of them."""

    points: Sequence[Point]
    ticks: Sequence[tuple[float, str]]
    """Numbers along the axis: place in percent, and text."""
    line: float | None = None
    line_text: str = ""


@dataclass(frozen=True)
class Share:
    """A value between 0 and 1 to be plotted."""

    name: str
    value: float | None
    interval: Interval | None = None
    mark: float | None = None
    href: str | None = None
    note: str = ""
    hollow: bool = False


def share_plot(rows: Sequence[Share], line: float | None = None, line_text: str = "") -> Plot:
    """Shares with their intervals on an axis from 0."""
    ends = [row.interval.high if row.interval else row.value or 0.0 for row in rows]
    top = max([*ends, line or 0.0, *(row.mark or 0.0 for row in rows)], default=0.0)
    end = next((scale for scale in SCALES if scale >= top), 1.0)

    def place(value: float | None) -> float | None:
        return None if value is None else round(100 * min(max(value / end, 0.0), 1.0), 2)

    return Plot(
        points=[_point(row, place, signed=False) for row in rows],
        ticks=[(25.0 * step, f"{end * step / 4:g}") for step in range(5)],
        line=place(line),
        line_text=line_text,
    )


def _point(row: Share, place: Callable[[float | None], float | None], *, signed: bool) -> Point:
    """A row at its place; differences have their sign and an interval in words."""
    sign, to = ("+", " to ") if signed else ("", "–")
    edges = row.interval
    return Point(
        name=row.name,
        text="–" if row.value is None else figure(row.value, sign),
        x=place(row.value),
        low=place(edges.low if edges else None),
        high=place(edges.high if edges else None),
        interval=f"{figure(edges.low, sign)}{to}{figure(edges.high, sign)}" if edges else "",
        mark=place(row.mark),
        href=row.href,
        note=row.note,
        hollow=row.hollow,
    )


def signed(value: float) -> str:
    """A difference to three digits, with its sign; nothing has none."""
    return figure(value, "+")


def figure(value: float, sign: str = "") -> str:
    """A number to three digits; one that is rounded to nothing has no sign."""
    return f"{value:{sign}.3f}" if round(value, 3) else "0.000"


def difference_plot(rows: Sequence[Share]) -> Plot:
    """Differences with their intervals on an axis around 0."""
    ends = [abs(edge) for row in rows if row.interval for edge in (row.interval.low, row.interval.high)]
    end = max([*ends, *(abs(row.value or 0.0) for row in rows), LEAST_DIFFERENCE_AXIS])
    end = math.ceil(end * DIFFERENCE_AXIS_STEPS) / DIFFERENCE_AXIS_STEPS

    def place(value: float | None) -> float | None:
        return None if value is None else round(50 + 50 * min(max(value / end, -1.0), 1.0), 2)

    return Plot(
        points=[_point(row, place, signed=True) for row in rows],
        ticks=[(25.0 * step, f"{end * (step - 2) / 2:+g}" if step != 2 else "0") for step in range(5)],
        line=50.0,
    )


@dataclass(frozen=True)
class Part:
    """A part of a stacked bar, in percent of the axis."""

    kind: str
    name: str
    count: int
    x: float
    width: float


@dataclass(frozen=True)
class Stack:
    """One stacked bar."""

    name: str
    parts: Sequence[Part]
    href: str | None = None


def stack(name: str, counts: Mapping[Kind, int], names: Mapping[Kind, str], href: str | None = None) -> Stack:
    """A bar over the whole axis, its parts in the order of ``names`` (kind -> words); parts of 0 are left out."""
    total = sum(counts.get(kind, 0) for kind in names) or 1
    parts, start = [], 0.0
    for kind, words in names.items():
        count = counts.get(kind, 0)
        if count:
            width = 100 * count / total
            parts.append(Part(kind, words, count, round(start, 2), round(width, 2)))
            start += width
    return Stack(name, parts, href)
