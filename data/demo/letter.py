"""The scanned letter: set as text, turned into grey pixels with skew and noise, and stored as images only."""

from __future__ import annotations

import io

import numpy as np
import pymupdf
from facts import LETTER
from page_canvas import GREY, INK, SANS, SERIF, SERIF_BOLD, Canvas
from PIL import Image
from source_text import load_text

PAGE = (595.0, 842.0)
LEFT, RIGHT = 82.0, 513.0
DPI = 200
SKEWS = (0.6, -0.45)


def build() -> pymupdf.Document:
    """Set the letter and scan it; the result has no text layer."""
    typed = typeset()
    scanned = pymupdf.open()
    random = np.random.default_rng(1908)
    for page, skew in zip(typed, SKEWS, strict=True):
        target = scanned.new_page(width=PAGE[0], height=PAGE[1])
        target.insert_image(target.rect, stream=_scan(page, skew, random))
    return scanned


def typeset() -> pymupdf.Document:
    """The letter before it is scanned, with its text."""
    document = pymupdf.open()
    for part in load_text("letter.md", LETTER).split("[new page]"):
        canvas = Canvas(document.new_page(width=PAGE[0], height=PAGE[1]))
        _page(canvas, part.strip())
        canvas.close()
    return document


def scanned(box: pymupdf.Rect, page: int) -> pymupdf.Rect:
    """Where a box of a typeset page (from 1) is on its scan, which is turned about its centre."""
    turn = pymupdf.Matrix(1, 0, 0, 1, -PAGE[0] / 2, -PAGE[1] / 2) * pymupdf.Matrix(-SKEWS[page - 1])
    return box * (turn * pymupdf.Matrix(1, 0, 0, 1, PAGE[0] / 2, PAGE[1] / 2))


def _page(canvas: Canvas, text: str) -> None:
    number = canvas.page.number
    y = _letterhead(canvas) if number == 0 else 96.0
    if number:
        canvas.text(LEFT, 66, f"{LETTER['reference']}  ·  page {number + 1}", SERIF, 10, GREY)
    for block in text.split("\n\n"):
        if block == "[costs]":
            y = _costs(canvas, y)
        elif block == "[signature]":
            _signature(canvas, y)
            y += 46
        elif len(block.splitlines()) > 1 and max(map(len, block.splitlines())) < 60:
            for line in block.splitlines():
                canvas.text(LEFT, y, line, SERIF, 12)
                y += 16
            y += 12
        else:
            y = canvas.paragraph(LEFT, y, RIGHT - LEFT, block, SERIF, 12, 17) + 9
    if number == 0:
        _stamp(canvas)


def _letterhead(canvas: Canvas) -> float:
    canvas.polygon([(LEFT, 86), (LEFT + 20, 56), (LEFT + 40, 86)], INK)
    canvas.text(LEFT + 54, 74, "Brannock & Vale", SERIF_BOLD, 22)
    canvas.text(LEFT + 54, 89, "Surveyors of historic buildings", SERIF, 10.5, GREY)
    for i, line in enumerate(("2 Customs House Lane", "Strand Hills", "Telephone 0555 204 118")):
        canvas.text(RIGHT, 64 + 13 * i, line, SERIF, 10, GREY, "right")
    canvas.line([(LEFT, 102), (RIGHT, 102)], INK, 1)
    return 140.0


def _costs(canvas: Canvas, y: float) -> float:
    rows = (
        ("Slates, nails and battens", LETTER["roof_cost"]),
        ("Gutter and downpipes", LETTER["gutter_cost"]),
        ("Repair of the tie beam", LETTER["timber_cost"]),
        ("Total", LETTER["total"]),
    )
    for i, (name, amount) in enumerate(rows):
        last = i == len(rows) - 1
        code = SERIF_BOLD if last else SERIF
        if last:
            canvas.line([(LEFT + 30, y - 13), (RIGHT - 60, y - 13)], INK, 0.8)
        canvas.text(LEFT + 30, y, name, code, 12)
        canvas.text(RIGHT - 60, y, f"£{amount:,}", code, 12, align="right")
        y += 19
    return y + 9


def _signature(canvas: Canvas, y: float) -> None:
    steps = [(0, 0), (8, -34), (22, -30), (14, 4), (20, -12), (34, -16), (38, 0), (46, -16), (54, -12), (58, 0)]
    tail = [(70, -14), (78, -30), (84, -2), (96, -12), (120, -8), (150, -20)]
    canvas.curve([(LEFT + 6 + dx, y + 14 + dy) for dx, dy in (*steps, *tail)], INK, 1.5)


def _stamp(canvas: Canvas) -> None:
    canvas.rect(RIGHT - 112, 186, RIGHT - 6, 224, edge=GREY, width=1.8)
    canvas.text(RIGHT - 59, 202, "RECEIVED", SANS, 12, GREY, "centre")
    canvas.text(RIGHT - 59, 217, "14 MAR 2024", SANS, 10, GREY, "centre")


def _scan(page: pymupdf.Page, skew: float, random: np.random.Generator) -> bytes:
    pixmap = page.get_pixmap(dpi=DPI, colorspace=pymupdf.csGRAY)
    image = Image.frombytes("L", (pixmap.width, pixmap.height), pixmap.samples)
    image = image.rotate(skew, Image.Resampling.BICUBIC, fillcolor=255)
    pixels = np.asarray(image, dtype=np.float32)
    shade = np.linspace(0, 9, pixels.shape[1], dtype=np.float32)[None, :]
    pixels = 22 + pixels * (222 / 255) - shade + random.normal(0, 2.4, pixels.shape).astype(np.float32)
    specks = random.random(pixels.shape) < 2e-5
    pixels[specks] = 90
    stream = io.BytesIO()
    Image.fromarray(pixels.clip(0, 255).round().astype(np.uint8)).save(stream, "JPEG", quality=52, dpi=(DPI, DPI))
    return stream.getvalue()
