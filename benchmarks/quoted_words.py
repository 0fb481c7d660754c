"""Where quoted words stand on a page, by its PDF's text layer: the truth that boxes of a model are held against."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from difflib import SequenceMatcher
from pathlib import Path

import pymupdf

from cosee.artifacts.base import BBox
from cosee.artifacts.results.prediction import Support
from cosee.geometry import area, intersection, union

OVERLAPS = 0.3
"""Intersection over union from which a box lies over the words."""
ALIKE = 0.8
"""How like a run of the page's words must be to the quote, which a model has read from a picture."""


def iou(one: BBox, other: BBox) -> float:
    """Intersection over union, 0..1."""
    shared = intersection(one, other)
    whole = area(one) + area(other) - shared
    return shared / whole if whole > 0 else 0.0


Words = list[tuple[BBox, str]]
"""A page's words, folded, each with its box in 0..1, in reading order."""


def words_of(pdf: Path, page: int) -> Words:
    """The words of a 1-based page, column by column; none where it has no text layer, or there is no such page."""
    with pymupdf.open(pdf) as document:
        if not 1 <= page <= document.page_count:
            return []
        loaded = document[page - 1]
        across, down = loaded.rect.width, loaded.rect.height
        return [
            ((x0 / across, y0 / down, x1 / across, y1 / down), plain)
            for x0, y0, x1, y1, text, *_ in loaded.get_text("words")
            if (plain := folded(text))
        ]


def places_of(words: Words, quote: str) -> list[BBox]:
    """Boxes around each run of a page's words that is most like the quote; none: it is not there."""
    wanted = [plain for part in quote.split() if (plain := folded(part))]
    if not wanted:
        return []
    runs = [words[start : start + len(wanted)] for start in range(len(words) - len(wanted) + 1)]
    likeness = [SequenceMatcher(None, wanted, [text for _, text in run]).ratio() for run in runs]
    best = max(likeness, default=0.0)
    return [union(box for box, _ in run) for run, like in zip(runs, likeness, strict=True) if like == best >= ALIKE]


def overlap_of(piece: Support, pdf: Path) -> float | None:
    """The best IoU of a piece's box with the places of its quote, 0 where the page does not have the words; None
    without a box or a quote, and for a page without a text layer, where nobody knows."""
    box = piece.bbox
    if box is None or not piece.quote or not (words := words_of(pdf, piece.page)):
        return None
    return max((iou(box, place) for place in places_of(words, piece.quote)), default=0.0)


def overlaps_of(pieces: Sequence[Support], pdf: Path) -> list[float]:
    """``overlap_of`` of each piece that has a box and a quote."""
    return [value for piece in pieces if (value := overlap_of(piece, pdf)) is not None]


def folded(word: str) -> str:
    """Without case and signs."""
    return re.sub(r"\W", "", unicodedata.normalize("NFKC", word).casefold())
