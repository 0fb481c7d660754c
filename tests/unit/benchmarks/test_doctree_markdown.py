"""A tree's pages as text."""

from __future__ import annotations

from benchmarks.doctree_markdown import divided


def test_a_paragraph_is_cut_where_its_next_page_begins() -> None:
    text = "The crew checked every valve of the market-making station and wrote a report."
    assert divided([text], ["making station and\nwrote a report."]) == [
        "The crew checked every valve of the market-",
        "making station and wrote a report.",
    ]
    assert divided([text], ["another text"]) == [text, ""]
    assert divided([text], []) == [text]


def test_rows_go_to_the_page_that_holds_them() -> None:
    rows = ["Region Sales", "North 12", "South 13", "East 14"]
    assert divided(rows, ["Region Sales\nSouth 13", "Region Sales\nEast 14"]) == [
        "Region Sales\nNorth 12",
        "South 13",
        "East 14",
    ]
