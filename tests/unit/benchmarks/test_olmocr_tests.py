"""The test kinds of olmOCR-bench, on texts made by hand."""

from __future__ import annotations

from typing import Any

import pytest
from benchmarks.olmocr_tables import html_tables, markdown_tables
from benchmarks.olmocr_tests import near_matches, passes

PAGE = "# Valves\n\nThe **crew** checked every valve – twice.\n\nThen it wrote a report."


@pytest.mark.parametrize(
    ("test", "passed"),
    [
        ({"type": "present", "text": "The crew checked every valve - twice."}, True),
        ({"type": "present", "text": "the crew checked"}, False),
        ({"type": "present", "text": "the crew checked", "case_sensitive": False}, True),
        ({"type": "present", "text": "The crow checked every valve", "max_diffs": 1}, True),
        ({"type": "present", "text": "The crow checked every valve"}, False),
        ({"type": "present", "text": "wrote a report", "last_n": 20}, True),
        ({"type": "present", "text": "The crew", "last_n": 20}, False),
        ({"type": "absent", "text": "Page 12"}, True),
        ({"type": "absent", "text": "Valves"}, False),
        ({"type": "order", "before": "every valve", "after": "a report"}, True),
        ({"type": "order", "before": "a report", "after": "every valve"}, False),
        ({"type": "order", "before": "eveny valve", "after": "a repart", "max_diffs": 1}, True),
        ({"type": "order", "before": "eveny valve", "after": "a report"}, False),
        ({"type": "baseline"}, True),
        ({"type": "baseline", "max_length": 10}, False),
        ({"type": "math", "math": "a^2+b^2"}, False),
    ],
)
def test_what_a_page_must_hold(test: dict[str, Any], passed: bool) -> None:
    assert passes(test, PAGE) is passed


def test_an_empty_page_holds_no_text_and_is_blank() -> None:
    assert not passes({"type": "present", "text": "a long phrase"}, "\n")
    assert passes({"type": "absent", "text": "a long phrase"}, "\n")
    assert passes({"type": "baseline", "max_length": 10}, "\n")
    assert not passes({"type": "baseline"}, "\n")
    assert not passes({"type": "baseline"}, "word " + "ab" * 40)


def test_formulas_count_between_delimiters() -> None:
    assert passes({"type": "math", "math": "a^2+b^2"}, "so $a^2 + b^2$ and")
    assert passes({"type": "math", "math": "a^2+b^2"}, r"so \[ a^2+b^2 \] and")


def test_near_matches_give_the_start_of_the_nearest_place() -> None:
    assert list(near_matches("report", "a report, the repart", 0)) == [(2, 0)]
    assert list(near_matches("report", "a report, the repart", 1)) == [(2, 0), (14, 1)]
    assert list(near_matches("board", "on bord here", 1)) == [(3, 1)]


HTML = (
    "<table><thead><tr><th></th><th colspan='2'>Year Ended</th></tr>"
    "<tr><th></th><th>2024</th><th>2023</th></tr></thead>"
    "<tr><td rowspan='2'>Sales<br>net</td><td>12</td><td>30</td></tr><tr><td>13</td><td>31</td></tr></table>"
)
MARKDOWN = "text\n\n|Item|2024|2023|\n|---|---|---|\n|Sales|12|30|\n|Costs|13|31|\n"


@pytest.mark.parametrize(
    ("relations", "text", "passed"),
    [
        ({"cell": "31", "top_heading": "Year Ended"}, HTML, True),
        ({"cell": "31", "top_heading": "2023"}, HTML, True),
        ({"cell": "31", "top_heading": "2024"}, HTML, False),
        ({"cell": "13", "left": "Sales net", "right": "31", "up": "12"}, HTML, True),
        ({"cell": "13", "left_heading": "Sales net"}, HTML, True),
        ({"cell": "2024", "up": "Year Ended", "down": "12"}, HTML, True),
        ({"cell": "31", "top_heading": "2023", "left_heading": "Costs"}, MARKDOWN, True),
        ({"cell": "31", "up": "30", "left": "12"}, MARKDOWN, False),
        ({"cell": "Sales"}, "Sales 12 30", False),
        ({"cell": "Sales", "ignore_markdown_tables": True}, MARKDOWN, False),
    ],
)
def test_cells_and_their_neighbours(relations: dict[str, Any], text: str, passed: bool) -> None:
    assert passes({"type": "table", **relations}, text) is passed


def test_tables_are_found_in_both_notations() -> None:
    assert len(html_tables(HTML)) == len(markdown_tables(MARKDOWN)) == 1
    (table,) = html_tables(HTML)
    assert table.texts[2, 0] == "Sales\nnet"
    assert table.neighbours["right"][2, 0] == {(2, 1), (3, 1)}
