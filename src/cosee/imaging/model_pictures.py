"""Pictures as a model is to see them: a poor one is denoised, stretched or sharpened first, never turned or scaled, so
that boxes on it mean the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from cosee.artifacts import files
from cosee.imaging.measure import measure_picture
from cosee.imaging.png import rgb_png
from cosee.imaging.restore import restore
from cosee.imaging.thresholds import PAGE_INCHES

if TYPE_CHECKING:
    from PIL.Image import Image


def mended(picture: Image, dpi: int | None = None) -> Image:
    """The picture in RGB, without the faults that are measured on it; of the same size."""
    from PIL import Image as Images

    colours = picture.convert("RGB")
    found = restore(np.asarray(colours), dpi or round(max(picture.size) / PAGE_INCHES), measure_picture(picture, dpi))
    return Images.fromarray(found.gray) if found.quality.restored else colours


def mended_place(place: Path) -> Path:
    """Where the mended one of a picture file is kept: beside it."""
    return place.with_name(f"{place.stem}.mended.png")


def mended_page(source: Path, dpi: int) -> Path:
    """A picture file, mended, beside it; made when it is not there yet."""
    import PIL.Image

    target = mended_place(source)
    if not target.is_file():
        with PIL.Image.open(source) as picture:
            made = mended(picture, dpi)
        files.write_bytes(target, rgb_png(made.tobytes(), made.width, made.height))
    return target
