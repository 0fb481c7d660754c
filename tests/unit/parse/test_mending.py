from __future__ import annotations

import time

from cosee.artifacts.documents.layout import Span
from cosee.parse.pdf.mending import mended
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.pdf.thresholds import REPRINT_BAND


def fragment(text: str, x: float, y: float, size: float = 10.0) -> Fragment:
    box = (x, y, x + 5.0 * len(text), y + size)
    return Fragment(box, [Span(text=text, bbox=box, size=size, font="Helvetica")], [Word(text, box)])


def test_text_printed_twice_is_one_also_over_the_edge_of_a_band() -> None:
    found = mended([fragment("Total", 50, REPRINT_BAND * 9 - 0.2), fragment("Total", 50.3, REPRINT_BAND * 9 + 0.2)])
    assert [(f.text, f.spans[0].bold) for f in found] == [("Total", True)]


def pieces(*words: tuple[str, float], y: float) -> Fragment:
    """One fragment of words at their places."""
    placed = [Word(text, (x, y, x + 5.0 * len(text), y + 10)) for text, x in words]
    box = (placed[0].bbox[0], y, placed[-1].bbox[2], y + 10)
    text = " ".join(word.text for word in placed)
    return Fragment(box, [Span(text=text, bbox=box, size=10.0, font="Helvetica")], placed)


def test_a_shadow_that_is_joined_to_lines_otherwise_than_its_text_is_left_out() -> None:
    title = [("Removal", 80), ("of", 120), ("packages", 134)]
    shadow, both, real = pieces(("2.1.", 50), y=100.7), pieces(("2.1.", 50), *title, y=100.7), pieces(*title, y=100)
    below = pieces(("2.1.", 50), ("Removal", 80), y=120)
    assert [f.text for f in mended([shadow, both, real, below])] == ["2.1. Removal of packages", "2.1. Removal"]
    both.hidden = True
    assert [f.text for f in mended([shadow, both, real])] == ["2.1.", "2.1. Removal of packages", "Removal of packages"]


def test_a_page_of_thousands_of_equal_texts_is_no_work() -> None:
    started = time.process_time()
    assert len(mended([fragment("0", 12.0 * (n % 60), 12.0 * (n // 60)) for n in range(6_000)])) == 6_000
    assert time.process_time() - started < 5


def test_text_of_a_size_without_end_is_no_work() -> None:
    """Found by the fuzzer: a broken size made the search for text printed twice look at 1e30 bands."""
    for size in (1e9, 1e38):
        found = mended(
            [fragment("Form", 50, 50, size), fragment("Form", 50, 50 + size / 100, size), fragment("a", 5, 5)]
        )
        assert [f.text for f in found] == ["Form", "a"]
