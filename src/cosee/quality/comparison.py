"""An image beside its reference: measures of the difference, and the score of 1..5 that each value stands for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cosee.quality import picture_measures
from cosee.quality.thresholds import EQUAL_PSNR, MAX_COMPARED_SIDE, MIN_COMPARED_SIDE

if TYPE_CHECKING:
    from PIL.Image import Image

Borders = tuple[float, float, float, float]
"""Values between bad and poor, poor and fair, fair and good, good and excellent."""
PSNR_BORDERS: Borders = (20.0, 25.0, 31.0, 37.0)
"""Decibels. Ohm 1999, as EvalVid has it (Klaue, Rathke and Wolisz 2003)."""
SSIM_BORDERS: Borders = (0.5, 0.88, 0.95, 0.99)
"""Zinner, Hohlfeld, Abboud and Hossfeld 2010."""
NO_SKIMAGE = "scikit-image is not installed: pip install 'cosee[quality]'"


@dataclass(frozen=True)
class Comparison:
    """A measure of a picture's difference from its reference. ``least`` is the shorter side that it needs, in pixels.

    ``borders`` without a published source are where SSIM crosses its own along series of pictures that are spoilt more
    and more: medians, of which ``docs/image-quality.md`` tells more.
    """

    value: Callable[[Image, Image], float]
    borders: Borders
    ends: tuple[float, float] = (0.0, 1.0)
    """The values for 1 and 5: of pictures that have nothing in common, and of equal ones."""
    unit: str = ""
    least: int = 1
    missing: Callable[[], str | None] = lambda: None if find_spec("skimage") else NO_SKIMAGE

    def refusal(self, image: Image, reference: Image) -> str | None:
        """Why the two pictures cannot be compared; None where they can."""
        if image.size != reference.size:
            sizes = " and ".join(f"{one.width} x {one.height}" for one in (image, reference))
            return f"image and reference have different sizes, {sizes} pixels: scale or crop one of them first"
        if min(image.size) < self.least:
            return f"it needs {self.least} pixels in each direction, and the image has {min(image.size)}"
        return None

    def compare(self, image: Image, reference: Image) -> float:
        """The value for two pictures that are not refused."""
        return self.value(*(_limited(each) for each in (image, reference)))

    def score(self, value: float) -> float:
        """1..5: halves at the borders, and straight between them and to the ends."""
        points = (self.ends[0], *self.borders, self.ends[1])
        sign = 1 if points[0] < points[-1] else -1
        found = np.interp(sign * value, [sign * each for each in points], (1.0, 1.5, 2.5, 3.5, 4.5, 5.0))
        return round(float(found), 2)


def _limited(image: Image) -> Image:
    from PIL import Image as Pictures

    scale = min(1.0, MAX_COMPARED_SIDE / max(image.size))
    size = max(MIN_COMPARED_SIDE, round(image.width * scale)), max(MIN_COMPARED_SIDE, round(image.height * scale))
    return image if scale == 1.0 else image.resize(size, Pictures.Resampling.LANCZOS)


def _gray(*images: Image) -> tuple[NDArray[np.uint8], ...]:
    return tuple(np.asarray(image.convert("L")) for image in images)


def _psnr(image: Image, reference: Image) -> float:
    from skimage.metrics import peak_signal_noise_ratio

    first, second = _gray(image, reference)
    return EQUAL_PSNR if (first == second).all() else float(peak_signal_noise_ratio(second, first, data_range=255))


def _ssim(image: Image, reference: Image) -> float:
    from skimage.metrics import structural_similarity

    first, second = _gray(image, reference)
    return float(structural_similarity(second, first, data_range=255))


def _nrmse(image: Image, reference: Image) -> float:
    """Root of the mean squared error, as a share of the reference's contrast: its standard deviation."""
    from skimage.metrics import mean_squared_error

    first, second = _gray(image, reference)
    return float(np.sqrt(mean_squared_error(second, first)) / max(float(second.std()), 1.0))


def _nmi(image: Image, reference: Image) -> float:
    """Normalized mutual information (Studholme, Hill and Hawkes 1999): 1 for unrelated pictures, 2 for equal ones."""
    from skimage.metrics import normalized_mutual_information

    first, second = _gray(image, reference)
    flat = first.min() == first.max() or second.min() == second.max()
    return (2.0 if (first == second).all() else 1.0) if flat else float(normalized_mutual_information(second, first))


def _piq(name: picture_measures.Measure, borders: Borders) -> Comparison:
    least = picture_measures.LEAST_SIDE[name]
    value = partial(picture_measures.compare, name)
    return Comparison(value, borders, least=least, missing=picture_measures.unavailable)


MEASURES: dict[str, Comparison] = {
    "PSNR": Comparison(_psnr, PSNR_BORDERS, (15.0, 43.0), "dB"),
    "SSIM": Comparison(_ssim, SSIM_BORDERS, least=7),
    "NRMSE": Comparison(_nrmse, (0.56, 0.19, 0.12, 0.05), (1.0, 0.0)),
    "NMI": Comparison(_nmi, (1.18, 1.36, 1.44, 1.64), (1.0, 2.0)),
    "MS-SSIM": _piq("MS-SSIM", (0.78, 0.97, 0.99, 0.998)),
    "FSIM": _piq("FSIM", (0.67, 0.94, 0.98, 0.996)),
    "VSI": _piq("VSI", (0.88, 0.983, 0.994, 0.999)),
    "HaarPSI": _piq("HaarPSI", (0.5, 0.9, 0.97, 0.994)),
}
"""By name. Variation of information is left out: it compares segmentations, not grey values."""
