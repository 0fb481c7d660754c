"""Turning pictures and boxes: a page seen sideways, upside down or askew is read upright and told as seen."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians, sin
from typing import TYPE_CHECKING

from cosee.artifacts.base import BBox
from cosee.imaging import thresholds

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray


@dataclass(frozen=True)
class Turn:
    """A turn of a page by ``degrees`` clockwise about its middle; ``width`` and ``height`` are those before it.

    The turned page is as large as it must be to hold the whole of the other. Units are the caller's.
    """

    width: float
    height: float
    degrees: float = 0.0

    @property
    def turned_size(self) -> tuple[float, float]:
        """Width and height after the turn."""
        c, s = abs(self._cos), abs(self._sin)
        return c * self.width + s * self.height, s * self.width + c * self.height

    @property
    def _cos(self) -> float:
        return _exact(cos(radians(self.degrees)))

    @property
    def _sin(self) -> float:
        return _exact(sin(radians(self.degrees)))

    @property
    def matrix(self) -> tuple[float, float, float, float, float, float]:
        """``forward`` as the matrix of a point: ``x' = a x + c y + e``, ``y' = b x + d y + f``."""
        c, s = self._cos, self._sin
        wide, high = self.turned_size
        x, y = (wide - c * self.width + s * self.height) / 2, (high - s * self.width - c * self.height) / 2
        return c, s, -s, c, x, y

    def forward(self, box: BBox) -> BBox:
        """A box of the page, after the turn: the box around its turned corners."""
        return _around(box, self._cos, self._sin, (self.width, self.height), self.turned_size)

    def back(self, box: BBox) -> BBox:
        """A box of the turned page, on the page as it was."""
        return _around(box, self._cos, -self._sin, self.turned_size, (self.width, self.height))

    def picture(self, gray: Gray) -> Gray:
        """A picture of the page, turned; what comes in from outside is white."""
        import numpy as np

        quarters = round(self.degrees / 90)
        rest = self.degrees - 90 * quarters
        turned = np.ascontiguousarray(np.rot90(gray, -quarters))
        if abs(rest) < thresholds.TURNED:
            return turned
        from PIL import Image

        # Pillow turns against the clock for positive angles.
        image = Image.fromarray(turned).rotate(-rest, Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        return np.asarray(image, dtype=np.uint8)


def _exact(value: float) -> float:
    """Sines of quarter turns without their rounding error."""
    return round(value, 12) + 0.0


def _around(box: BBox, c: float, s: float, source: tuple[float, float], target: tuple[float, float]) -> BBox:
    xs, ys = [], []
    for x, y in ((box[0], box[1]), (box[2], box[1]), (box[0], box[3]), (box[2], box[3])):
        dx, dy = x - source[0] / 2, y - source[1] / 2
        xs.append(c * dx - s * dy + target[0] / 2)
        ys.append(s * dx + c * dy + target[1] / 2)
    return min(xs), min(ys), max(xs), max(ys)
