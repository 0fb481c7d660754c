"""Reading a place of a page by recognition, to hold what a model cites there against it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from functools import cached_property

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import PageInfo
from cosee.models.blocks import PageImage
from cosee.models.vision.engine import OcrEngine, OcrError
from cosee.models.vision.ocr import find_engine
from cosee.text.likeness import says

log = logging.getLogger(__name__)
MARGINS = (0.004, 0.012)
"""Shares of the page that are read around a place: half a line above or below would disturb recognition, and models
draw some boxes too tightly."""
WHITE = 24
"""Pixels of white around what is read, which recognition wants."""
SECONDS = 30.0


class PlaceReader:
    """Reads places of one document, each once; threads may share it. ``choice`` is as ``adapt.ocr``."""

    def __init__(self, choice: str, pages: Sequence[PageInfo], picture: Callable[[int], PageImage]) -> None:
        self._choice, self._pages, self._picture = choice, pages, picture
        self._known: dict[tuple[int, BBox, float], str | None] = {}
        self._lock = threading.Lock()

    def __call__(self, page: int, box: BBox, quote: str) -> bool | None:
        """Whether ``quote`` is read in a box of 0..1 of a 1-based page; None where nothing can be read."""
        if not quote.strip() or not 1 <= page <= len(self._pages):
            return None
        with self._lock:
            readings = (self._words(page, box, margin) for margin in MARGINS)
            for words in readings:
                if words is None:
                    return None
                if says(words, quote):
                    return True
        return False

    def _words(self, page: int, box: BBox, margin: float) -> str | None:
        if (page, box, margin) not in self._known:
            self._known[page, box, margin] = self._read(page, box, margin)
        return self._known[page, box, margin]

    @cached_property
    def _engine(self) -> OcrEngine | None:
        try:
            return find_engine(self._choice, "auto", SECONDS)
        except OcrError as error:
            log.warning("places cannot be verified by recognition: %s", error)
            return None

    def _read(self, page: int, box: BBox, margin: float) -> str | None:
        """The words in a box, line by line; None where nothing can read them."""
        import numpy as np

        if self._engine is None:
            return None
        left, top, right, bottom = box
        picture = self._picture(page).region((left - margin, top - margin, right + margin, bottom + margin)).load()
        points = max(1.0, (right - left + 2 * margin) * self._pages[page - 1].width)
        dpi = max(70, round(72 * picture.width / points))
        gray = np.pad(np.asarray(picture.convert("L")), WHITE, constant_values=255)
        try:
            lines = self._engine.read(gray, dpi, self._engine.languages())
        except OcrError as error:
            log.warning("page %d: a place was not read: %s", page, error)
            return None
        return "\n".join(" ".join(word.text for word in line.words) for line in lines)
