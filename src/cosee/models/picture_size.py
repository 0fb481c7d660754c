"""How large a picture is when Qwen's vision-language models look at it, and how many tokens it takes.

The rule is the one that the processors of Qwen2-VL, Qwen2.5-VL and Qwen3-VL publish as ``smart_resize``, in our own
words: ``qwen-vl-utils`` has it too, but imports torchvision. A test holds it against the processor of transformers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, sqrt

PATCH, MERGE = 16, 2
"""Of Qwen3-VL: pixels of a patch, and patches of a side that become one token."""


@dataclass(frozen=True)
class PictureSize:
    """``unit`` is the side of the square that becomes one token, in pixels; 28 for Qwen2.5-VL."""

    unit: int = PATCH * MERGE
    min_pixels: int = 256 * 256
    max_pixels: int = 4096 * 4096

    def fitted(self, width: int, height: int) -> tuple[int, int]:
        """The size in whole units that is nearest to a picture's own, within the bounds on pixels."""
        across, down = (round(side / self.unit) for side in (width, height))
        pixels = across * down * self.unit**2
        if pixels > self.max_pixels:
            shrunk = sqrt(width * height / self.max_pixels) * self.unit
            across, down = (max(1, floor(side / shrunk)) for side in (width, height))
        elif pixels < self.min_pixels:
            grown = sqrt(self.min_pixels / (width * height)) / self.unit
            across, down = (ceil(side * grown) for side in (width, height))
        return across * self.unit, down * self.unit

    def tokens(self, width: int, height: int) -> int:
        """Tokens of a picture, the marks around it not counted."""
        across, down = self.fitted(width, height)
        return across * down // self.unit**2


QWEN3_VL = PictureSize()
