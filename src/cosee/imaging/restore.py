"""Mending a picture before it is read: what is done follows from the faults that were measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosee.artifacts.documents.picture_quality import Distortion, PictureQuality

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

FINE_DPI = 300
"""Resolution at which a page is rendered again where its picture is blurred, noisy or blocked."""
MAX_DPI = 450
READABLE = 18.0
"""Height of an x in pixels that small text is enlarged to."""
SOFT = 4.25
"""Score of ``blur`` below which a picture is sharpened: recognition suffers before the eye does."""
FINER: frozenset[Distortion] = frozenset(("blur", "noise", "blocking", "small_text"))
UNKNOWN_LETTER = 0.07
"""Height in inches taken for that of an x where none was found: print of ten points."""
SHARPEN = 200
"""Percent of the lost detail that unsharp masking puts back."""


@dataclass(frozen=True)
class Restored:
    """A picture as it is read, its resolution, and its quality as it was, with what was done in ``restored``."""

    gray: Gray
    dpi: int
    quality: PictureQuality


def restore(
    gray: Gray, dpi: int, quality: PictureQuality, render: Callable[[int], tuple[Gray, int]] | None = None
) -> Restored:
    """Mend what ``quality`` calls a fault, and slight blur; a picture without either comes back as it is.

    ``render`` gives the same region at another resolution (and the resolution that it could give). The picture is not
    turned here: the caller knows where its boxes are.
    """
    faults = set(quality.faults)
    if quality.scores.get("blur", 5.0) < SOFT:
        faults.add("blur")
    steps: list[str] = []
    height, grown = quality.x_height, 1.0
    if render is not None and faults & FINER:
        wanted = _resolution(dpi, height, faults)
        if wanted > dpi:
            finer, reached = render(wanted)
            if reached > dpi:
                grown = reached / dpi
                gray, dpi = finer, reached
                steps.append(f"rendered_at_{dpi}_dpi")
    letter = height * grown if height is not None else UNKNOWN_LETTER * dpi
    if "noise" in faults:
        gray = smoothed(gray, min(2.5, max(0.8, letter / 16)))
        steps.append("denoised")
    elif "blocking" in faults:
        gray = blurred(gray, min(1.5, max(0.6, letter / 19)))
        steps.append("deblocked")
    if faults & {"low_contrast", "darkness"}:
        gray = stretched(gray, quality.brightness - quality.contrast, quality.brightness)
        steps.append("stretched")
    if "blur" in faults and "noise" not in faults and quality.edge_width is not None:
        gray = sharpened(gray, quality.edge_width * grown)
        steps.append("sharpened")
    return Restored(gray, dpi, quality.model_copy(update={"restored": steps}))


def _resolution(dpi: int, height: float | None, faults: set[Distortion]) -> int:
    """Dots per inch to render at: fine enough, and so that small letters become large enough to be read."""
    wanted = float(FINE_DPI)
    if height is not None and "small_text" in faults:
        wanted = max(wanted, dpi * READABLE / max(height, 1.0))
    return min(MAX_DPI, max(dpi, round(wanted)))


def stretched(gray: Gray, low: float, high: float) -> Gray:
    """The grey values with ``low`` made black and ``high`` white."""
    levels = (np.arange(256) - low) * 255.0 / max(high - low, 1.0)
    table = np.clip(np.round(levels), 0, 255).astype(np.uint8)
    return np.asarray(table[gray], dtype=np.uint8)


def median(gray: Gray) -> Gray:
    """The median of each pixel and its eight neighbours."""
    from PIL import Image, ImageFilter

    return np.asarray(Image.fromarray(gray).filter(ImageFilter.MedianFilter(3)), dtype=np.uint8)


def blurred(gray: Gray, sigma: float) -> Gray:
    """A Gaussian blur of ``sigma`` pixels. Thin strokes that a coarse JPEG left survive it, unlike a median."""
    from PIL import Image, ImageFilter

    return np.asarray(Image.fromarray(gray).filter(ImageFilter.GaussianBlur(sigma)), dtype=np.uint8)


def smoothed(gray: Gray, sigma: float) -> Gray:
    """Noise taken away: single pixels by a median, the rest by a Gaussian of ``sigma`` pixels."""
    from PIL import Image, ImageFilter

    picture = Image.fromarray(gray).filter(ImageFilter.MedianFilter(3)).filter(ImageFilter.GaussianBlur(sigma))
    return np.asarray(picture, dtype=np.uint8)


def sharpened(gray: Gray, edge_width: float) -> Gray:
    """Unsharp masking for edges of ``edge_width`` pixels: a Gaussian blur of sigma pixels makes them 2.5 sigma wide."""
    from PIL import Image, ImageFilter

    radius = min(8.0, max(1.0, edge_width / 2.5 * 1.3))
    return np.asarray(Image.fromarray(gray).filter(ImageFilter.UnsharpMask(radius, SHARPEN, 0)), dtype=np.uint8)
