"""Vector charts on a canvas: bars, lines, scatter and pie."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from page_canvas import GREY, INK, PALE, SANS, SANS_BOLD, WHITE, Canvas, Colour, Point, text_width

Box = tuple[float, float, float, float]
Series = tuple[str, Sequence[float], Colour]
DASHES = (None, "[5 2.5] 0", "[1.2 2.2] 0", "[7 2 1.5 2] 0")


@dataclass(frozen=True)
class Axis:
    """A linear axis from low to high with a tick at each step."""

    low: float
    high: float
    step: float
    form: str = "{:g}"
    title: str = ""

    @property
    def ticks(self) -> list[float]:
        """Tick positions."""
        count = round((self.high - self.low) / self.step)
        return [round(self.low + i * self.step, 6) for i in range(count + 1)]

    def place(self, value: float, start: float, end: float) -> float:
        """Position of a value between two page coordinates."""
        return start + (end - start) * (value - self.low) / (self.high - self.low)


@dataclass(frozen=True)
class Plot:
    """The plot area of a chart with its y axis, drawn on creation by `frame`."""

    canvas: Canvas
    area: Box
    y: Axis
    font: str = SANS
    size: float = 7.6

    @classmethod
    def frame(cls, canvas: Canvas, box: Box, y: Axis, font: str = SANS, size: float = 7.6, below: float = 24) -> Plot:
        """Draw grid lines, tick labels and the title of the y axis inside the box."""
        x0, y0, x1, y1 = box
        left = x0 + max(text_width(y.form.format(tick), font, size) for tick in y.ticks) + (size + 13 if y.title else 8)
        plot = cls(canvas, (left, y0 + 6, x1 - 6, y1 - below), y, font, size)
        for tick in y.ticks:
            at = plot.at_y(tick)
            canvas.line([(left, at), (x1 - 6, at)], GREY if tick == y.low else PALE, 0.5)
            canvas.text(left - 4, at + size * 0.34, y.form.format(tick), font, size, GREY, "right")
        if y.title:
            canvas.text(x0 + size, (plot.area[1] + plot.area[3]) / 2, y.title, font, size, GREY, "centre", rotate=90)
        return plot

    def at_y(self, value: float) -> float:
        """Page coordinate of a value on the y axis."""
        return self.y.place(value, self.area[3], self.area[1])

    def label_x(self, x: float, text: str) -> None:
        """Write a tick label under the x axis."""
        self.canvas.text(x, self.area[3] + self.size + 4, text, self.font, self.size, GREY, "centre")

    def title_x(self, text: str) -> None:
        """Write the title of the x axis."""
        middle = (self.area[0] + self.area[2]) / 2
        self.canvas.text(middle, self.area[3] + 2 * self.size + 8, text, self.font, self.size, GREY, "centre")


def legend(canvas: Canvas, x: float, y: float, series: Sequence[tuple[str, Colour]], font: str = SANS) -> None:
    """Draw one row of colour keys, left to right from x."""
    for name, colour in series:
        canvas.rect(x, y - 6, x + 7, y + 1, fill=colour)
        x += 11 + canvas.text(x + 11, y, name, font, 7.8) + 16


def bars(
    canvas: Canvas,
    box: Box,
    labels: Sequence[str],
    series: Sequence[Series],
    y: Axis,
    stacked: bool = False,
    values: str | None = None,
    font: str = SANS,
    size: float = 7.6,
) -> None:
    """Upright bars, grouped or stacked; `values` is the format of the numbers written on them."""
    top = box[1] + (16 if len(series) > 1 else 0)
    plot = Plot.frame(canvas, (box[0], top, box[2], box[3]), y, font, size)
    x0, _, x1, base = plot.area
    slot = (x1 - x0) / len(labels)
    wide = slot * (0.56 if stacked or len(series) == 1 else 0.74 / len(series))
    for i, label in enumerate(labels):
        middle, floor = x0 + slot * (i + 0.5), 0.0
        for j, (_, data, colour) in enumerate(series):
            left = middle - wide / 2 if stacked else middle + (j - len(series) / 2) * wide
            low, high = (floor, floor + data[i]) if stacked else (y.low, data[i])
            canvas.rect(
                left + 0.5, plot.at_y(high), left + wide - 0.5, base if low <= y.low else plot.at_y(low), colour
            )
            if values and (not stacked or abs(plot.at_y(high) - plot.at_y(low)) > size + 1):
                at = (plot.at_y(high) + plot.at_y(low)) / 2 + size * 0.35 if stacked else plot.at_y(high) - 3
                tint = WHITE if stacked else INK
                canvas.text(left + wide / 2, at, values.format(data[i]), font, size, tint, "centre")
            floor = high
        plot.label_x(middle, label)
    if len(series) > 1:
        legend(canvas, x0, box[1] + 8, [(name, colour) for name, _, colour in series], font)


def level_bars(
    canvas: Canvas, box: Box, rows: Sequence[tuple[str, float]], high: float, colour: Colour, values: str = "{:g}"
) -> None:
    """Horizontal bars with their names on the left and their values at the end."""
    x0, y0, x1, y1 = box
    left = x0 + max(text_width(name, SANS, 8) for name, _ in rows) + 10
    slot = (y1 - y0) / len(rows)
    for i, (name, value) in enumerate(rows):
        middle = y0 + slot * (i + 0.5)
        end = left + (x1 - 34 - left) * value / high
        canvas.rect(left, middle - slot * 0.3, end, middle + slot * 0.3, fill=colour)
        canvas.text(left - 6, middle + 2.8, name, SANS, 8, align="right")
        canvas.text(end + 5, middle + 2.8, values.format(value), SANS_BOLD, 8)
    canvas.line([(left, y0), (left, y1)], GREY, 0.6)


def lines(
    canvas: Canvas,
    box: Box,
    labels: Sequence[str],
    series: Sequence[Series],
    y: Axis,
    markers: bool = True,
    x_title: str = "",
    font: str = SANS,
    size: float = 7.6,
    every: int = 1,
) -> None:
    """Lines over a categorical x axis; each series has its own colour and dash pattern."""
    top = box[1] + (16 if len(series) > 1 else 0)
    plot = Plot.frame(canvas, (box[0], top, box[2], box[3]), y, font, size, below=34 if x_title else 24)
    x0, _, x1, _ = plot.area
    step = (x1 - x0 - 24) / (len(labels) - 1)
    for i, label in enumerate(labels):
        if i % every == 0:
            plot.label_x(x0 + 12 + i * step, label)
    left = x0
    for j, (name, data, colour) in enumerate(series):
        points = [(x0 + 12 + i * step, plot.at_y(value)) for i, value in enumerate(data)]
        canvas.line(points, colour, 1.4, DASHES[j % len(DASHES)])
        for x, at in points if markers else []:
            canvas.circle(x, at, 2.2, fill=WHITE if j % 2 else colour, edge=colour)
        if len(series) > 1:
            canvas.line([(left, box[1] + 5.5), (left + 18, box[1] + 5.5)], colour, 1.4, DASHES[j % len(DASHES)])
            left += 22 + canvas.text(left + 22, box[1] + 8, name, font, size) + 14
    if x_title:
        plot.title_x(x_title)


def scatter(
    canvas: Canvas,
    box: Box,
    points: Sequence[Point],
    x: Axis,
    y: Axis,
    colour: Colour,
    font: str = SANS,
    size: float = 7.6,
    diagonal: bool = False,
    radius: float = 1.8,
) -> None:
    """Points over two linear axes, with the line of equality if `diagonal`."""
    plot = Plot.frame(canvas, box, y, font, size, below=34)
    x0, _, x1, _ = plot.area
    for tick in x.ticks:
        plot.label_x(x.place(tick, x0, x1), x.form.format(tick))
    plot.title_x(x.title)
    if diagonal:
        ends = [(x.place(v, x0, x1), plot.at_y(v)) for v in (x.low, x.high)]
        canvas.line(ends, GREY, 0.7, DASHES[1])
    for px, py in points:
        canvas.circle(round(x.place(px, x0, x1), 2), round(plot.at_y(py), 2), radius, fill=colour)


def pie(canvas: Canvas, box: Box, slices: Sequence[tuple[str, float, Colour]], form: str = "{:.1f}%") -> None:
    """A pie from twelve o'clock clockwise, each slice with its share outside and its name in a list on the right."""
    x0, y0, x1, y1 = box
    radius = (y1 - y0) / 2 - 14
    centre = (x0 + (x1 - x0) * 0.32, (y0 + y1) / 2)
    total = sum(value for _, value, _ in slices)
    turned = 0.0
    for i, (name, value, colour) in enumerate(slices):
        angle = 360 * value / total
        canvas.wedge(centre, radius, turned, angle, colour)
        middle = math.radians(turned + angle / 2)
        out = radius + 14
        label = form.format(100 * value / total)
        at = (round(centre[0] + out * 1.08 * math.sin(middle), 2), round(centre[1] - out * math.cos(middle) + 3, 2))
        canvas.text(*at, label, SANS_BOLD, 8.2, INK, "centre")
        row = centre[1] - len(slices) * 9 + i * 18 + 9
        canvas.rect(x0 + (x1 - x0) * 0.62, row - 7, x0 + (x1 - x0) * 0.62 + 9, row + 2, fill=colour)
        canvas.text(x0 + (x1 - x0) * 0.62 + 15, row + 1, name, SANS, 8.6)
        turned += angle
