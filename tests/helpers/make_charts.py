"""Charts and diagrams drawn with paths, for the tests of figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

RED, BLUE, GREEN = (0.8, 0.1, 0.1), (0.1, 0.3, 0.8), (0.1, 0.6, 0.2)
COLORS = (RED, BLUE, GREEN, (0.6, 0.5, 0.1), (0.4, 0.4, 0.4))
Box = tuple[float, float, float, float]


def axes(page: Any, box: Box, style: str = "lines") -> None:
    """``lines``: two; ``corner``: one path of an L; ``frame``; ``grid``: level rules only; ``none``."""
    x0, y0, x1, y1 = box
    if style == "lines":
        page.draw_line((x0, y0), (x0, y1))
        page.draw_line((x0, y1), (x1, y1))
    elif style == "corner":
        polyline(page, [(x0, y0), (x0, y1), (x1, y1)], (0, 0, 0))
    elif style == "frame":
        page.draw_rect(box)
    elif style == "grid":
        for step in range(6):
            y = y1 - (y1 - y0) * step / 5
            page.draw_line((x0, y), (x1, y), color=(0.8, 0.8, 0.8), width=0.5)


def ticks(page: Any, box: Box, across: Sequence[str], upright: Sequence[str], size: float = 8) -> None:
    """Tick labels at even steps, the first at the lower left corner."""
    x0, y0, x1, y1 = box
    for step, text in enumerate(upright):
        y = y1 - (y1 - y0) * step / (len(upright) - 1)
        page.insert_text((x0 - 8 - len(text) * size / 2, y + 0.35 * size), text, fontsize=size)
    for step, text in enumerate(across):
        x = x0 + (x1 - x0) * step / max(len(across) - 1, 1)
        page.insert_text((x - len(text) * size / 4, y1 + size + 5), text, fontsize=size)


def polyline(page: Any, points: Sequence[tuple[float, float]], color: tuple[float, float, float]) -> None:
    """One open stroked path."""
    shape = page.new_shape()
    shape.draw_polyline(points)
    shape.finish(color=color, width=1.5, closePath=False)
    shape.commit()


def line_chart(
    page: Any,
    box: Box,
    series: Sequence[Sequence[float]],
    style: str = "lines",
    across: Sequence[str] = ("2018", "2019", "2020", "2021", "2022"),
    upright: Sequence[str] = ("0", "10", "20", "30", "40"),
    markers: bool = False,
    segments: bool = False,
) -> None:
    """Lines over evenly spaced ticks; values are on the scale of ``upright``."""
    axes(page, box, style)
    ticks(page, box, across, upright)
    x0, y0, x1, y1 = box
    top = float(upright[-1])
    for color, values in zip(COLORS, series, strict=False):
        last = max(len(values) - 1, 1)
        points = [(x0 + (x1 - x0) * n / last, y1 - (y1 - y0) * value / top) for n, value in enumerate(values)]
        if segments:
            for start, end in zip(points, points[1:], strict=False):
                page.draw_line(start, end, color=color, width=1.5)
        else:
            polyline(page, points, color)
        for point in points if markers else ():
            page.draw_circle(point, 2, color=color, fill=color)


def bar_chart(
    page: Any, box: Box, values: Sequence[float], style: str = "lines", lying: bool = False, labels: bool = True
) -> None:
    """Bars of shares 0..1 of the axis, named A, B, C ..., with their percentage at the end."""
    axes(page, box, style)
    x0, y0, x1, y1 = box
    for n, value in enumerate(values):
        name, share = "ABCDEFGH"[n], f"{100 * value:.0f}%"
        if lying:
            step = (y1 - y0) / len(values)
            bar = (x0, y0 + step * (n + 0.2), x0 + (x1 - x0) * value, y0 + step * (n + 0.8))
            page.insert_text((x0 - 40, bar[3] - 4), f"Site {name}", fontsize=8)
            at = (bar[2] + 3, bar[3] - 4)
        else:
            step = (x1 - x0) / len(values)
            bar = (x0 + step * (n + 0.2), y1 - (y1 - y0) * value, x0 + step * (n + 0.8), y1)
            page.insert_text((bar[0] + step * 0.2, y1 + 12), name, fontsize=8)
            at = (bar[0] + 2, bar[1] - 3)
        page.draw_rect(bar, fill=BLUE, color=BLUE)
        if labels:
            page.insert_text(at, share, fontsize=8)


def pie_chart(page: Any, center: tuple[float, float], radius: float, shares: Sequence[float]) -> None:
    """Sectors with their percentage outside."""
    angle = 0.0
    for color, share in zip(COLORS, shares, strict=False):
        start = (center[0] + radius * math.cos(angle), center[1] - radius * math.sin(angle))
        page.draw_sector(center, start, -360 * share, color=(1, 1, 1), fill=color)
        middle = angle + math.pi * share
        at = (center[0] + 1.25 * radius * math.cos(middle) - 8, center[1] - 1.25 * radius * math.sin(middle) + 3)
        page.insert_text(at, f"{100 * share:.0f}%", fontsize=8)
        angle += 2 * math.pi * share


def scatter_chart(page: Any, box: Box, points: Sequence[tuple[float, float]], square: bool = False) -> None:
    """Markers; x on 0..100, y on 0..2."""
    axes(page, box, "corner")
    ticks(page, box, ("0", "25", "50", "75", "100"), ("0.0", "0.5", "1.0", "1.5", "2.0"))
    x0, y0, x1, y1 = box
    for across, upright in points:
        x, y = x0 + (x1 - x0) * across / 100, y1 - (y1 - y0) * upright / 2
        if square:
            page.draw_rect((x - 1.5, y - 1.5, x + 1.5, y + 1.5), color=BLUE, fill=BLUE)
        else:
            page.draw_circle((x, y), 1.8, color=BLUE, fill=BLUE)


def flow_chart(page: Any, x: float, y: float, arrows: bool = True) -> None:
    """Three boxes with text, joined by lines."""
    for n, text in enumerate(("Read pages", "Find tables", "Build tree")):
        box = (x + 130 * n, y, x + 130 * n + 90, y + 40)
        page.draw_rect(box)
        page.insert_text((box[0] + 12, y + 24), text, fontsize=9)
        if n < 2:
            page.draw_line((box[2], y + 20), (box[2] + 38, y + 20))
            if arrows:
                page.draw_polyline([(box[2] + 34, y + 16), (box[2] + 40, y + 20), (box[2] + 34, y + 24)])
