"""Agreement with docling's files and the facts about PDFs of many kinds."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.doctree_docling import agreeing, order_share, read_docling, same_box, same_text
from benchmarks.doctree_variety import holds

BOX = {"l": 100.0, "t": 700.0, "r": 300.0, "b": 600.0, "coord_origin": "BOTTOMLEFT"}


def item(label: str, text: str, **more: Any) -> dict[str, Any]:
    return {"label": label, "text": text, "prov": [{"page_no": 1, "bbox": BOX}], "children": [], **more}


def test_kinds_boxes_and_order_of_a_docling_file() -> None:
    value = {
        "pages": {"1": {"size": {"width": 500.0, "height": 1000.0}}},
        "texts": [
            item("section_header", "Valves"),
            item("page_footer", "Page 1", content_layer="furniture"),
            item("list_item", "Open the valve"),
            item("text", "inside the picture"),
        ],
        "tables": [],
        "pictures": [item("picture", "", children=[{"$ref": "#/texts/3"}])],
        "groups": [{"children": [{"$ref": "#/texts/2"}]}],
        "body": {"children": [{"$ref": "#/texts/0"}, {"$ref": "#/pictures/0"}, {"$ref": "#/groups/0"}]},
    }
    things, order = read_docling(value)
    assert things["section_header"] == [(1, "Valves", pytest.approx((0.2, 0.3, 0.6, 0.4)))]
    assert [len(found) for found in things.values()] == [1, 0, 0, 1]
    assert order == ["Valves", "Open the valve"]


def test_things_agree_by_text_or_by_box_on_the_same_page() -> None:
    first, second = (1, "Use of valves", (0.0, 0.0, 0.5, 0.5)), (2, "Use of valves", (0.0, 0.0, 0.5, 0.5))
    moved = (1, "Use of valve", (0.3, 0.3, 0.8, 0.8))
    assert agreeing([first, first], [moved, second], same_text) == 1
    assert agreeing([first], [moved, second], same_box) == 0
    assert agreeing([first], [first], same_box) == 1


def test_share_of_neighbours_in_order() -> None:
    text = "Alpha one. Gamma three. Beta two. Alpha one again."
    assert order_share(["Alpha one", "Beta two", "Gamma three"], text) == 0.5
    assert order_share(["Alpha one", "Beta two", "Alpha one"], text) == 1
    assert order_share(["Alpha one", "not there", "Beta two"], text) == 0
    assert order_share(["Alpha one"], text) is None


@pytest.mark.parametrize(
    ("phrase", "found"),
    [("The valve  station", True), ("The va1ve station was closed", True), ("the pump station", False)],
)
def test_phrases_are_found_in_text_that_was_scanned(phrase: str, found: bool) -> None:
    assert holds("In May the valve sta-\ntion was closed.", phrase) is found


def test_nothing_is_found_in_an_empty_page() -> None:
    assert not holds("", "valve")
