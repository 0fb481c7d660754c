"""Image files that a question names: inside the allowed folders, and images by their content."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.artifacts import files
from cosee.imaging.picture_file import MAX_BYTES, PictureError, decode_picture

if TYPE_CHECKING:
    from PIL.Image import Image


class ImageFileError(ValueError):
    """A file that is no usable image; the message names it and says why."""


@dataclass(frozen=True)
class ImageFile:
    """An image and the sha256 of its file's bytes."""

    image: Image
    sha256: str


def open_image(name: str | Path, roots: Sequence[Path] = ()) -> ImageFile:
    """Read an image file, once.

    ``roots`` are the folders that it must lie in after links and ``..`` are resolved; empty allows any place, which is
    for a path that the user of this machine typed.

    Raises:
        ImageFileError: no such file, outside of the roots, too large, or not an image of a known format.
    """
    try:
        path = Path(name).resolve()
        if roots and not any(path.is_relative_to(root.resolve()) for root in roots):
            raise ImageFileError(f"{str(name)!r} lies outside of {', '.join(str(root) for root in roots)}")
        if not path.is_file():
            raise ImageFileError(f"{str(name)!r}: there is no such file")
        if path.stat().st_size > MAX_BYTES:
            raise ImageFileError(f"{str(name)!r} has more than {MAX_BYTES} bytes")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, ImageFileError):
            raise
        raise ImageFileError(f"{str(name)!r} cannot be read: {error}") from error
    return ImageFile(_decoded(data, str(name)), files.sha256_bytes(data))


def _decoded(data: bytes, name: str) -> Image:
    from PIL import ImageOps

    try:
        upright = ImageOps.exif_transpose(decode_picture(data, name))
    except PictureError as error:
        raise ImageFileError(str(error)) from error
    return upright if upright.mode in ("L", "RGB") else _flat(upright)


def _flat(picture: Image) -> Image:
    """RGB, on white where it is transparent."""
    import PIL.Image

    if picture.mode in ("1", "I;16", "I", "F"):
        return picture.convert("L")
    layered = picture.convert("RGBA")
    ground = PIL.Image.new("RGBA", layered.size, "white")
    ground.alpha_composite(layered)
    return ground.convert("RGB")
