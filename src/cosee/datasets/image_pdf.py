"""Page images become a PDF: the pictures as they are, published OCR as the invisible text that scanners write.

A JPEG is embedded byte for byte and any other picture without loss. The bytes repeat: no dates, no ids. Text of the
layer is marked by the adapter (page flag ``ocr_layer``), and who recognised it stands in the PDF's keywords.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

LONG_SIDE = 792.0
"""Points of the longer side of a page (11 inches): page images of benchmarks rarely know their true size."""
MAX_IMAGE_BYTES = 200_000_000
_EMBEDDED = ("JPEG", "PNG")
"""Formats that a PDF holds as they are, or without loss."""


Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class Word:
    """A recognised word: ``bbox`` in 0..1 of the image, ``line`` the height of its line (top, bottom) likewise."""

    text: str
    bbox: Box
    line: tuple[float, float]


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
    from PIL import Image

    if len(data) > MAX_IMAGE_BYTES:
        raise BadImage(f"{len(data)} bytes are more than {MAX_IMAGE_BYTES}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(data)) as picture:
                picture.load()
                if picture.format in _EMBEDDED:
                    return data
                out = io.BytesIO()
                picture.convert("RGBA" if "A" in picture.getbands() else "RGB").save(out, "PNG")
                return out.getvalue()
    except Exception as error:  # a hostile picture may raise anything from a decoder
        raise BadImage(f"not a readable picture ({type(error).__name__}: {error})") from error


def image_pdf(pages: Sequence[PageImage], text_source: str | None) -> bytes:
    """A PDF with one page for each of ``pages``, whose pictures were checked; at least one has a picture."""
    import pymupdf

    sizes = [_page_size(page.data) for page in pages]
    usual = next(size for size in sizes if size is not None)
    with pymupdf.open() as document:
        for page, size in zip(pages, sizes, strict=True):
            width, height = size or usual
            sheet = document.new_page(width=width, height=height)
            if page.data is not None:
                sheet.insert_image(sheet.rect, stream=page.data, keep_proportion=False)
                _write_words(sheet, page.words)
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
    scale = LONG_SIDE / max(width, height)
    return max(1.0, round(width * scale, 2)), max(1.0, round(height * scale, 2))


def _write_words(sheet: Any, words: Sequence[Word]) -> None:
    """Write each word invisibly over its place, as high as its line and as wide as its box."""
    import pymupdf

    fonts: dict[str, Any] = {}
    shape = sheet.new_shape()
    width, height = sheet.rect.width, sheet.rect.height
    written = False
    for word in words:
        text = " ".join("".join(char if char.isprintable() else " " for char in word.text).split())
        x0, x1 = (min(max(word.bbox[n], 0.0), 1.0) * width for n in (0, 2))
        top, bottom = (min(max(value, 0.0), 1.0) * height for value in word.line)
        if not text or x1 - x0 < 0.1 or bottom - top < 0.1:
            continue
        name = "helv" if all(ord(char) < 256 for char in text) else "china-s"
        font = fonts.setdefault(name, pymupdf.Font(name))
        size = (bottom - top) / (font.ascender - font.descender)
        start = pymupdf.Point(x0, bottom + font.descender * size)
        stretch = (x1 - x0) / max(font.text_length(text, size), 1e-3)
        morph = (start, pymupdf.Matrix(stretch, 1.0))
        shape.insert_text(start, text, fontname=name, fontsize=size, render_mode=3, morph=morph)
        written = True
    if written:
        shape.commit()
