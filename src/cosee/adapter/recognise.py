"""Image-only pages: which they are, and their text by OCR as fragments of the page."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from cosee.adapter import geometry
from cosee.adapter.page_model import Fragment, RawPage, Word
from cosee.adapter.text import clean
from cosee.artifacts import files
from cosee.artifacts.layout import Span
from cosee.imaging.render import region_png
from cosee.models.ocr import OcrEngine, OcrLine

MAX_CHARACTERS = 12
"""An image-only page has at most this many visible characters (a page number, a stamp)."""
MIN_COVER = 0.5
"""Share of the page that pictures cover on an image-only page."""
DOUBTFUL, UNSURE, SURE = 0.5, 0.65, 0.9
"""Confidence below which text with words, with scraps of words, and without letters or digits is noise."""
SHORT = 4
"""Letters and digits of a word; less is a scrap."""
WORD_GAP = 1.6
"""A gap of more than this many line heights between recognised words ends a fragment."""


def is_image_only(page: RawPage) -> bool:
    """Whether the page shows a picture and (almost) no text of its own."""
    text = sum(len(f.text) for f in page.fragments if not f.hidden)
    if text > MAX_CHARACTERS or not page.pictures:
        return False
    covered = sum(geometry.area(picture.bbox) for picture in page.pictures)
    return covered >= MIN_COVER * page.width * page.height


def recognise(page: Any, raw: RawPage, engine: OcrEngine, dpi: int) -> None:
    """Add the page's recognised text to ``raw``. Raises OcrError."""
    with tempfile.TemporaryDirectory(prefix="ocr-") as folder:
        picture = Path(folder) / "page.png"
        data = region_png(page, raw.bbox, dpi)
        files.write_bytes(picture, data)
        lines = engine.read(picture)
    width = int.from_bytes(data[16:20], "big")
    scale = raw.width / max(width, 1)
    for line in lines:
        raw.fragments += _fragments(line, scale)
    raw.fragments = [f for f in raw.fragments if f.text.strip()]
    for fragment in raw.fragments:
        fragment.noise = fragment.ocr and _is_noise(fragment)
        fragment.hidden = fragment.hidden or fragment.noise


def _is_noise(fragment: Fragment) -> bool:
    """Whether a piece of recognised text comes from a picture's lines and spots: no word in it that can be trusted."""
    text, confidence = fragment.text, fragment.confidence or 0.0
    if not any(map(str.isalnum, text)):
        return confidence < SURE
    words = [word for word in text.split() if sum(map(str.isalnum, word)) >= SHORT]
    return confidence < (DOUBTFUL if words else UNSURE)


def _fragments(line: OcrLine, scale: float) -> list[Fragment]:
    words = [
        Word(clean(w.text), (w.bbox[0] * scale, w.bbox[1] * scale, w.bbox[2] * scale, w.bbox[3] * scale))
        for w in line.words
    ]
    height = median(geometry.height(word.bbox) for word in words)
    fragments: list[Fragment] = []
    for word, source in zip(words, line.words, strict=True):
        last = fragments[-1] if fragments else None
        if last is not None and word.bbox[0] - last.bbox[2] <= WORD_GAP * height:
            span = last.spans[0]
            span.text += f" {word.text}"
            last.bbox = geometry.union((last.bbox, word.bbox))
            span.bbox = geometry.rounded(last.bbox)
            count = len(last.words)
            last.confidence = ((last.confidence or 0.0) * count + source.confidence) / (count + 1)
            last.words.append(word)
        else:
            span = Span(text=word.text, bbox=geometry.rounded(word.bbox), size=round(height, 1), font="ocr")
            fragments.append(Fragment(word.bbox, [span], [word], ocr=True, confidence=source.confidence))
    return fragments
