"""Recognised words as fragments of a page: pieces of lines with a font size, a weight and a confidence."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import Span
from cosee.models.vision.engine import OcrLine
from cosee.parse.pdf.direction import is_rtl, reading_words
from cosee.parse.pdf.page_model import Fragment, Word
from cosee.parse.scans import thresholds
from cosee.text.cleaning import clean

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

_ASCENDERS = frozenset("bdfhkltßþðij!?()[]{}|/\\%&$€£§@#")
_DESCENDERS = frozenset("gjpqyþµ,;()[]{}|/\\§@")


def fragments_of(lines: list[OcrLine], scale: float) -> list[Fragment]:
    """Fragments of recognised lines; boxes and sizes are ``scale`` times the pixels. What is noise is hidden."""
    fragments = [fragment for line in lines for fragment in _pieces(line, scale) if fragment.text.strip()]
    doubtful = [fragment for fragment in fragments if _is_noise(fragment)]
    sure = {id(fragment) for fragment in fragments} - {id(fragment) for fragment in doubtful}
    # Numbers and signs of a table row are vouched for by the words of the row.
    levels = {
        level
        for fragment in fragments
        if id(fragment) in sure and sum(map(str.isalpha, fragment.text)) >= thresholds.SHORT_WORD
        for level in range(round(fragment.bbox[1]), round(fragment.bbox[3]) + 1)
    }
    for fragment in doubtful:
        middle = round((fragment.bbox[1] + fragment.bbox[3]) / 2)
        if middle not in levels or any(map(str.isalpha, fragment.text)):
            fragment.hidden, fragment.hidden_reason = True, "ocr_noise"
    return fragments


def _is_noise(fragment: Fragment) -> bool:
    """Whether a piece of recognised text comes from a picture's lines and spots: no word in it that can be trusted."""
    text, confidence = fragment.text, fragment.confidence or 0.0
    if not any(map(str.isalnum, text)):
        return confidence < thresholds.NOISE_SIGNS
    words = [word for word in text.split() if sum(map(str.isalnum, word)) >= thresholds.SHORT_WORD]
    return confidence < (thresholds.NOISE_WORDS if words else thresholds.NOISE_SCRAPS)


def _pieces(line: OcrLine, scale: float) -> list[Fragment]:
    """One line, cut where its words stand far apart."""
    words = [
        (Word(text, geometry.scaled(w.bbox, scale)), w.confidence)
        for w in sorted(line.words, key=lambda word: word.bbox[0])
        if (text := clean(w.text))
    ]
    if not words:
        return []
    high = median(geometry.height(word.bbox) for word, _ in words)
    groups: list[list[tuple[Word, float]]] = []
    for word, confidence in words:
        if groups and word.bbox[0] - groups[-1][-1][0].bbox[2] <= thresholds.WORD_GAP * high:
            groups[-1].append((word, confidence))
        else:
            groups.append([(word, confidence)])
    return [_fragment(group) for group in groups]


def _fragment(group: list[tuple[Word, float]]) -> Fragment:
    words = [word for word, _ in group]
    if is_rtl("".join(word.text for word in words)):
        words = reading_words(words)
    box = geometry.union(word.bbox for word in words)
    size = median(_font_size(word) for word in words)
    letters = sum(len(word.text) for word in words)
    confidence = sum(len(word.text) * trust for word, trust in group) / letters
    span = Span(text=_joined(words), bbox=geometry.rounded(box), size=round(size, 1), font="ocr")
    return Fragment(box, [span], words, ocr=True, confidence=round(confidence, 4))


def _joined(words: list[Word]) -> str:
    """Words with a space between them, but none between the characters of a script that has none."""
    text = words[0].text
    for word in words[1:]:
        unspaced = _is_unspaced(text[-1]) and _is_unspaced(word.text[0])
        text += word.text if unspaced else f" {word.text}"
    return text


def _is_unspaced(character: str) -> bool:
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff" or "\uff00" <= character <= "\uffef"


def _font_size(word: Word) -> float:
    """The font size that a word's ink speaks of: letters reach up and down from the middle by known shares of it."""
    high, text = geometry.height(word.bbox), word.text
    if any(_is_unspaced(c) for c in text):
        return high / thresholds.UNSPACED_HEIGHT
    up = any(c.isupper() or c.isdigit() or c in _ASCENDERS for c in text)
    down = any(c in _DESCENDERS for c in text)
    with_both, with_up, with_down, with_neither = thresholds.HEIGHTS
    size = high / (with_both if up and down else with_up if up else with_down if down else with_neither)
    # A box that reaches into a rule or another line is too high for the width of its letters.
    if len(text) < thresholds.LONG_WORD:
        return size
    return min(size, thresholds.WIDEST_LETTER * geometry.width(word.bbox) / len(text))


def with_faces(fragments: list[Fragment], gray: Gray, pixels: float) -> None:
    """Set sizes, weights and heights from the ink: ``gray`` is the upright picture, ``pixels`` its pixels in a point.

    Recognised boxes shake by a pixel or two; sizes are set to the commonest one near them.
    """
    shown = [f for f in fragments if not f.hidden]
    if not shown:
        return
    worded = [f for f in shown if any(map(str.isalnum, f.text))]
    strokes = {id(f): _stroke(f.bbox, gray, pixels) / max(f.size, 1.0) for f in worded}
    sizes: Counter[float] = Counter()
    for fragment in worded:
        sizes[round(2 * fragment.size) / 2] += len(fragment.text)
    usual = _weighted_median([(f.size, len(f.text)) for f in worded])
    weight = _weighted_median([(strokes[id(f)], len(f.text)) for f in worded])
    for fragment in shown:
        stroke = strokes.get(id(fragment), 0.0)
        for span in fragment.spans:
            span.size = _settled(span.size, sizes) if stroke else max(1.0, round(2 * usual) / 2)
            span.bold = stroke >= thresholds.BOLD * weight > 0
        if stroke:
            _set_height(fragment)


def _settled(size: float, sizes: Counter[float]) -> float:
    """The size that most letters of the page have among those that a measured size may stand for."""
    near = [other for other in sizes if abs(other - size) <= thresholds.SAME_SIZE * size]
    return max(1.0, max(near, key=lambda other: (sizes[other], -abs(other - size), other), default=round(2 * size) / 2))


def _set_height(fragment: Fragment) -> None:
    """Give a fragment the height that its font size has, so that lines are as far apart as they are printed."""
    size = fragment.size
    descent = thresholds.DESCENT * size
    base = median(w.bbox[3] - descent * any(c in _DESCENDERS for c in w.text) for w in fragment.words)
    x0, _, x1, _ = fragment.bbox
    fragment.bbox = (x0, base - thresholds.HEAD * size, x1, base + thresholds.FOOT * size)
    for span in fragment.spans:
        span.bbox = geometry.rounded(fragment.bbox)


def _weighted_median(values: list[tuple[float, int]]) -> float:
    half, seen = sum(weight for _, weight in values) / 2, 0
    for value, weight in sorted(values):
        seen += weight
        if seen >= half:
            return value
    return 0.0


def _stroke(box: BBox, gray: Gray, pixels: float) -> float:
    """Mean thickness of the strokes in a box, in points: twice the ink over its outline."""
    import numpy as np

    x0, y0, x1, y1 = (max(0, round(value * pixels)) for value in box)
    part = gray[y0:y1, x0:x1]
    if part.size == 0:
        return 0.0
    low, high = int(part.min()), int(part.max())
    if high - low < thresholds.MIN_CONTRAST:
        return 0.0
    # Ink by its darkness, not by a threshold: anti-aliased strokes keep their thickness.
    darkness = (high - part.astype(np.float32)) / (high - low)
    outline = float(np.abs(np.diff(darkness, axis=1)).sum() + np.abs(np.diff(darkness, axis=0)).sum())
    return 2 * float(darkness.sum()) / outline / pixels if outline else 0.0
