"""Page images become a PDF: the pictures as they are, published OCR as the invisible text that scanners write.

A JPEG is embedded byte for byte and any other picture without loss. The bytes repeat: no dates, no ids. Text of the
layer is marked by the adapter (page flag ``ocr_layer``), and who recognised it stands in the PDF's keywords.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass

from cosee.datasets.invisible_text import TextLayer, Word
from cosee.datasets.thresholds import LARGEST_PICTURE, PAGE_LONG_SIDE
from cosee.imaging.picture_file import PictureError, opened_picture

_EMBEDDED = ("JPEG", "PNG")
"""Formats that a PDF holds as they are, or without loss."""


@dataclass(frozen=True)
class PageImage:
    """One page: the bytes of its picture, None where it is missing (the page stays blank), and its words."""

    data: bytes | None
    words: Sequence[Word] = ()


class BadImage(ValueError):
    """A picture that cannot be a page; the message says why."""


def checked_image(data: bytes) -> bytes:
    """``data`` as it is where a PDF can hold it, else the same picture as PNG.

    Raises:
        BadImage: no picture, a broken one, or one of so many pixels that Pillow takes it for a bomb.
    """
    if len(data) > LARGEST_PICTURE:
        raise BadImage(f"{len(data)} bytes are more than {LARGEST_PICTURE}")
    try:
        with opened_picture(io.BytesIO(data), "the picture") as picture:
            picture.load()
            if picture.format in _EMBEDDED:
                return data
            out = io.BytesIO()
            picture.convert("RGBA" if "A" in picture.getbands() else "RGB").save(out, "PNG")
            return out.getvalue()
    except PictureError as error:
        raise BadImage(f"not a readable picture: {error}") from error


def image_pdf(pages: Sequence[PageImage], text_source: str | None) -> bytes:
    """A PDF with one page for each of ``pages``, whose pictures were checked; at least one has a picture."""
    import pymupdf

    sizes = [_page_size(page.data) for page in pages]
    usual = next(size for size in sizes if size is not None)
    with pymupdf.open() as document:
        layer = TextLayer(document, (word for page in pages for word in page.words))
        for page, size in zip(pages, sizes, strict=True):
            width, height = size or usual
            sheet = document.new_page(width=width, height=height)
            if page.data is not None:
                sheet.insert_image(sheet.rect, stream=page.data, keep_proportion=False)
                layer.write(sheet, page.words)
        document.set_metadata(
            {
                "producer": "CoSee: page images of a benchmark",
                "keywords": f"invisible text: {text_source}" if text_source else "no text layer",
            }
        )
        data: bytes = document.tobytes(garbage=3, deflate=True, deflate_images=False, no_new_id=True)
    return data


def _page_size(data: bytes | None) -> tuple[float, float] | None:
    from PIL import Image

    if data is None:
        return None
    with Image.open(io.BytesIO(data)) as picture:
        width, height = picture.size
    scale = PAGE_LONG_SIDE / max(width, height)
    return max(1.0, round(width * scale, 2)), max(1.0, round(height * scale, 2))
