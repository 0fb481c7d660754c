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


def places_of(pdf: Path, page: int, quote: str) -> list[BBox]:
    """Boxes, in 0..1 of a 1-based page, around each run of its words that is most like the quote; none: not there."""
    with pymupdf.open(pdf) as document:
        if not 1 <= page <= document.page_count:
            return []
        loaded = document[page - 1]
        words = [((x0, y0, x1, y1), folded) for x0, y0, x1, y1, text, *_ in loaded.get_text("words", sort=True)
                 if (folded := _folded(text))]  # fmt: skip
        across, down = loaded.rect.width, loaded.rect.height
    wanted = [folded for part in quote.split() if (folded := _folded(part))]
    if not wanted:
        return []
    likeness = [
        SequenceMatcher(None, wanted, [text for _, text in words[start : start + len(wanted)]]).ratio()
        for start in range(len(words) - len(wanted) + 1)
    ]
    best = max(likeness, default=0.0)
    found = [union(box for box, _ in words[start : start + len(wanted)])
             for start, like in enumerate(likeness) if like == best >= ALIKE]  # fmt: skip
    return [(x0 / across, y0 / down, x1 / across, y1 / down) for x0, y0, x1, y1 in found]


def overlap_of(piece: Support, pdf: Path) -> float | None:
    """The best IoU of a piece's box with the places of its quote; None without a box or a quote, 0 where the page does
    not have the words."""
    box = piece.bbox
    if box is None or not piece.quote:
        return None
    return max((iou(box, place) for place in places_of(pdf, piece.page, piece.quote)), default=0.0)


def overlaps_of(pieces: Sequence[Support], pdf: Path) -> list[float]:
    """``overlap_of`` of each piece that has a box and a quote."""
    return [value for piece in pieces if (value := overlap_of(piece, pdf)) is not None]


def _folded(word: str) -> str:
    return re.sub(r"\W", "", unicodedata.normalize("NFKC", word).casefold())
