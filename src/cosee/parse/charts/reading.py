"""Reads a chart's marks from the outlines of its paths: series by colour, values from the axis labels."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.chart import ChartData, ChartForm, ChartPoint, ChartSeries
from cosee.parse.charts import thresholds
from cosee.parse.charts.axes import Label, Scale, category_at, category_labels, number_of, read_scales, scale_at
from cosee.parse.charts.marks import Bar, Marks, Sector, find_marks
from cosee.parse.pdf.page_model import DrawnPath, Fragment, Point


def read_chart(box: BBox, paths: list[DrawnPath], fragments: list[Fragment], guessed: bool) -> ChartData | None:
    """The chart in ``box`` (points); None when its paths show no bars, lines, sectors or markers of one.

    ``guessed`` says that the boxes of the paths look like a chart. Else an axis has to be readable, or, where the
    labels are outlines too, there have to be several marks of a kind.
    """
    labels = [Label(f.text, f.bbox) for f in fragments if not f.rotated]
    words = [Label(word.text, word.bbox) for f in fragments if not f.rotated for word in f.words] or labels
    spaces = sum(label.text.count(" ") for label in labels)
    if len(labels) >= thresholds.MIN_LABELS and spaces > thresholds.MAX_SPACES_OF_LABEL * len(labels):
        return None
    marks = find_marks(box, paths)
    axes = _Axes(read_scales(words, "x"), read_scales(words, "y"))
    labelled = len(labels) >= thresholds.MIN_LABELS or any(number_of(label.text) is not None for label in labels)
    form = _form(marks, axes, guessed, labelled)
    if form is None:
        return None
    if form == "pie":
        return ChartData(form=form, series=_sectors(marks.sectors, labels))
    if form == "bar":
        series = _bars(marks, labels, words, axes)
    else:
        series = _traces(marks.lines if form == "line" else marks.markers, labels, words, axes, form)
    _add_names(series, marks, labels)
    ticks = [[tick.text for scale in scales[:1] for tick in scale.ticks] for scales in (axes.x, axes.y)]
    return ChartData(form=form, series=series, x_ticks=ticks[0], y_ticks=ticks[1])


@dataclass(frozen=True)
class _Axes:
    x: list[Scale]
    y: list[Scale]

    def at(self, box: BBox) -> tuple[Scale | None, Scale | None]:
        """The scales of the panel that a mark stands in."""
        return scale_at(self.x, box, "x"), scale_at(self.y, box, "y")


def _form(marks: Marks, axes: _Axes, guessed: bool, labelled: bool) -> ChartForm | None:
    """The form by which marks there are most of."""
    bars, lines = len(marks.bars), len(marks.lines)
    markers = sum(len(points) for _, points in marks.markers)
    if marks.sectors:
        return "pie"
    known = guessed or bool(axes.x or axes.y)
    if not known and labelled:
        return None
    bent = [points for _, points in marks.lines if len(points) >= thresholds.MIN_VERTICES_OF_LINE]
    if axes.x and axes.y and markers >= thresholds.MIN_MARKERS and not bent:
        return "scatter"
    if bars >= thresholds.SURE_BARS and bars >= thresholds.BARS_OVER_LINES * lines:
        return "bar"
    if lines > thresholds.MAX_LINES:
        return None
    drawn = lines if axes.x or axes.y else len(bent)
    if drawn >= (1 if known else thresholds.SURE_LINES):
        return "line"
    return "bar" if bars >= thresholds.MIN_BARS and known else None


def _sectors(sectors: list[Sector], labels: list[Label]) -> list[ChartSeries]:
    """One series a sector: its share of the whole, named by the label nearest to it on its own side."""
    total = sum(sector.angle for sector in sectors)
    series = []
    for sector in sectors:
        x, y = sector.tip
        near = min(labels, key=lambda label: _distance(label.bbox, (x, y)), default=None)
        reach = thresholds.NAME_OFF_SECTOR * sector.radius
        name = near.text if near is not None and _distance(near.bbox, (x, y)) <= reach else None
        share = round(100 * sector.angle / total, 1)
        series.append(ChartSeries(name=name, color=_hex(sector.color), points=[ChartPoint(y=share, label=name)]))
    return series


def _distance(box: BBox, point: Point) -> float:
    place = (*point, *point)
    return math.hypot(geometry.gap_x(box, place), geometry.gap_y(box, place))


def _bars(marks: Marks, labels: list[Label], words: list[Label], axes: _Axes) -> list[ChartSeries]:
    axis = 1 if marks.lying else 0
    whole = geometry.union(bar.bbox for bar in marks.bars)
    texts = _worded(labels)
    if marks.lying:
        left, right = whole[0] + thresholds.NAME_BESIDE, whole[2] - thresholds.NAME_BESIDE
        beside = [label for label in texts if label.bbox[2] <= left or label.bbox[0] >= right]
        categories = [label for label in beside if number_of(label.text) is None]
    else:
        categories = _categories(texts, words, whole)
    by_color: dict[int, list[ChartPoint]] = {}
    for bar in sorted(marks.bars, key=lambda bar: (bar.bbox[axis], bar.bbox[1 - axis])):
        scale = axes.at(bar.bbox)[0 if marks.lying else 1]
        middle = (bar.bbox[axis] + bar.bbox[axis + 2]) / 2
        reach = thresholds.NAME_REACH * (bar.bbox[axis + 2] - bar.bbox[axis])
        value = _data_label(bar, words, marks.lying)
        if value is None and scale is not None and not scale.log:
            value = scale.read(bar.end) - (scale.read(bar.start) if _is_stacked(bar, marks) else 0.0)
        label = category_at(categories, middle, reach, axis)
        point = ChartPoint(y=None if value is None else round(value, 6), label=label)
        by_color.setdefault(bar.color, []).append(point)
    return [
        ChartSeries(color=_hex(color), points=points[: thresholds.MAX_POINTS]) for color, points in by_color.items()
    ]


def _categories(texts: list[Label], words: list[Label], box: BBox) -> list[Label]:
    """The labels in a row below a plot; word by word where they are written as one text."""
    whole = category_labels(texts, box[3], box[0], box[2])
    single = category_labels(_worded(words), box[3], box[0], box[2])
    spaced = len(single) > 1 and all(
        b.bbox[0] - a.bbox[2] > thresholds.WORDS_APART * geometry.height(a.bbox)
        for a, b in zip(single, single[1:], strict=False)
    )
    return single if spaced else whole


def _worded(labels: list[Label]) -> list[Label]:
    """The labels that say something: more than signs and strokes."""
    return [label for label in labels if any(map(str.isalnum, label.text))]


def _is_stacked(bar: Bar, marks: Marks) -> bool:
    """Whether a bar begins where another one ends, off the base line."""
    return any(other is not bar and abs(other.end - bar.start) <= thresholds.STACKED for other in marks.bars)


def _data_label(bar: Bar, words: list[Label], lying: bool) -> float | None:
    """The number printed in a bar or right at its end."""
    x0, y0, x1, y1 = bar.bbox
    overlap, beside = thresholds.NUMBER_OVERLAP, thresholds.NUMBER_BESIDE
    if lying:
        tip = (bar.end, (y0 + y1) / 2)
        grown = (x0 - thresholds.NUMBER_BEFORE, y0 - overlap, x1 + thresholds.NUMBER_PAST_END, y1 + overlap)
    else:
        tip = ((x0 + x1) / 2, bar.end)
        grown = (x0 - beside, y0 - thresholds.NUMBER_ABOVE_END, x1 + beside, y1 - overlap)
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
    for color, points in traces[: thresholds.MAX_SERIES]:
        box = geometry.union((x, y, x, y) for x, y in points)
        across, upright = axes.at(box)
        categories = [] if across is not None else _categories(labels, words, box)
        reach = 0.5 * (box[2] - box[0]) / max(len(categories) - 1, 1)
        read = [
            ChartPoint(
                x=across.read(x, thresholds.AT_STEP if form == "line" else thresholds.AT_TICK)
                if across is not None
                else None,
                y=upright.read(y) if upright is not None else None,
                label=category_at(categories, x, reach),
            )
            for x, y in _thinned(points if form == "scatter" else sorted(points))
        ]
        series.append(ChartSeries(color=_hex(color), points=read))
    return series


def _thinned(points: list[Point]) -> list[Point]:
    """As many points as a series has at most, evenly spaced, the first and last among them."""
    if len(points) <= thresholds.MAX_POINTS:
        return points
    step = (len(points) - 1) / (thresholds.MAX_POINTS - 1)
    return [points[round(n * step)] for n in range(thresholds.MAX_POINTS)]


def _add_names(series: list[ChartSeries], marks: Marks, labels: list[Label]) -> None:
    """Names from the legend: the text right of a swatch of the series' colour, else the text at the line's end."""
    names: dict[str, str] = {}
    for color, box in marks.swatches:
        beside = [
            label
            for label in labels
            if 0 <= label.bbox[0] - box[2] <= thresholds.NAME_BEHIND_SWATCH
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
        names_at_end = (
            label.text
            for label in labels
            if -thresholds.NAME_OVER_END <= label.bbox[0] - x <= thresholds.NAME_AT_END
            and abs((label.bbox[1] + label.bbox[3]) / 2 - y) <= thresholds.NAME_OFF_LEVEL
            and any(map(str.isalpha, label.text))
        )
        one.name = next(names_at_end, one.name)


def _hex(color: int) -> str:
    return f"#{color:06x}"
