"""Mending a picture before it is read: what is done follows from the faults that were measured."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from cosee.artifacts.documents.picture_quality import Distortion, PictureQuality
from cosee.imaging import thresholds

if TYPE_CHECKING:
    from cosee.imaging.ink import Gray

FINER: frozenset[Distortion] = frozenset(("blur", "noise", "blocking", "small_text"))
"""Faults that a finer rendering lessens."""


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
    if quality.scores.get("blur", 5.0) < thresholds.SOFT:
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
    letter = height * grown if height is not None else thresholds.UNKNOWN_LETTER_INCHES * dpi
    if "noise" in faults:
        # The median takes single pixels away, the blur the rest.
        sigma = letter / thresholds.DENOISE_LETTERS
        gray = blurred(median(gray), min(thresholds.MAX_DENOISE, max(thresholds.MIN_DENOISE, sigma)))
        steps.append("denoised")
    elif "blocking" in faults:
        sigma = letter / thresholds.DEBLOCK_LETTERS
        gray = blurred(gray, min(thresholds.MAX_DEBLOCK, max(thresholds.MIN_DEBLOCK, sigma)))
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
    wanted = float(thresholds.FINE_DPI)
    if height is not None and "small_text" in faults:
        wanted = max(wanted, dpi * thresholds.READABLE_X_HEIGHT / max(height, 1.0))
    return min(thresholds.MAX_DPI, max(dpi, round(wanted)))


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


def sharpened(gray: Gray, edge_width: float) -> Gray:
    """Unsharp masking for edges of ``edge_width`` pixels."""
    from PIL import Image, ImageFilter

    # A Gaussian blur of sigma pixels makes edges 2.5 sigma wide.
    radius = edge_width / 2.5 * thresholds.SHARPEN_WIDER
    radius = min(thresholds.MAX_SHARPEN, max(thresholds.MIN_SHARPEN, radius))
    mask = ImageFilter.UnsharpMask(radius, thresholds.SHARPEN_PERCENT, 0)
    return np.asarray(Image.fromarray(gray).filter(mask), dtype=np.uint8)
