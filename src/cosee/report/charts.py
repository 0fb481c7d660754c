"""Bar charts as numbers for an inline SVG: no script, no library, readable when printed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cosee.artifacts.metrics import Interval

WIDTH, LEFT, RIGHT, ROW = 720, 170, 60, 28


@dataclass(frozen=True)
class Bar:
    """One bar, in units of the SVG's view box; ``low`` and ``high`` are the ends of its whisker."""

    name: str
    kind: str
    y: int
    width: float
    low: float | None
    high: float | None
    text: str
    text_x: float


@dataclass(frozen=True)
class Tick:
    """A line of the grid."""

    x: float
    text: str


@dataclass(frozen=True)
class Chart:
    """A chart of shares 0..1."""

    label: str
    width: int
    height: int
    left: int
    bars: list[Bar]
    ticks: list[Tick]


def share_chart(rows: Sequence[tuple[str, str, float | None, Interval | None]]) -> Chart:
    """Bars of (name, kind, share or None, interval or None); ``kind`` is a CSS class."""
    span = WIDTH - LEFT - RIGHT
    bars = []
    for number, (name, kind, value, interval) in enumerate(rows):
        width = round(span * (value or 0.0), 1)
        low = round(LEFT + span * interval.low, 1) if interval else None
        high = round(LEFT + span * interval.high, 1) if interval else None
        bars.append(
            Bar(
                name=name if len(name) <= 22 else f"{name[:21]}…",
                kind=kind,
                y=number * ROW,
                width=width,
                low=low,
                high=high,
                text="–" if value is None else f"{value:.3f}",
                text_x=round(max(LEFT + width, high or 0.0) + 7, 1),
            )
        )
    spoken = ", ".join(f"{name} {'not measured' if value is None else f'{value:.3f}'}" for name, _, value, _ in rows)
    return Chart(
        label=f"Accuracy: {spoken}",
        width=WIDTH,
        height=len(rows) * ROW + 22,
        left=LEFT,
        bars=bars,
        ticks=[Tick(round(LEFT + span * tick / 4, 1), f"{tick / 4:g}") for tick in range(5)],
    )
