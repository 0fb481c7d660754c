"""A chart's series as a table of text cells: categories down, series across."""

from __future__ import annotations

import re

from cosee.artifacts.documents.chart import ChartData, ChartPoint
from cosee.models.thresholds import MOST_CHART_ROWS, MOST_CHART_SERIES, MOST_DEVIATION_OF_A_LABEL

_PRINTED = re.compile(r"(?<![\w.,])[-−]?[$€£¥]?\d[\d,]*(?:\.\d+)?%?(?![\w])")


def chart_rows(chart: ChartData, text: str) -> list[list[str]]:
    """Header row and a row a category; empty where no value was read.

    A value is written as ``text``, the chart's own words, prints it; one that was only measured has ``~`` before it.
    """
    series = [each for each in chart.series if any(point.y is not None for point in each.points)][:MOST_CHART_SERIES]
    values = [abs(point.y) for each in series for point in each.points if point.y is not None]
    if not values:
        return []
    printed = [(float(re.sub(r"[^\d.]", "", each.replace("−", "-"))), each) for each in _PRINTED.findall(text)]
    near = MOST_DEVIATION_OF_A_LABEL * max(values)

    def shown(point: ChartPoint) -> str:
        if point.y is None:
            return ""
        size = abs(point.y)
        close = min(printed, key=lambda each: abs(each[0] - size), default=None)
        return close[1] if close and abs(close[0] - size) <= near else f"~{point.y:.4g}"

    if chart.form == "pie":
        return [["", "share"], *([each.name or "", shown(each.points[0])] for each in series)][: MOST_CHART_ROWS + 1]
    rows: dict[str, list[str]] = {}
    for at, each in enumerate(series):
        for point in each.points:
            label = point.label or ("" if point.x is None else f"{point.x:g}")
            cells = rows.setdefault(label, [""] * len(series)) if label else []
            if cells and not cells[at]:
                cells[at] = shown(point)
    body = [[label, *cells] for label, cells in rows.items()][:MOST_CHART_ROWS]
    return [["", *(each.name or "" for each in series)], *body] if body else []
