"""Reads a chart's marks from the outlines of its paths: series by colour, values from the axis labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartData, ChartForm, ChartPoint, ChartSeries
from cosee.parse.charts.axes import (
    AT_STEP,
    AT_TICK,
    Label,
    Scale,
    category_at,
    category_labels,
    number_of,
    read_scales,
    scale_at,
)
from cosee.parse.charts.marks import Bar, Marks, Sector, find_marks
from cosee.parse.pdf.page_model import DrawnPath, Fragment, Point

MAX_SERIES, MAX_POINTS = 24, 60
"""A chart with more is cut to these; a line keeps evenly spaced vertices."""
MAX_LINES = 120
"""More runs from left to right than this are no chart: a map, a hatched area."""
MIN_MARKERS = 8
WORDY = 3.0
"""Labels with more spaces than this on average are sentences: no chart."""


def read_chart(box: BBox, paths: list[DrawnPath], fragments: list[Fragment], guess: str | None) -> ChartData | None:
    """The chart in ``box`` (points); None when its paths show no bars, lines, sectors or markers of one.

    ``guess`` is the form that the boxes of the paths suggest, if any. Without it an axis has to be readable, or, where
    the labels are outlines too, there have to be several marks of a kind.
    """
    labels = [Label(f.text, f.bbox) for f in fragments if not f.rotated]
    words = [Label(word.text, word.bbox) for f in fragments if not f.rotated for word in f.words] or labels
    if len(labels) >= 3 and sum(label.text.count(" ") for label in labels) > WORDY * len(labels):
        return None
    marks = find_marks(box, paths)
    axes = _Axes(read_scales(words, "x"), read_scales(words, "y"))
    labelled = len(labels) >= 3 or any(number_of(label.text) is not None for label in labels)
    form = _form(marks, axes, guess, labelled)
    if form is None:
        return None
    if form == "pie":
        return ChartData(form=form, series=_sectors(marks.sectors, labels))
    if form == "bar":
        series = _bars(marks, labels, words, axes)
    else:
        series = _traces(marks.lines if form == "line" else marks.points, labels, words, axes, form)
    _name(series, marks, labels)
    ticks = [[tick.text for scale in scales[:1] for tick in scale.ticks] for scales in (axes.x, axes.y)]
    return ChartData(form=form, series=series, x_ticks=ticks[0], y_ticks=ticks[1])


@dataclass(frozen=True)
class _Axes:
    x: list[Scale]
    y: list[Scale]

    def at(self, box: BBox) -> tuple[Scale | None, Scale | None]:
        """The scales of the panel that a mark stands in."""
        return scale_at(self.x, box, "x"), scale_at(self.y, box, "y")


def _form(marks: Marks, axes: _Axes, guess: str | None, labelled: bool) -> ChartForm | None:
    """The form by which marks there are most of."""
    bars, lines = len(marks.bars), len(marks.lines)
    markers = sum(len(points) for _, points in marks.points)
    if len(marks.sectors) >= 2:
        return "pie"
    known = guess is not None or bool(axes.x or axes.y)
    if not known and labelled:
        return None
    if axes.x and axes.y and markers >= MIN_MARKERS and all(len(points) <= 2 for _, points in marks.lines):
        return "scatter"
    if bars >= 3 and bars >= 2 * lines:
        return "bar"
    if lines > MAX_LINES:
        return None
    drawn = [points for _, points in marks.lines if axes.x or axes.y or len(points) > 2]
    if len(drawn) >= (1 if known else 2):
        return "line"
    return "bar" if bars >= 2 and known else None


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


def _bars(marks: Marks, labels: list[Label], words: list[Label], axes: _Axes) -> list[ChartSeries]:
    axis = 1 if marks.lying else 0
    whole = geometry.union(bar.bbox for bar in marks.bars)
    texts = [label for label in labels if any(map(str.isalnum, label.text))]
    if marks.lying:
        categories = [label for label in texts if label.bbox[2] <= whole[0] + 4 or label.bbox[0] >= whole[2] - 4]
        categories = [label for label in categories if number_of(label.text) is None]
    else:
        categories = _categories(texts, words, whole)
    by_color: dict[int, list[ChartPoint]] = {}
    for bar in sorted(marks.bars, key=lambda bar: (bar.bbox[axis], bar.bbox[1 - axis])):
        scale = axes.at(bar.bbox)[0 if marks.lying else 1]
        middle = (bar.bbox[axis] + bar.bbox[axis + 2]) / 2
        reach = 2.5 * (bar.bbox[axis + 2] - bar.bbox[axis])
        value = _data_label(bar, words, marks.lying)
        if value is None and scale is not None and not scale.log:
            value = scale.read(bar.end) - (scale.read(bar.start) if _is_stacked(bar, marks) else 0.0)
        label = category_at(categories, middle, reach, axis)
        point = ChartPoint(y=None if value is None else round(value, 6), label=label)
        by_color.setdefault(bar.color, []).append(point)
    return [ChartSeries(color=_hex(color), points=points[:MAX_POINTS]) for color, points in by_color.items()]


def _categories(texts: list[Label], words: list[Label], box: BBox) -> list[Label]:
    """The labels in a row below a plot; word by word where they are written as one text."""
    whole = category_labels(texts, box[3], box[0], box[2])
    single = category_labels([word for word in words if any(map(str.isalnum, word.text))], box[3], box[0], box[2])
    spaced = len(single) > 1 and all(
        b.bbox[0] - a.bbox[2] > 0.6 * geometry.height(a.bbox) for a, b in zip(single, single[1:], strict=False)
    )
    return single if spaced else whole


def _is_stacked(bar: Bar, marks: Marks) -> bool:
    """Whether a bar begins where another one ends, off the base line."""
    return any(other is not bar and abs(other.end - bar.start) <= 1.0 for other in marks.bars)


def _data_label(bar: Bar, words: list[Label], lying: bool) -> float | None:
    """The number printed in a bar or right at its end."""
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
    traces: list[tuple[int, list[Point]]], labels: list[Label], words: list[Label], axes: _Axes, form: ChartForm
) -> list[ChartSeries]:
    series = []
    for color, points in traces[:MAX_SERIES]:
        box = (
            min(p[0] for p in points),
            min(p[1] for p in points),
            max(p[0] for p in points),
            max(p[1] for p in points),
        )
        across, upright = axes.at(box)
        categories = [] if across is not None else _categories(labels, words, box)
        reach = 0.5 * (box[2] - box[0]) / max(len(categories) - 1, 1)
        read = [
            ChartPoint(
                x=across.read(x, AT_STEP if form == "line" else AT_TICK) if across is not None else None,
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
            if 0 <= label.bbox[0] - box[2] <= 14
            and geometry.overlap_length_y(label.bbox, box) > 0
            and label.text.strip()
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
