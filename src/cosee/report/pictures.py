"""Pages as small web pictures."""

from __future__ import annotations

import io
from pathlib import Path

from cosee.artifacts import files
from cosee.imaging.render import cached_page, render_region
from cosee.report.thresholds import PICTURE_DPI, WEBP_EFFORT, WEBP_QUALITY

SUFFIX = "webp"


def picture_path(pdf: Path, page: int, cache: Path) -> Path:
    """Where ``render_picture`` keeps the picture of a page (1-based)."""
    return cached_page(pdf, page, PICTURE_DPI, cache, SUFFIX)


def render_picture(pdf: Path, page: int, cache: Path) -> Path:
    """The page as a web picture, rendered when it is not there yet. Raises RenderError."""
    from PIL import Image

    target = picture_path(pdf, page, cache)
    if not target.is_file():
        buffer = io.BytesIO()
        with Image.open(io.BytesIO(render_region(pdf, page, (0.0, 0.0, 1.0, 1.0), PICTURE_DPI))) as picture:
            picture.save(buffer, "WEBP", quality=WEBP_QUALITY, method=WEBP_EFFORT)
        files.write_bytes(target, buffer.getvalue())
    return target


def load_picture(path: Path) -> tuple[bytes, int, int]:
    """A page's picture for the site, with its width and height. Raises ArtifactError or OSError for another file."""
    from PIL import Image

    data = files.read_bytes(path)
    with Image.open(io.BytesIO(data)) as picture:
        return data, *picture.size
