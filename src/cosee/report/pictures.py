"""Rendered pages as small web pictures."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path

from cosee.artifacts import files

DPI = 80
LARGE = 150_000
"""PNG bytes above which a page becomes a JPEG (photographs, scans)."""


@dataclass(frozen=True)
class Picture:
    """A page's picture: bytes, file suffix and size in pixels."""

    data: bytes
    suffix: str
    width: int
    height: int


def web_picture(png: Path) -> Picture:
    """A rendered page for the site. Raises ArtifactError or OSError for a file that is no picture."""
    from PIL import Image

    data = files.read_bytes(png)
    with Image.open(io.BytesIO(data)) as picture:
        width, height = picture.size
        if len(data) <= LARGE:
            return Picture(data, "png", width, height)
        buffer = io.BytesIO()
        picture.convert("RGB").save(buffer, "JPEG", quality=80, optimize=True)
        return Picture(buffer.getvalue(), "jpg", width, height)
