"""Raised and lowered marks: told by size and height where the file does not flag them, joined to their text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.parse.pdf.page_model import Fragment, Word, append_span

MAX_MARK = 3
"""A mark has at most this many characters."""
_BAND = 16.0
"""Height in points of the bands by which the neighbours of a mark are looked up."""


def flag_marks(spans: list[Span]) -> None:
    """Flag the spans of a line that are a small raised mark (the start of a footnote, an exponent) as superscript."""
    for mark, text in zip(spans, [*spans[1:2], *spans], strict=False) if len(spans) > 1 else ():
        if not mark.superscript and mark.size <= 0.8 * text.size and _is_mark(mark.text) and _raised(mark, text):
            mark.superscript = True


def attach_marks(fragments: list[Fragment], bars: Sequence[BBox] = ()) -> list[Fragment]:
    """Fragments with lone marks joined to the text at their left or around them (``1,234.5`` and a small ``a``).

    What stands right above or below one of the ``bars`` is a part of a fraction and no mark.
    """
    lone = [f for f in fragments if len(f.spans) == 1 and _is_mark(f.text) and not f.hidden and not f.rotated]
    lone = _away_from_bars(lone, bars) if bars else lone
    bands: dict[int, list[Fragment]] = {}
    for fragment in fragments if lone else []:
        if not fragment.hidden and not fragment.rotated:
            for band in range(int(fragment.bbox[1] // _BAND), int(fragment.bbox[3] // _BAND) + 1):
                bands.setdefault(band, []).append(fragment)
    absorbed: set[int] = set()
    for mark in lone:
        for host in bands.get(int((mark.bbox[1] + mark.bbox[3]) / 2 // _BAND), ()):
            if host is not mark and id(host) not in absorbed and _takes(host, mark):
                absorbed.add(id(mark))
                break
    return [f for f in fragments if id(f) not in absorbed]


def _takes(host: Fragment, mark: Fragment) -> bool:
    """Join ``mark`` to ``host``, at its end or in the gap between two of its words, where it belongs there."""
    # Boxes first: nearly every pair ends here.
    if host.bbox[1] >= mark.bbox[3] or host.bbox[3] <= mark.bbox[1] or mark.size > 0.8 * host.size:
        return False
    slack, start, end = 0.3 * host.size, mark.bbox[0], mark.bbox[2]
    before = next((n for n in range(len(host.words), 0, -1) if host.words[n - 1].bbox[2] <= start + slack), 0)
    x = host.words[before - 1].bbox[2] if before else host.bbox[2]
    if not -slack <= start - x <= 0.4 * host.size or (before == 0 and host.words):
        return False
    inside = 0 < before < len(host.words)
    if inside and host.words[before].bbox[0] < end - slack:
        return False
    text = host.span_at(x - 0.1)
    raised = _raised(mark.spans[0], text)
    if not raised and not (_lowered(mark.spans[0], text) and mark.text.strip().isalnum()):
        return False
    mark.spans[0].superscript = raised
    if inside:
        _open(host, before)
        host.spans.insert(_spans_before(host, host.words[before].bbox[0]), mark.spans[0])
        host.words[before:before] = mark.words
    else:
        host.spans.append(mark.spans[0])
        host.words += mark.words
    host.bbox = geometry.union((host.bbox, mark.bbox))
    return True


def _away_from_bars(marks: list[Fragment], bars: Sequence[BBox]) -> list[Fragment]:
    ordered = sorted(bars, key=lambda bar: bar[1])
    tops = [bar[1] for bar in ordered]
    away = []
    for mark in marks:
        # Bars are thin: those that count begin within a font size of the mark.
        start, end = mark.bbox[1] - mark.size - 2.0, mark.bbox[3] + mark.size
        near = ordered[bisect_left(tops, start) : bisect_right(tops, end)]
        if not any(_at_bar(mark, bar) for bar in near):
            away.append(mark)
    return away


def _at_bar(mark: Fragment, bar: BBox) -> bool:
    if geometry.overlap_length_x(mark.bbox, bar) < 0.5 * geometry.width(mark.bbox):
        return False
    return -0.3 * mark.size <= -geometry.overlap_length_y(mark.bbox, bar) < 0.4 * mark.size


def _spans_before(host: Fragment, x: float) -> int:
    return sum(1 for span in host.spans if span.bbox[0] < x - 0.5)


def _open(host: Fragment, before: int) -> None:
    """Cut the spans of ``host`` in front of its word number ``before``, so that a mark can stand there."""
    spans: list[Span] = []
    last: Word | None = None
    for number, word in enumerate(host.words):
        source = host.span_at((word.bbox[0] + word.bbox[2]) / 2)
        space = " " if last is not None and word.bbox[0] - last.bbox[2] > 0.1 * host.size else ""
        part = source.model_copy(update={"text": space + word.text, "bbox": geometry.rounded(word.bbox)})
        if number == before:
            spans.append(part)
        else:
            append_span(spans, part)
        last = word
    host.spans = spans


def _is_mark(text: str) -> bool:
    mark = text.strip()
    if len(mark) > 2 and mark[0] + mark[-1] in ("()", "[]"):
        mark = mark[1:-1]
    return 0 < len(mark) <= MAX_MARK and (mark.isalnum() or mark in "*†‡§¶′−+")


def _raised(mark: Span, text: Span) -> bool:
    return mark.size <= 0.8 * text.size and mark.bbox[3] <= text.bbox[3] - 0.2 * text.size


def _lowered(mark: Span, text: Span) -> bool:
    return mark.size <= 0.75 * text.size and text.bbox[1] + 0.3 * text.size <= mark.bbox[1] < text.bbox[3]
