from __future__ import annotations

import time

from cosee.adapter.mending import BAND, mended
from cosee.adapter.page_model import Fragment, Word
from cosee.artifacts.layout import Span


def fragment(text: str, x: float, y: float, size: float = 10.0) -> Fragment:
    box = (x, y, x + 5.0 * len(text), y + size)
    return Fragment(box, [Span(text=text, bbox=box, size=size, font="Helvetica")], [Word(text, box)])


def test_text_struck_twice_is_one_also_over_the_edge_of_a_band() -> None:
    found = mended([fragment("Total", 50, BAND * 9 - 0.2), fragment("Total", 50.3, BAND * 9 + 0.2)])
    assert [(f.text, f.spans[0].bold) for f in found] == [("Total", True)]


def test_a_page_of_thousands_of_equal_texts_is_no_work() -> None:
    started = time.process_time()
    assert len(mended([fragment("0", 12.0 * (n % 60), 12.0 * (n // 60)) for n in range(6_000)])) == 6_000
    assert time.process_time() - started < 5
