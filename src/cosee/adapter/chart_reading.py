"""Reads a chart's marks from the outlines of its paths: series by colour, values from the axis labels."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cosee.adapter import geometry
from cosee.adapter.chart_axes import Label, Scale, category_at, category_labels, read_scale
from cosee.adapter.chart_marks import Bar, Marks, Sector, find_marks
from cosee.adapter.page_model import DrawnPath, Fragment, Point
from cosee.artifacts.base import BBox
from cosee.artifacts.content import ChartData, ChartForm, ChartPoint, ChartSeries

MAX_SERIES, MAX_POINTS = 24, 60
"""A chart with more is cut to these; a line keeps evenly spaced vertices."""
MIN_MARKERS = 8


def read_chart(box: BBox, paths: list[DrawnPath], fragments: list[Fragment]) -> ChartData | None:
    """The chart in ``box`` (points); None when its paths show no bars, lines, sectors or markers of one."""
    labels = [Label(f.text, f.bbox) for f in fragments if not f.rotated]
    words = [Label(word.text, word.bbox) for f in fragments if not f.rotated for word in f.words] or labels
    marks = find_marks(box, paths)
    form = _form(marks, len([1 for label in words if any(map(str.isdigit, label.text))]))
    if form is None:
        return None
    if form == "pie":
        return ChartData(form=form, series=_sectors(marks.sectors, labels))
    upright = read_scale(words, "y")
    across = read_scale(words, "x")
    if form == "bar":
        series = _bars(marks, labels, words, across if marks.lying else upright)
        value_scale = across if marks.lying else upright
        ticks = ([], _texts(value_scale)) if not marks.lying else (_texts(value_scale), [])
    else:
        traces = marks.lines if form == "line" else [(color, points) for color, points in marks.points]
        series = _traces(traces, labels, across, upright, form)
        ticks = (_texts(across), _texts(upright))
    _name(series, marks, labels)
    return ChartData(form=form, series=series[:MAX_SERIES], x_ticks=ticks[0], y_ticks=ticks[1])


def _form(marks: Marks, numbers: int) -> ChartForm | None:
    """The form by which marks there are most of; a chart shows numbers or has many marks."""
    bars, lines = len(marks.bars), len(marks.lines)
    markers = sum(len(points) for _, points in marks.points)
    if len(marks.sectors) >= 2:
        return "pie"
    if numbers < 2:
        return "bar" if bars >= 3 and not lines else None
    if markers >= MIN_MARKERS and all(len(points) <= 2 for _, points in marks.lines):
        return "scatter"
    if bars >= 3 and bars >= 2 * lines:
        return "bar"
    if lines:
        return "line"
    return "bar" if bars >= 2 else None


def _texts(scale: Scale | None) -> list[str]:
    return [tick.text for tick in scale.ticks] if scale is not None else []


def _sectors(sectors: list[Sector], labels: list[Label]) -> list[ChartSeries]:
    """One series a sector: its share of the whole, named by the label nearest to it on its own side."""
    total = sum(sector.angle for sector in sectors)
    series = []
    for sector in sectors:
        x, y = sector.tip
        near = min(labels, key=lambda label: _distance(label.bbox, (x, y)), default=None)
        name = near.text if near is not None and _distance(near.bbox, (x, y)) <= 2.0 * sector.radius else None
        share = round(100 * sector.angle / total, 1)
        series.append(ChartSeries(name=name, color=_hex(sector.color), points=[ChartPoint(y=share, label=name)]))
    return series


def _distance(box: BBox, point: Point) -> float:
    return math.hypot(max(box[0] - point[0], point[0] - box[2], 0.0), max(box[1] - point[1], point[1] - box[3], 0.0))


def _bars(marks: Marks, labels: list[Label], words: list[Label], scale: Scale | None) -> list[ChartSeries]:
    axis = 1 if marks.lying else 0
    whole = geometry.union(bar.bbox for bar in marks.bars)
    texts = [label for label in labels if any(map(str.isalnum, label.text))]
    if marks.lying:
        categories = [label for label in texts if label.bbox[2] <= whole[0] + 4 or label.bbox[0] >= whole[2] - 4]
    else:
        categories = category_labels(texts, whole[3], whole[0], whole[2])
        spaced = category_labels([w for w in words if any(map(str.isalnum, w.text))], whole[3], whole[0], whole[2])
        categories = spaced if len(spaced) > 2 * len(categories) else categories
    by_color: dict[int, list[ChartPoint]] = {}
    for bar in sorted(marks.bars, key=lambda bar: (bar.bbox[axis], bar.bbox[1 - axis])):
        middle = (bar.bbox[axis] + bar.bbox[axis + 2]) / 2
        reach = 2.5 * (bar.bbox[axis + 2] - bar.bbox[axis])
        value = scale.read(bar.end) - scale.read(bar.start) if scale is not None and not scale.log else None
        if value is None:
            value = _data_label(bar, words, marks.lying)
        label = category_at(categories, middle, reach, axis)
        point = ChartPoint(y=None if value is None else round(value, 6), label=label)
        by_color.setdefault(bar.color, []).append(point)
    return [ChartSeries(color=_hex(color), points=points[:MAX_POINTS]) for color, points in by_color.items()]


def _data_label(bar: Bar, words: list[Label], lying: bool) -> float | None:
    """The number printed in a bar or right at its end."""
    from cosee.adapter.chart_axes import number_of

    grown = (
        (bar.bbox[0] - 4, bar.bbox[1] - 1, bar.bbox[2] + 30, bar.bbox[3] + 1)
        if lying
        else (bar.bbox[0] - 3, bar.bbox[1] - 14, bar.bbox[2] + 3, bar.bbox[3] - 1)
    )
    tip = (bar.end, (bar.bbox[1] + bar.bbox[3]) / 2) if lying else ((bar.bbox[0] + bar.bbox[2]) / 2, bar.end)
    near = sorted(
        (_distance(word.bbox, tip), value)
        for word in words
        if geometry.center_inside(word.bbox, grown) and (value := number_of(word.text)) is not None
    )
    return near[0][1] if near else None


def _traces(
    traces: list[tuple[int, list[Point]]], labels: list[Label], across: Scale | None, upright: Scale | None, form: str
) -> list[ChartSeries]:
    ends = [point for _, points in traces for point in points]
    box = (min(p[0] for p in ends), min(p[1] for p in ends), max(p[0] for p in ends), max(p[1] for p in ends))
    categories = [] if across is not None else category_labels(labels, box[3], box[0], box[2])
    reach = 0.5 * (box[2] - box[0]) / max(len(categories) - 1, 1)
    series = []
    for color, points in traces:
        read = [
            ChartPoint(
                x=across.read(x) if across is not None else None,
                y=upright.read(y) if upright is not None else None,
                label=category_at(categories, x, reach),
            )
            for x, y in _thinned(points if form == "scatter" else sorted(points))
        ]
        series.append(ChartSeries(color=_hex(color), points=read))
    return series


def _thinned(points: list[Point]) -> list[Point]:
    """At most ``MAX_POINTS`` of the points, evenly spaced, the first and last among them."""
    if len(points) <= MAX_POINTS:
        return points
    step = (len(points) - 1) / (MAX_POINTS - 1)
    return [points[round(n * step)] for n in range(MAX_POINTS)]


def _name(series: list[ChartSeries], marks: Marks, labels: list[Label]) -> None:
    """Names from the legend: the text right of a swatch of the series' colour, else the text at the line's end."""
    names: dict[str, str] = {}
    for color, box in marks.swatches:
        beside = [
            label
            for label in labels
            if 0 <= label.bbox[0] - box[2] <= 14 and geometry.overlap_y(label.bbox, box) > 0 and label.text.strip()
        ]
        if beside:
            names.setdefault(_hex(color), min(beside, key=lambda label: label.bbox[0]).text)
    for one in series:
        one.name = names.get(one.color)
    if names:
        return
    for one, (_, points) in zip(series, marks.lines, strict=False):
        x, y = max(points)
        near = [
            label
            for label in labels
            if -2 <= label.bbox[0] - x <= 16 and abs((label.bbox[1] + label.bbox[3]) / 2 - y) <= 6
        ]
        worded = [label for label in near if any(map(str.isalpha, label.text))]
        if worded:
            one.name = worded[0].text


def _hex(color: int) -> str:
    return f"#{color:06x}"


def colors_of(series: Iterable[ChartSeries]) -> list[str]:
    """Colours in the order of the series, once each."""
    return list(dict.fromkeys(one.color for one in series))
