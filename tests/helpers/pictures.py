"""Pictures that tests draw."""

from __future__ import annotations

from functools import cache

from PIL import Image, ImageDraw, ImageFilter


@cache
def page(blur: float = 0.0) -> Image.Image:
    """A page of print, 600 x 800 pixels."""
    picture = Image.new("RGB", (600, 800), "white")
    draw = ImageDraw.Draw(picture)
    for row in range(30):
        draw.text((40, 30 + 24 * row), "The quick brown fox jumps over the lazy dog 012345", fill="black", font_size=18)
    return picture.filter(ImageFilter.GaussianBlur(blur)) if blur else picture
