"""Raised footnote marks: told by size and height where the file does not flag them as superscript."""

from __future__ import annotations

from cosee.adapter import geometry
from cosee.adapter.page_model import Fragment
from cosee.artifacts.layout import Span

MAX_MARK = 3
"""A mark has at most this many characters."""


def flag_leading_mark(spans: list[Span]) -> None:
    """Flag the first span of a line as superscript when it is a small raised mark (the start of a footnote)."""
    if len(spans) > 1 and _is_mark(spans[0].text) and _raised(spans[0], spans[1]):
        spans[0].superscript = True


def attach_marks(fragments: list[Fragment]) -> list[Fragment]:
    """Fragments with lone raised marks joined to the text at their left (``1,234.5`` and a small ``a``)."""
    lone = [f for f in fragments if len(f.spans) == 1 and _is_mark(f.text) and not f.hidden and not f.rotated]
    absorbed: set[int] = set()
    for mark in lone:
        host = next((f for f in fragments if f is not mark and _beside(f, mark)), None)
        if host is not None:
            mark.spans[0].superscript = True
            host.spans.append(mark.spans[0])
            host.words += mark.words
            host.bbox = geometry.union((host.bbox, mark.bbox))
            absorbed.add(id(mark))
    return [f for f in fragments if id(f) not in absorbed]


def _is_mark(text: str) -> bool:
    mark = text.strip()
    if len(mark) > 2 and mark[0] + mark[-1] in ("()", "[]"):
        mark = mark[1:-1]
    return 0 < len(mark) <= MAX_MARK and (mark.isalnum() or mark in "*†‡§¶")


def _raised(mark: Span, text: Span) -> bool:
    return mark.size <= 0.8 * text.size and mark.bbox[3] <= text.bbox[3] - 0.2 * text.size


def _beside(host: Fragment, mark: Fragment) -> bool:
    # Boxes first: nearly every pair on a page ends here.
    if host.bbox[1] >= mark.bbox[3] or host.bbox[3] <= mark.bbox[1] or host.hidden or host.rotated:
        return False
    gap, size = mark.bbox[0] - host.bbox[2], host.size
    if not -0.3 * size <= gap <= 0.4 * size or mark.size > 0.75 * size:
        return False
    return _raised(mark.spans[0], host.spans[-1])
