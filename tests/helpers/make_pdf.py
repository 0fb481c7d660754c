"""Small PDFs made by code, for the tests of the reader."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pymupdf

WORDS = ["the", "crew", "checked", "every", "valve", "of", "the", "northern", "station"]
WORDS += ["and", "wrote", "a", "short", "report", "for", "the", "board"]


def make_pdf(path: Path, *drawers: Callable[[Any], None], size: tuple[float, float] = (595, 842)) -> Path:
    """One page for each drawer, which gets the ``pymupdf.Page``."""
    document = pymupdf.open()
    for draw in drawers:
        draw(document.new_page(width=size[0], height=size[1]))
    path.parent.mkdir(parents=True, exist_ok=True)
    document.save(path, no_new_id=True)
    document.close()
    return path


def lines(
    page: Any, x: float, y: float, texts: Sequence[str], size: float = 10, pitch: float = 13, font: str = "helv"
) -> float:
    """Write ``texts`` one below the other, first baseline at ``y``; returns the next baseline."""
    for text in texts:
        page.insert_text((x, y), text, fontsize=size, fontname=font)
        y += pitch
    return y


def sentence(start: int, count: int = 8) -> str:
    """A run of ``count`` words, different for each ``start``."""
    return " ".join(WORDS[(start * 5 + n) % len(WORDS)] for n in range(count))


def grid(page: Any, x: float, y: float, rows: Sequence[Sequence[str]], width: float = 90, height: float = 18) -> None:
    """A fully ruled table."""
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            box = (x + c * width, y + r * height, x + (c + 1) * width, y + (r + 1) * height)
            page.draw_rect(box, width=0.5)
            page.insert_text((box[0] + 4, box[3] - 5), text, fontsize=9)


def picture(page: Any, box: tuple[float, float, float, float], color: tuple[int, int, int], pixels: int = 40) -> None:
    """A raster picture with a diagonal, so that it is not one flat colour."""
    pixmap = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, pixels, pixels), False)
    pixmap.set_rect(pixmap.irect, color)
    for n in range(pixels):
        pixmap.set_pixel(n, n, (0, 0, 0))
    page.insert_image(box, pixmap=pixmap)
