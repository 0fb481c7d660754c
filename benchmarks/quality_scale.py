"""Which value of a measure means which class of quality, for measures without a published scale.

Pictures that scikit-image ships are spoilt more and more by blur, noise, JPEG and lower contrast. Along each series the
value of every other measure is read where SSIM crosses the published borders of its classes; the medians over all
series are what ``cosee.quality.comparison`` holds. Measures of piq are left out where they cannot run.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from PIL import Image, ImageFilter

from benchmarks.common import print_table, write_report
from cosee.quality.comparison import MEASURES, SSIM_BORDERS

PICTURES = ("camera", "astronaut", "coffee", "chelsea", "page", "text", "coins", "moon")
CLASSES = ("bad/poor", "poor/fair", "fair/good", "good/excellent")


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """Pictures of scikit-image at most 512 pixels wide, the shorter side 170 or more (MS-SSIM needs 161)."""
    from skimage import data

    for name in PICTURES:
        picture = Image.fromarray(getattr(data, name)()).convert("RGB")
        scale = max(170 / min(picture.size), min(1.0, 512 / max(picture.size)))
        yield name, picture.resize([round(side * scale) for side in picture.size])


def _blur(picture: Image.Image, amount: float) -> Image.Image:
    return picture.filter(ImageFilter.GaussianBlur(0.3 * 1.25**amount))


def _noise(picture: Image.Image, amount: float) -> Image.Image:
    noise = np.random.default_rng(0).normal(0.0, 1.35**amount, (*picture.size[::-1], 3))
    return Image.fromarray(np.clip(np.round(np.asarray(picture) + noise), 0, 255).astype(np.uint8))


def _jpeg(picture: Image.Image, amount: float) -> Image.Image:
    buffer = io.BytesIO()
    picture.save(buffer, "JPEG", quality=round(98 - 5.9 * amount))
    return Image.open(buffer).convert("RGB")


def _pale(picture: Image.Image, amount: float) -> Image.Image:
    return picture.point(lambda value: round(128 + 0.82**amount * (value - 128)))


SERIES: dict[str, Callable[[Image.Image, float], Image.Image]] = {
    "blur": _blur, "noise": _noise, "jpeg": _jpeg, "low_contrast": _pale,
}  # fmt: skip
STEPS = 17


def main(arguments: list[str] | None = None) -> int:
    """Print the values at the borders."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, required=True, help="where the figures are written")
    options = parser.parse_args(arguments)
    measures = [name for name, each in MEASURES.items() if each.missing() is None]
    found: dict[str, list[list[float]]] = {name: [[] for _ in SSIM_BORDERS] for name in measures}
    for _, picture in pictures():
        for spoil in SERIES.values():
            copies = [spoil(picture, step) for step in range(STEPS)]
            values = {name: [MEASURES[name].value(copy, picture) for copy in copies] for name in measures}
            for number, border in enumerate(SSIM_BORDERS):
                for name in measures:
                    value = _crossed(values["SSIM"], values[name], border)
                    if value is not None:
                        found[name][number].append(value)
    figures: dict[str, float] = {}
    rows: list[list[Any]] = []
    for name, borders in found.items():
        rows.append([name, *(median(each) if each else None for each in borders), len(borders[1])])
        figures |= {f"border.{name}.{CLASSES[n]}": median(each) for n, each in enumerate(borders) if each}
    print_table(("measure", *CLASSES, "series"), rows)
    write_report(options.json, "quality_scale", figures, {"pictures": PICTURES, "series": list(SERIES)})
    return 0


def _crossed(ssim: list[float], other: list[float], border: float) -> float | None:
    """The other measure's value where SSIM first falls below a border; None where it does not cross it."""
    for step in range(1, len(ssim)):
        if ssim[step - 1] >= border > ssim[step]:
            share = (ssim[step - 1] - border) / (ssim[step - 1] - ssim[step])
            return other[step - 1] + share * (other[step] - other[step - 1])
    return None


if __name__ == "__main__":
    raise SystemExit(main())
