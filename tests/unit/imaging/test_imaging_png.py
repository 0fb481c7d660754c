from __future__ import annotations

import io

import pytest
from PIL import Image

from cosee.imaging.png import rgb_png


def test_pixels_survive_and_a_wrong_size_is_refused() -> None:
    width, height = 37, 23
    samples = bytes((x * 7 + y * 13 + c * 50) % 256 for y in range(height) for x in range(width) for c in range(3))
    image = Image.open(io.BytesIO(rgb_png(samples, width, height)))
    assert image.size == (width, height) and image.mode == "RGB" and image.tobytes() == samples
    assert rgb_png(samples, width, height) == rgb_png(memoryview(samples), width, height)
    with pytest.raises(ValueError, match="reshape"):
        rgb_png(samples[:-1], width, height)
