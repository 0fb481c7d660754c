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
