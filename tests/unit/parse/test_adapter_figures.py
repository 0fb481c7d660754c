from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from helpers.make_charts import bar_chart, flow_chart, line_chart, pie_chart, scatter_chart
from helpers.make_pdf import lines, make_pdf, picture, sentence

from cosee.artifacts.documents.content import ContentItem, ContentList
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.parse.content.adapt import adapt
from cosee.parse.pdf_reader import read_pdf
from cosee.structure.enhance import enhance

BOX = (150.0, 180.0, 420.0, 300.0)
Draw = Callable[[Any], None]


def read(tmp_path: Path, draw: Draw, rotation: int = 0) -> ContentList:
    """The adapted list of a page with running text above and below what ``draw`` draws."""

    def page_of(page: Any) -> None:
        lines(page, 72, 90, [sentence(n, 9) for n in range(5)])
        draw(page)
        lines(page, 72, 380, [sentence(n, 9) for n in range(8)])

    path = make_pdf(tmp_path / "a.pdf", page_of)
    if rotation:
        path = turned(path, tmp_path / "turned.pdf", rotation)
    return adapt(read_pdf(path, "a", AdaptSettings(ocr="none"), tmp_path / "images").layout)


def turned(path: Path, target: Path, rotation: int) -> Path:
    """The page drawn sideways and marked as rotated: a reader sees it upright."""
    with pymupdf.open(path) as source, pymupdf.open() as document:
        page = document.new_page(width=842, height=595)
        page.show_pdf_page(page.rect, source, 0, rotate=rotation)
        page.set_rotation(rotation)
        document.save(target, no_new_id=True)
    return target


def figures(content: ContentList) -> list[ContentItem]:
    return [item for item in content.items if item.role == "image"]


def scattered() -> list[tuple[float, float]]:
    return [((37 * n) % 100, (53 * n) % 200 / 100) for n in range(24)]


CHARTS: list[tuple[str, Draw, str]] = [
    ("lines", lambda p: line_chart(p, BOX, [(5, 12, 18, 30, 33), (20, 18, 14, 9, 6)]), "line"),
    ("axes as one path", lambda p: line_chart(p, BOX, [(5, 12, 18, 30, 33)], "corner"), "line"),
    ("grid, no axes", lambda p: line_chart(p, BOX, [(5, 12, 18, 30, 33)], "grid"), "line"),
    ("segments, markers", lambda p: line_chart(p, BOX, [(5, 9, 4)], "grid", markers=True, segments=True), "line"),
    ("bars", lambda p: bar_chart(p, BOX, (0.5, 0.8, 0.3, 0.6)), "bar"),
    ("bars without axis", lambda p: bar_chart(p, BOX, (0.5, 0.8, 0.3, 0.6), "none"), "bar"),
    ("two lying bars", lambda p: bar_chart(p, (150, 180, 420, 250), (0.5, 0.8), "none", lying=True), "bar"),
    ("pie", lambda p: pie_chart(p, (280, 240), 50, (0.4, 0.3, 0.2, 0.1)), "pie"),
    ("two sectors", lambda p: pie_chart(p, (280, 240), 50, (0.7, 0.3)), "pie"),
    ("markers", lambda p: scatter_chart(p, BOX, scattered()), "scatter"),
    ("square markers", lambda p: scatter_chart(p, BOX, scattered(), square=True), "scatter"),
]  # fmt: skip


@pytest.mark.parametrize(("draw", "form"), [case[1:] for case in CHARTS], ids=[case[0] for case in CHARTS])
@pytest.mark.parametrize("rotation", [0, 90])
def test_charts_without_a_caption(tmp_path: Path, draw: Draw, form: str, rotation: int) -> None:
    # contract: D21
    content = read(tmp_path, draw, rotation)
    (figure,) = figures(content)
    assert (figure.kind, figure.chart_form) == ("statistical", form)
    assert not [item.text for item in content.items if item.role != "image" and len(item.text) < 12]


def test_values_of_lines_are_read_from_the_axes(tmp_path: Path) -> None:
    (figure,) = figures(read(tmp_path, lambda p: line_chart(p, BOX, [(5, 12, 18, 30, 33), (20, 18, 14, 9, 6)])))
    assert figure.chart is not None
    first, second = figure.chart.series
    assert (first.color, second.color) == ("#cc1a1a", "#1a4dcc")
    assert [point.x for point in first.points] == pytest.approx([2018, 2019, 2020, 2021, 2022], abs=0.1)
    assert [point.y for point in first.points] == pytest.approx([5, 12, 18, 30, 33], abs=0.5)
    assert [point.y for point in second.points] == pytest.approx([20, 18, 14, 9, 6], abs=0.5)
    assert figure.chart.y_ticks == ["40", "30", "20", "10", "0"]


def test_panels_are_read_on_their_own_axes(tmp_path: Path) -> None:
    def panels(page: Any) -> None:
        line_chart(page, (110, 180, 260, 280), [(5, 10, 20)], across=("1", "2", "3"), upright=("0", "10", "20"))
        line_chart(page, (330, 180, 480, 280), [(300, 100, 200)], across=("1", "2", "3"), upright=("0", "200", "400"))
        page.insert_text((110, 320), "Figure 1: Speed and cost of both pumps over three runs of the test", fontsize=9)

    charts = [figure.chart for figure in figures(read(tmp_path, panels))]
    values = [[point.y for point in s.points] for chart in charts if chart is not None for s in chart.series]
    assert len(values) == 2
    assert values[0] == pytest.approx([5, 10, 20], abs=0.5)
    assert values[1] == pytest.approx([300, 100, 200], abs=5)


def test_bars_have_their_names_and_values(tmp_path: Path) -> None:
    (figure,) = figures(read(tmp_path, lambda p: bar_chart(p, BOX, (0.5, 0.8, 0.3, 0.6), lying=True)))
    assert figure.chart is not None
    (series,) = figure.chart.series
    assert [(point.label, point.y) for point in series.points] == [
        ("Site A", 50),
        ("Site B", 80),
        ("Site C", 30),
        ("Site D", 60),
    ]


def test_sectors_are_shares_of_the_whole(tmp_path: Path) -> None:
    (figure,) = figures(read(tmp_path, lambda p: pie_chart(p, (280, 240), 50, (0.4, 0.3, 0.2, 0.1))))
    assert figure.chart is not None
    assert [s.points[0].y for s in figure.chart.series] == pytest.approx([40, 30, 20, 10], abs=0.5)


@pytest.mark.parametrize("caption", [None, "Figure 1: Steps of the reader"])
def test_boxes_joined_by_lines_are_a_diagram_that_holds_its_labels(tmp_path: Path, caption: str | None) -> None:
    def draw(page: Any) -> None:
        flow_chart(page, 110, 220, arrows=caption is None)
        if caption is not None:
            page.insert_text((110, 290), caption, fontsize=9)

    (figure,) = figures(read(tmp_path, draw))
    assert figure.chart_form is None
    assert all(text in figure.text for text in ("Read pages", "Find tables", "Build tree"))


def _rules_round_a_heading(page: Any) -> None:
    page.draw_line((72, 170), (500, 170))
    page.insert_text((72, 185), "Costs by site", fontsize=12)
    page.draw_line((72, 192), (500, 192))


def _framed_text(page: Any) -> None:
    page.draw_rect((72, 180, 500, 260), fill=(0.9, 0.9, 0.9))
    lines(page, 80, 200, [sentence(n, 9) for n in range(4)])


def _underlines(page: Any) -> None:
    for n in range(6):
        page.draw_line((72, 91 + 13 * n), (250, 91 + 13 * n), color=(0, 0, 1))


def _bullets(page: Any) -> None:
    for n in range(6):
        page.draw_circle((80, 200 + 16 * n), 2, fill=(0, 0, 0))
        page.insert_text((90, 203 + 16 * n), sentence(n, 5), fontsize=10)


def _icon(page: Any) -> None:
    picture(page, (72, 176, 84, 188), (200, 30, 30))
    page.insert_text((90, 186), "Note that the pump runs dry.", fontsize=10)


@pytest.mark.parametrize("draw", [_rules_round_a_heading, _framed_text, _underlines, _bullets, _icon])
def test_rules_frames_bullets_and_icons_are_no_figures(tmp_path: Path, draw: Draw) -> None:
    assert figures(read(tmp_path, draw)) == []


def test_a_frame_of_two_rules_makes_its_panels_one_figure(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        page.draw_line((100, 160), (500, 160), width=0.5)
        page.insert_text((100, 172), "Cost by site", fontsize=10, fontname="hebo")
        bar_chart(page, (120, 190, 260, 290), (0.5, 0.8, 0.3))
        bar_chart(page, (330, 190, 470, 290), (0.4, 0.2, 0.9))
        page.draw_line((100, 330), (500, 330), width=0.5)

    (figure,) = figures(read(tmp_path, draw))
    assert figure.chart is not None
    assert sum(len(series.points) for series in figure.chart.series) == 6


def test_strips_of_a_scan_are_one_picture(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for n in range(6):
            picture(page, (100, 180 + 20 * n, 400, 200 + 20 * n), (90, 90, 90))

    (figure,) = figures(read(tmp_path, draw))
    assert figure.bbox == pytest.approx((100 / 595, 180 / 842, 400 / 595, 300 / 842), abs=0.003)


def test_pictures_in_cells_belong_to_the_table(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        for r, text in enumerate(("Meaning", "Wear gloves", "No entry", "Keep out")):
            for column, word in enumerate(("Sign" if r == 0 else "", text)):
                box = (100 + 150 * column, 170 + 40 * r, 250 + 150 * column, 210 + 40 * r)
                page.draw_rect(box, width=0.5)
                page.insert_text((box[0] + 5, box[1] + 24), word, fontsize=9)
            if r:
                picture(page, (120, 175 + 40 * r, 150, 205 + 40 * r), (40 * r, 90, 200 - 40 * r))

    content = read(tmp_path, draw)
    assert figures(content) == []
    (table,) = [item for item in content.items if item.role == "table"]
    assert table.table is not None and len(table.table.pictures) == 3
    assert all((tmp_path / path).is_file() for path in table.table.pictures)
    assert [item.reason for item in content.dropped].count("in_table") == 3


def test_many_paths_are_grouped_in_bounded_time(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        shape = page.new_shape()
        for n in range(6000):
            x, y = 150 + (n * 7919) % 250, 180 + (n * 104729) % 120
            shape.draw_line((x, y), (x + n % 7, y + n % 5))
            shape.finish(width=0.3)
        shape.commit()
        page.insert_text((150, 325), "Figure 1. Map of the basin", fontsize=9)

    (figure,) = figures(enhance(read(tmp_path, draw)))
    assert figure.label == "Figure 1"
    assert figure.chart_form is None


def _panels(page: Any, letters: str) -> None:
    for n, letter in enumerate("abcd"):
        x, y = 100 + 220 * (n % 2), 170 + 90 * (n // 2)
        picture(page, (x, y, x + 140, y + 60), (60 * n, 90, 200 - 40 * n))
        page.insert_text((x + 60, y + 71), letters.format(letter), fontsize=9)
    page.insert_text((110, 350), "Figure 5. Four runs of the pump", fontsize=9)


@pytest.mark.parametrize("letters", ["({})", "{})", "({}) Site"])
def test_labelled_panels_far_apart_are_one_figure(tmp_path: Path, letters: str) -> None:
    # contract: D10, D12
    content = enhance(read(tmp_path, lambda page: _panels(page, letters)))
    (figure,) = figures(content)
    assert (figure.label, len(figure.regions), len(figure.members)) == ("Figure 5", 4, 3)
    parts = [item.text for item in content.items if item.caption_of == figure.id]
    assert len(parts) == 5 and letters.format("d") in parts


def test_charts_under_one_caption_keep_their_series(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        line_chart(page, (110, 180, 250, 270), [(5, 10, 20)], across=("1", "2", "3"), upright=("0", "10", "20"))
        line_chart(page, (350, 180, 490, 270), [(8, 3, 2)], across=("1", "2", "3"), upright=("0", "10", "20"))
        page.insert_text((160, 305), "(a) North", fontsize=9)
        page.insert_text((400, 305), "(b) South", fontsize=9)
        page.insert_text((110, 330), "Figure 6. Inflow at two sites", fontsize=9)

    (figure,) = figures(enhance(read(tmp_path, draw)))
    assert (figure.label, figure.chart_form) == ("Figure 6", "line")
    assert figure.chart is not None and len(figure.chart.series) == 2


@pytest.mark.parametrize("gap", [6, 20, 40])
@pytest.mark.parametrize("above", [False, True])
def test_stacked_figures_keep_their_own_captions(tmp_path: Path, gap: float, above: bool) -> None:
    # contract: D11
    def draw(page: Any) -> None:
        y = 420.0
        for n in range(3):
            picture(page, (180, y, 400, y + 90), (80 * n, 90, 200 - 60 * n))
            at = y - 5 if above else y + 102
            page.insert_text((180, at), f"Figure {n + 1}: Run number {n + 1}", fontsize=9)
            y += 102 + gap

    def page_of(page: Any) -> None:
        lines(page, 72, 90, [sentence(n, 9) for n in range(20)])
        draw(page)

    path = make_pdf(tmp_path / "a.pdf", page_of)
    layout = read_pdf(path, "a", AdaptSettings(ocr="none"), tmp_path / "images").layout
    found = figures(enhance(adapt(layout)))
    assert [figure.caption for figure in found] == [f"Figure {n}: Run number {n}" for n in (1, 2, 3)]


def test_a_continued_figure_says_so(tmp_path: Path) -> None:
    def draw(page: Any) -> None:
        picture(page, (150, 180, 400, 310), (90, 90, 90))
        page.insert_text((150, 326), "Figure 3 (continued). Rooms of the east wing", fontsize=9)

    (figure,) = figures(enhance(read(tmp_path, draw)))
    assert figure.label == "Figure 3"
    assert "continued" in figure.flags
