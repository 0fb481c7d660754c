"""The page as a reader sees it: its pixels, drawn when something has to be proven by them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from cosee.artifacts.base import BBox
from cosee.imaging.drawing import RenderError, draw
from cosee.parse.pdf import thresholds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Paper:
    """The pixels of one ``pymupdf.Page``; it is drawn at most once."""

    def __init__(self, page: Any) -> None:
        self._page = page
        area = max(page.rect.width * page.rect.height, 1.0)
        self._zoom = min(thresholds.PROOF_DPI / 72, (thresholds.PROOF_PIXELS / area) ** 0.5)

    @cached_property
    def pixels(self) -> NDArray[np.uint8] | None:
        """Rows of RGB pixels; None where the page was given up."""
        return self._drawn(self._zoom)

    def draw(self) -> None:
        """Draw the page now, so that what was read of it can be held against it."""
        _ = self.pixels

    @property
    def is_drawn(self) -> bool:
        """Whether the page was drawn."""
        return self.__dict__.get("pixels") is not None

    def ink_outside(self, boxes: Sequence[BBox]) -> tuple[float, BBox | None]:
        """The share of the page that differs from its ground outside of boxes, and the box around that, in points."""
        import numpy

        if self.pixels is None or not self.pixels.size:
            return 0.0, None
        every, step = thresholds.GROUND_STEP, thresholds.INK_STEP
        ground = numpy.median(self.pixels[::every, ::every].reshape(-1, 3), axis=0).astype(numpy.int16)
        seen = self.pixels[::step, ::step]
        difference = thresholds.PAGE_INK
        low, high = (numpy.clip(ground + by, 0, 255).astype(numpy.uint8) for by in (-difference, difference))
        ink = ((seen < low) | (seen > high)).any(axis=2)
        for box in boxes:
            ys, xs = self.place(box)
            ink[ys.start // step : -(-ys.stop // step), xs.start // step : -(-xs.stop // step)] = False
        rows, columns = numpy.flatnonzero(ink.any(axis=1)), numpy.flatnonzero(ink.any(axis=0))
        if not len(rows):
            return 0.0, None
        edges = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
        left, top, right, bottom = (float(edge) * step / self._zoom for edge in edges)
        return float(ink.mean()), (left, top, right, bottom)

    def place(self, box: BBox) -> tuple[slice, slice]:
        """Rows and columns of a box, in points of the page as seen."""
        left, top, right, bottom = (max(0, round(value * self._zoom)) for value in box)
        return slice(top, bottom), slice(left, right)

    def part(self, box: BBox) -> NDArray[np.uint8] | None:
        """The pixels in a box; None where the page was given up."""
        return None if self.pixels is None else self.pixels[self.place(box)]

    def fine_part(self, box: BBox) -> NDArray[np.uint8] | None:
        """The pixels of a small box, drawn by itself so finely that strokes have a form; None as for ``part``."""
        import pymupdf

        return self._drawn(thresholds.FINE_DPI / 72, clip=pymupdf.Rect(box))

    def _drawn(self, zoom: float, **clip: Any) -> NDArray[np.uint8] | None:
        import numpy
        import pymupdf

        try:
            matrix = pymupdf.Matrix(zoom, zoom)
            pixmap = draw(self._page, matrix=matrix, alpha=False, colorspace=pymupdf.csRGB, **clip)
        except RenderError:
            return None
        return numpy.frombuffer(pixmap.samples, dtype=numpy.uint8).reshape(pixmap.height, pixmap.width, 3)
