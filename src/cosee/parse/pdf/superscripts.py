"""Superscripts and subscripts: told by size and height where the file does not flag them, joined to their text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, append_span


def flag_superscripts(spans: list[Span]) -> None:
    """Flag the spans of a line that are a superscript (the start of a footnote, an exponent)."""
    for script, text in zip(spans, [*spans[1:2], *spans], strict=False) if len(spans) > 1 else ():
        if not script.superscript and _is_raised(script, text) and _is_script(script.text):
            script.superscript = True


def attach_scripts(fragments: list[Fragment], bars: Sequence[BBox]) -> list[Fragment]:
    """Fragments with lone scripts joined to the text at their left or around them (``1,234.5`` and a small ``a``).

    What stands right above or below one of the ``bars`` is a part of a fraction and no script.
    """
    lone = [f for f in fragments if len(f.spans) == 1 and _is_script(f.text) and not f.hidden and not f.rotated]
    lone = _away_from_bars(lone, bars) if bars else lone
    bands: dict[int, list[Fragment]] = {}
    for fragment in fragments if lone else []:
        if not fragment.hidden and not fragment.rotated:
            for band in range(_band(fragment.bbox[1]), _band(fragment.bbox[3]) + 1):
                bands.setdefault(band, []).append(fragment)
    absorbed: set[int] = set()
    for script in lone:
        for host in bands.get(_band((script.bbox[1] + script.bbox[3]) / 2), ()):
            if host is not script and id(host) not in absorbed and _takes(host, script):
                absorbed.add(id(script))
                break
    return [f for f in fragments if id(f) not in absorbed]


def _band(y: float) -> int:
    return int(y // thresholds.SCRIPT_BAND)


def _takes(host: Fragment, script: Fragment) -> bool:
    """Join ``script`` to ``host``, at its end or in the gap between two of its words, where it belongs there."""
    # Boxes first: nearly every pair ends here.
    if host.bbox[1] >= script.bbox[3] or host.bbox[3] <= script.bbox[1]:
        return False
    if script.size > thresholds.SUPERSCRIPT_SIZE * host.size:
        return False
    slack, start, end = thresholds.SCRIPT_SLACK * host.size, script.bbox[0], script.bbox[2]
    before = next((n for n in range(len(host.words), 0, -1) if host.words[n - 1].bbox[2] <= start + slack), 0)
    x = host.words[before - 1].bbox[2] if before else host.bbox[2]
    if not -slack <= start - x <= thresholds.SCRIPT_GAP * host.size or (before == 0 and host.words):
        return False
    inside = 0 < before < len(host.words)
    if inside and host.words[before].bbox[0] < end - slack:
        return False
    span = script.spans[0]
    text = host.span_at(x - 0.1)
    raised = _is_raised(span, text)
    if not raised and not (_is_lowered(span, text) and script.text.strip().isalnum()):
        return False
    span.superscript = raised
    if inside:
        _cut_spans(host, before)
        edge = host.words[before].bbox[0] - 0.5
        host.spans.insert(sum(other.bbox[0] < edge for other in host.spans), span)
        host.words[before:before] = script.words
    else:
        host.spans.append(span)
        host.words += script.words
    host.bbox = geometry.union((host.bbox, script.bbox))
    return True


def _away_from_bars(scripts: list[Fragment], bars: Sequence[BBox]) -> list[Fragment]:
    ordered = sorted(bars, key=lambda bar: bar[1])
    tops = [bar[1] for bar in ordered]
    away = []
    for script in scripts:
        # Bars are thin: those that count begin within a font size of the script.
        start, end = script.bbox[1] - script.size - thresholds.BAR_REACH, script.bbox[3] + script.size
        near = ordered[bisect_left(tops, start) : bisect_right(tops, end)]
        if not any(_at_bar(script, bar) for bar in near):
            away.append(script)
    return away


def _at_bar(script: Fragment, bar: BBox) -> bool:
    if geometry.overlap_length_x(script.bbox, bar) < thresholds.BAR_OVERLAP * geometry.width(script.bbox):
        return False
    least, most = thresholds.BAR_DISTANCE
    return least * script.size <= -geometry.overlap_length_y(script.bbox, bar) < most * script.size


def _cut_spans(host: Fragment, before: int) -> None:
    """Cut the spans of ``host`` in front of its word number ``before``, so that a script can stand there."""
    spans: list[Span] = []
    for number, word in enumerate(host.words):
        gap = word.bbox[0] - host.words[number - 1].bbox[2] if number else 0.0
        text = f" {word.text}" if gap > thresholds.WORD_SPACE * host.size else word.text
        source = host.span_at((word.bbox[0] + word.bbox[2]) / 2)
        part = source.model_copy(update={"text": text, "bbox": geometry.rounded(word.bbox)})
        if number == before:
            spans.append(part)
        else:
            append_span(spans, part)
    host.spans = spans


def _is_script(text: str) -> bool:
    script = text.strip()
    if len(script) > 2 and script[0] + script[-1] in ("()", "[]"):
        script = script[1:-1]
    return 0 < len(script) <= thresholds.MAX_SCRIPT_CHARACTERS and (script.isalnum() or script in "*†‡§¶′−+")


def _is_raised(script: Span, text: Span) -> bool:
    foot = text.bbox[3] - thresholds.SUPERSCRIPT_RAISE * text.size
    return script.size <= thresholds.SUPERSCRIPT_SIZE * text.size and script.bbox[3] <= foot


def _is_lowered(script: Span, text: Span) -> bool:
    head = text.bbox[1] + thresholds.SUBSCRIPT_DROP * text.size
    return script.size <= thresholds.SUBSCRIPT_SIZE * text.size and head <= script.bbox[1] < text.bbox[3]
