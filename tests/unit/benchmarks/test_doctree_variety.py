"""The facts about PDFs of many kinds."""

from __future__ import annotations

import pytest
from benchmarks.doctree_variety import holds


@pytest.mark.parametrize(
    ("phrase", "found"),
    [("The valve  station", True), ("The va1ve station was closed", True), ("the pump station", False)],
)
def test_phrases_are_found_in_text_that_was_scanned(phrase: str, found: bool) -> None:
    assert holds("In May the valve sta-\ntion was closed.", phrase) is found


def test_nothing_is_found_in_an_empty_page() -> None:
    assert not holds("", "valve")
