"""Reading places of a page by recognition, to hold what a model cites there against it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Literal

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import PageInfo
from cosee.geometry import union
from cosee.models.blocks import PageImage
from cosee.models.vision.engine import OcrEngine, OcrError
from cosee.models.vision.ocr import find_engine
from cosee.runs.thresholds import LEAST_PLACE_DPI, PLACE_MARGINS, RECOGNITION_SECONDS, WHITE_BORDER
from cosee.text.likeness import contains_quote, runs_of_quote

log = logging.getLogger(__name__)
PAGE: BBox = (0.0, 0.0, 1.0, 1.0)
Words = list[tuple[str, BBox]]
"""Recognised words, line by line, with their boxes in 0..1 of what was read."""


class PlaceReader:
    """Reads places of one document, each once; threads may share it. ``choice`` is as ``adapt.ocr``."""

    def __init__(self, choice: str, pages: Sequence[PageInfo], picture: Callable[[int], PageImage]) -> None:
        self._choice, self._pages, self._picture = choice, pages, picture
        self._known: dict[tuple[int, BBox], Words | None] = {}
        self._lock = threading.Lock()

    def __call__(self, page: int, box: BBox | None, quote: str) -> BBox | Literal[False] | None:
        """The box in 0..1 of a 1-based page where ``quote`` is read: ``box`` where the words stand in it, else that of
        the words, of several the nearest. False where the page does not have them, None where nothing can be read."""
        if not quote.strip() or not 1 <= page <= len(self._pages):
            return None
        with self._lock:
            for around in _with_margins(box) if box is not None else ():
                words = self._words(page, around)
                if words is None:
                    return None
                if contains_quote(" ".join(text for text, _ in words), quote):
                    return box
            words = self._words(page, PAGE)
        if words is None:
            return None
        runs = runs_of_quote([text for text, _ in words], quote)
        places = [union(place for _, place in words[first:end]) for first, end in runs]
        return min(places, key=partial(_distance, box or PAGE)) if places else False

    def _words(self, page: int, box: BBox) -> Words | None:
        if (page, box) not in self._known:
            self._known[page, box] = self._read(page, box)
        return self._known[page, box]

    @cached_property
    def _engine(self) -> OcrEngine | None:
        try:
            return find_engine(self._choice, "auto", RECOGNITION_SECONDS)
        except OcrError as error:
            log.warning("places cannot be verified by recognition: %s", error)
            return None

    def _read(self, page: int, box: BBox) -> Words | None:
        """The words in a box; None where nothing can read them."""
        import numpy as np

        if self._engine is None:
            return None
        picture = self._picture(page).region(box).load()
        points = max(1.0, (box[2] - box[0]) * self._pages[page - 1].width)
        dpi = max(LEAST_PLACE_DPI, round(72 * picture.width / points))
        gray = np.pad(np.asarray(picture.convert("L")), WHITE_BORDER, constant_values=255)
        try:
            lines = self._engine.read(gray, dpi, self._engine.languages())
        except OcrError as error:
            log.warning("page %d: a place was not read: %s", page, error)
            return None
        across, down = picture.size
        return [
            (
                word.text,
                (
                    (x0 - WHITE_BORDER) / across,
                    (y0 - WHITE_BORDER) / down,
                    (x1 - WHITE_BORDER) / across,
                    (y1 - WHITE_BORDER) / down,
                ),
            )
            for line in lines
            for word in line.words
            for x0, y0, x1, y1 in [word.bbox]
        ]


def _with_margins(box: BBox) -> list[BBox]:
    return [(box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin) for margin in PLACE_MARGINS]


def _distance(one: BBox, other: BBox) -> float:
    """How far two boxes' middles are from each other, squared, times four."""
    return (one[0] + one[2] - other[0] - other[2]) ** 2 + (one[1] + one[3] - other[1] - other[3]) ** 2
