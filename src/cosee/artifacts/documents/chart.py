"""What a chart shows: its form, and the series and values read from its vector paths."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record

ChartForm = Literal["line", "bar", "pie", "scatter", "other", "unknown"]


class ChartPoint(Record):
    """One bar, sector, vertex or marker. ``x`` and ``y`` are None where their axis cannot be read."""

    x: float | None = None
    y: float | None = None
    """The value on the value axis; of a sector its share of the whole in percent."""
    label: str | None = None
    """The category that stands at it."""


class ChartSeries(Record):
    """Bars, vertices, sectors or markers of one colour."""

    name: str | None = None
    """As the legend has it, or as written beside the end of the line."""
    color: str
    """``#rrggbb``"""
    points: list[ChartPoint]


class ChartData(Record):
    """What a chart's vector paths show, without a model. Values are estimates from the axis tick labels."""

    form: ChartForm
    series: list[ChartSeries]
    x_ticks: list[str] = Field(default_factory=list)
    y_ticks: list[str] = Field(default_factory=list)
    """Tick labels of an axis that was read as a scale, from the start of the axis."""
