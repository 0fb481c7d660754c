"""Pictures as scans: a page for each, a TIFF's frames one after the other."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from cosee.imaging.picture_file import MAX_PIXELS, PictureError, opened_picture
from cosee.parse.originals.kinds import Unconvertible
from cosee.parse.originals.thresholds import LONG_SIDE, LONGEST, MAX_FRAMES, SHORTEST


def convert_picture(source: Path, target: Path, name: str) -> None:
    """Write a PDF of the picture's frames, each turned as its camera says, without loss; a JPEG byte for byte.

    Raises:
        Unconvertible: ``damaged`` or ``too_large``.
    """
    import pymupdf

    try:
        with pymupdf.open() as document, source.open("rb") as data, opened_picture(data, name) as picture:
            frames = getattr(picture, "n_frames", 1)
            if frames > MAX_FRAMES:
                raise Unconvertible("too_large", f"{name} has {frames} frames; at most {MAX_FRAMES} are read")
            for frame in range(frames):
                picture.seek(frame)
                if picture.width * picture.height > MAX_PIXELS:
                    raise Unconvertible("too_large", f"{name}: frame {frame + 1} has more than {MAX_PIXELS} pixels")
                stream, size = _page(picture, source)
                sheet = document.new_page(width=size[0], height=size[1])
                sheet.insert_image(sheet.rect, stream=stream, keep_proportion=False)
            document.save(target, garbage=3, deflate=True, deflate_images=False, no_new_id=True)
    except PictureError as error:
        if isinstance(error.__cause__, Unconvertible):
            raise error.__cause__ from error
        raise Unconvertible("damaged", f"{error}") from error


def _page(picture: Any, source: Path) -> tuple[bytes, tuple[float, float]]:
    """The frame's bytes for a PDF, and the size of its page in points."""
    from PIL import ImageOps

    upright = ImageOps.exif_transpose(picture)
    width, height = upright.size
    longer = max(width, height)
    density = picture.info.get("dpi", (0, 0))[0]
    points = float(longer / density * 72.0) if density else 0.0
    scale = (points if SHORTEST <= points <= LONGEST else LONG_SIDE) / longer
    size = max(1.0, round(width * scale, 2)), max(1.0, round(height * scale, 2))
    if picture.format == "JPEG" and picture.getexif().get(0x0112, 1) == 1:
        return source.read_bytes(), size
    out = io.BytesIO()
    plain = upright if upright.mode in ("1", "L", "RGB") else upright.convert("RGBA" if "A" in upright.mode else "RGB")
    plain.save(out, "PNG")
    return out.getvalue(), size
