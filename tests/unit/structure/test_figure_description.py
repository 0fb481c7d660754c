from __future__ import annotations

import pytest
from helpers.content_lists import Pages

from cosee.structure.enhance import enhance


@pytest.mark.parametrize(
    ("caption", "kind", "form"),
    [
        ("Figure 1: Bar chart of rainfall.", "statistical", "bar"),
        ("Figure 1: Rainfall by month.", "statistical", "unknown"),
        ("Figure 1: Line graph of the level.", "statistical", "line"),
        ("Figure 1: Pie chart of shares", "statistical", "pie"),
        ("Figure 1: Scatter plot of both", "statistical", "scatter"),
        ("Figure 1: Block diagram of the system.", "diagram", None),
        ("Figure 1: Screenshot of the form.", "screenshot", None),
        ("Figure 1: Photograph of the rig.", "photo", None),
        ("Figure 1: The northern hall.", "other", None),
        ("图1 流程图", "diagram", None),
    ],
)
def test_kind_and_form_from_the_caption(caption: str, kind: str, form: str | None) -> None:
    # contract: D21
    pages = Pages()
    pages.image(text="Jan\nFeb")
    pages.add(caption)
    item = enhance(pages.adapted()).items[0]
    assert (item.kind, item.chart_type, item.chart_form) == (kind, kind, form)
    assert item.description is not None and "Jan, Feb" in item.description


def test_what_the_paths_said_stands_and_form_alone_makes_a_chart() -> None:
    # contract: D21
    pages = Pages()
    pages.image(kind="statistical", chart_form="line")
    pages.add("Figure 1: Bar chart, says the caption.")
    item = enhance(pages.adapted()).items[0]
    assert (item.kind, item.chart_type, item.chart_form) == ("statistical", "statistical", "line")
    assert item.description == "Line chart: Figure 1: Bar chart, says the caption."
