"""What a figure shows, without a model: its kind, the form of a chart, and a description, from words and paths."""

from __future__ import annotations

import re

from cosee.artifacts.documents.chart import ChartData, ChartForm, ChartPoint
from cosee.artifacts.documents.content import ContentItem, ImageKind
from cosee.geometry import area
from cosee.structure.captions import thresholds
from cosee.structure.draft import Draft
from cosee.text.words import one_line

_KINDS: list[tuple[ImageKind, re.Pattern[str]]] = [
    ("screenshot", re.compile(r"\bscreen ?shots?\b|截图|截圖", re.I)),
    (
        "diagram",
        re.compile(
            r"\bdiagrams?\b|\bflow ?charts?\b|\bschematics?\b|\borgani[sz]ation(?:al)? charts?\b|"
            r"流程图|结构图|架构图|框图|示意图|構成図|概要図",
            re.I,
        ),
    ),
    (
        "statistical",
        re.compile(
            r"\bcharts?\b|\bgraphs?\b|\bplots?\b|\bhistograms?\b|\bcurves?\b|\bpercent(?:age)?s?\b|% of\b|\bversus\b|"
            r"\bvs\.?\b|\bas a function of\b|\bover time\b|\bby (?:hour|day|week|month|quarter|year|decade)\b|"
            r"统计图|走势图|趋势图|分布图|推移図",
            re.I,
        ),
    ),
    ("photo", re.compile(r"\bphoto(?:graph)?s?\b|\bportraits?\b|照片|写真", re.I)),
    ("logo", re.compile(r"\blogos?\b|\bemblems?\b", re.I)),
]  # fmt: skip
"""General knowledge: the names of kinds of pictures, and the words that say what a chart plots against what (versus, as
a function of, by a period, percent)."""
_FORMS: list[tuple[ChartForm, re.Pattern[str]]] = [
    ("pie", re.compile(r"\b(?:pie|dough?nut|ring)[- ](?:charts?|graphs?)\b|饼图|円グラフ", re.I)),
    (
        "bar",
        re.compile(
            r"\b(?:bar|column)[- ](?:charts?|graphs?|plots?|diagrams?)\b|\bhistograms?\b|柱状图|条形图|棒グラフ", re.I
        ),
    ),
    ("line", re.compile(r"\bline[- ](?:charts?|graphs?|plots?)\b|\bcurves?\b|折线图|曲线|折れ線", re.I)),
    ("scatter", re.compile(r"\bscatter[- ]?(?:plots?|charts?|graphs?|diagrams?)?\b|散点图|散布図", re.I)),
]
"""General knowledge: the names of the forms of charts, as programs that draw charts list them."""
_KIND_WORDS: dict[ImageKind, str] = {
    "statistical": "Chart", "photo": "Photo", "diagram": "Diagram", "screenshot": "Screenshot", "logo": "Logo",
    "other": "Figure",
}  # fmt: skip


def describe_figures(draft: Draft) -> None:
    """Complete ``kind``, ``chart_type``, ``chart_form`` and ``description`` of every image, in place.

    What M0 read from vector paths stands; words of the caption only fill what is open.
    """
    for item in draft.items:
        if item.role != "image":
            continue
        caption = one_line(item.caption or "")
        if item.chart_form in (None, "unknown"):
            item.chart_form = next((form for form, pattern in _FORMS if pattern.search(caption)), item.chart_form)
        if item.kind in (None, "other"):
            item.kind = _kind(item, caption)
        item.chart_type = item.kind
        if item.kind == "statistical" and item.chart_form is None:
            item.chart_form = "unknown"
        if item.description is None:
            item.description = _description(item, caption)


def _kind(item: ContentItem, caption: str) -> ImageKind:
    if item.chart_form not in (None, "unknown"):
        return "statistical"
    for kind, pattern in _KINDS:
        if pattern.search(caption):
            return kind
    in_margin = item.bbox[3] < thresholds.LOGO_TOP or item.bbox[1] > thresholds.LOGO_BOTTOM
    if not caption and not item.text and area(item.bbox) < thresholds.MAX_LOGO_AREA and in_margin:
        return "logo"
    if "photographic" in item.flags:
        return "photo"
    if "vector" in item.flags and sum(map(str.isalpha, item.text)) >= thresholds.MIN_DIAGRAM_LETTERS:
        return "diagram"
    return item.kind or "other"


def _description(item: ContentItem, caption: str) -> str:
    """One line such as ``Bar chart: Figure 3: Rainfall by month. Text in it: Jan, Feb, Mar.``"""
    kind = _KIND_WORDS[item.kind or "other"]
    if item.kind == "statistical" and item.chart_form not in (None, "other", "unknown"):
        kind = f"{str(item.chart_form).capitalize()} {'plot' if item.chart_form == 'scatter' else 'chart'}"
    inside = ", ".join(dict.fromkeys(line.strip() for line in item.text.split("\n") if line.strip()))
    text = f"{kind}: {caption}" if caption else f"{kind} without caption"
    if inside:
        text = f"{text.rstrip('.')}. Text in it: {inside}"
    values = chart_values(item.chart) if item.chart is not None else ""
    shortened_values = f" {shortened(values, thresholds.MAX_VALUES_CHARACTERS)}" if values else ""
    return shortened(text, thresholds.MAX_DESCRIPTION_CHARACTERS) + shortened_values


def shortened(text: str, limit: int) -> str:
    """The text, cut with an ellipsis where it has more characters than ``limit``."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def chart_values(chart: ChartData) -> str:
    """The series of a chart in words: ``Read from its paths: 2 series. North: 2019 12, 2020 14. South: ...``"""
    parts = []
    for number, series in enumerate(chart.series, start=1):
        points = [text for point in series.points if (text := _point(point, chart.form))]
        if points:
            parts.append(f"{series.name or f'Series {number}'}: {', '.join(points)}")
    count = "1 series" if len(chart.series) == 1 else f"{len(chart.series)} series"
    if chart.form == "pie":
        count = f"{len(chart.series)} sectors"
    return f"Read from its paths: {count}" + "".join(f". {part}" for part in parts) + "."


def _point(point: ChartPoint, form: ChartForm) -> str:
    if point.y is None:
        return ""
    value = f"{point.y:.6g}%" if form == "pie" else f"{point.y:.6g}"
    if form == "pie":
        return value
    at = point.label if point.label is not None else None if point.x is None else f"{point.x:.6g}"
    return f"{at} {value}" if at else value
