"""Picture files of unknown origin: known formats only, a bound on pixels, one error whatever a decoder raises."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from PIL.Image import Image

FORMATS = ("PNG", "JPEG", "WEBP", "TIFF", "BMP", "GIF", "PPM")
"""Of the formats that Pillow knows, EPS would start Ghostscript on the file's content."""
MAX_BYTES = 200_000_000
MAX_PIXELS = 100_000_000


class PictureError(OSError):
    """A file that is no usable picture; the message names it and says why."""


def decode_picture(data: bytes, name: str) -> Image:
    """The first picture in a file's bytes, decoded, as it is stored: mode and direction are the file's.

    Raises:
        PictureError: not a picture of a known format, more than ``MAX_PIXELS``, or damaged.
    """
    with opened_picture(io.BytesIO(data), name) as picture:
        picture.load()
        return picture.copy()


def read_picture(path: Path) -> Image:
    """As ``decode_picture``, of a file of at most ``MAX_BYTES``.

    Raises:
        PictureError: as above, or too large a file. OSError: it cannot be read.
    """
    if path.stat().st_size > MAX_BYTES:
        raise PictureError(f"{str(path)!r} has more than {MAX_BYTES} bytes")
    return decode_picture(path.read_bytes(), str(path))


def picture_size(path: Path) -> tuple[int, int]:
    """Width and height in pixels; nothing is decoded for them. Raises as ``read_picture``."""
    with path.open("rb") as source, opened_picture(source, str(path)) as picture:
        return picture.size


@contextmanager
def opened_picture(source: BinaryIO, name: str) -> Iterator[Image]:
    """The picture in a file, not yet decoded; what is raised inside is a ``PictureError`` too."""
    import PIL.Image

    try:
        with PIL.Image.open(source, formats=FORMATS) as picture:
            if picture.width * picture.height > MAX_PIXELS:
                raise PictureError(f"{name!r} has more than {MAX_PIXELS} pixels")
            yield picture
    except PictureError:
        raise
    except PIL.Image.DecompressionBombError as error:
        raise PictureError(f"{name!r} has more than {MAX_PIXELS} pixels") from error
    except PIL.UnidentifiedImageError as error:
        raise PictureError(f"{name!r} is not an image of a known format ({', '.join(FORMATS)})") from error
    except Exception as error:  # whatever a decoder raises on foreign bytes means that they are no usable picture
        raise PictureError(f"{name!r} is not a readable image: {error}") from error
