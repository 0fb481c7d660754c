"""A page's picture with what was read on it: a box per node in its role's colour, numbered in order, and a legend."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.base import BBox

COLORS = {
    "section": "#d62728", "heading": "#d62728", "paragraph": "#1f77b4", "text": "#1f77b4", "list": "#17a2b8",
    "image": "#2ca02c", "drawing": "#2ca02c", "table": "#9467bd", "equation": "#bc7a00", "caption": "#e377c2",
    "footnote": "#8c564b", "code": "#5b6770", "toc": "#ff7f0e",
}  # fmt: skip
DROPPED = "dropped"
_DROPPED_COLOR = "#9a9a9a"
_OTHER_COLOR = "#111111"


@dataclass(frozen=True)
class Mark:
    """A box (0..1 of the picture, origin top left), its role, and the text of its badge: place in order, id, reason.

    The role ``dropped`` is drawn in thin grey: content of the page that is not in the tree.
    """

    bbox: BBox
    role: str
    badge: str = ""


def draw_marks(picture: Path, marks: Sequence[Mark], out: Path, title: str = "") -> None:
    """Write ``picture`` as PNG to ``out`` with the marks on it and a legend of their roles below."""
    from PIL import Image, ImageDraw

    with Image.open(picture) as source:
        page = source.convert("RGB")
    size = max(11, round(min(page.width, page.height) / 75))
    legend = _legend(marks, title, page.width, size)
    sheet = Image.new("RGB", (page.width, page.height + legend.height), "white")
    sheet.paste(page, (0, 0))
    sheet.paste(legend, (0, page.height))
    draw = ImageDraw.Draw(sheet)
    # Badges last, so that no later box runs through an earlier number.
    for mark in marks:
        draw.rectangle(_pixels(mark.bbox, page), outline=_color(mark.role), width=1 if mark.role == DROPPED else 2)
    for mark in marks:
        _badge(draw, mark, page, size)
    _write(sheet, out)


def stack_crops(pictures: Sequence[tuple[Path, BBox]], out: Path) -> None:
    """Cut a region (0..1) out of each picture, with a little of what is around it, and write them below one another."""
    from PIL import Image

    crops = []
    for path, box in pictures:
        with Image.open(path) as source:
            page = source.convert("RGB")
        x0, y0, x1, y1 = _pixels(box, page)
        room = page.width / 80
        crops.append(page.crop((int(max(0, x0 - room)), int(max(0, y0 - room)), int(x1 + room), int(y1 + room))))
    sheet = Image.new("RGB", (max(crop.width for crop in crops), sum(crop.height for crop in crops)), "white")
    top = 0
    for crop in crops:
        sheet.paste(crop, (0, top))
        top += crop.height
    _write(sheet, out)


def _write(sheet: Any, out: Path) -> None:
    buffer = io.BytesIO()
    sheet.save(buffer, "PNG")
    files.write_bytes(out, buffer.getvalue())


def _color(role: str) -> str:
    return _DROPPED_COLOR if role == DROPPED else COLORS.get(role, _OTHER_COLOR)


def _pixels(box: BBox, page: Any) -> tuple[float, float, float, float]:
    x0, x1 = sorted((box[0] * page.width, box[2] * page.width))
    y0, y1 = sorted((box[1] * page.height, box[3] * page.height))
    return x0, y0, min(x1, page.width - 1), min(y1, page.height - 1)


def _badge(draw: Any, mark: Mark, page: Any, size: int) -> None:
    """The badge at the box's top left corner, outside of it where the page has room."""
    if not mark.badge:
        return
    font = _font(size)
    left, top, _, _ = _pixels(mark.bbox, page)
    width, height = draw.textlength(mark.badge, font=font), size + 2
    x = left - width - 3 if left >= width + 3 else min(left, page.width - width - 3)
    y = min(max(0.0, top), page.height - height)
    draw.rectangle((x, y, x + width + 2, y + height), fill=_color(mark.role))
    draw.text((x + 1, y), mark.badge, fill="white", font=font)


def _legend(marks: Sequence[Mark], title: str, width: int, size: int) -> Any:
    """Swatch, role and count of each role, in as many rows as it needs; the title first."""
    from PIL import Image, ImageDraw

    font, step = _font(size), size + 8
    measure = ImageDraw.Draw(Image.new("RGB", (1, 1)))
    counts = Counter(mark.role for mark in marks)
    order = [role for role in (*COLORS, DROPPED) if role in counts]
    order += sorted(set(counts) - set(order))
    entries = [(title, "")] * bool(title) + [(f"{role} {counts[role]}", _color(role)) for role in order]
    places: list[tuple[float, float]] = []
    x, y = 6.0, 4.0
    for text, color in entries:
        wide = measure.textlength(text, font=font) + (size + 5 if color else 0)
        if x > 6 and x + wide > width:
            x, y = 6.0, y + step
        places.append((x, y))
        x += wide + 16
    sheet = Image.new("RGB", (width, int(y + step + 4)), "#f4f4f4")
    draw = ImageDraw.Draw(sheet)
    for (text, color), (left, top) in zip(entries, places, strict=True):
        if color:
            draw.rectangle((left, top + 2, left + size, top + 2 + size), fill=color)
        draw.text((left + (size + 5 if color else 0), top), text, fill="black", font=font)
    return sheet


def _font(size: int) -> Any:
    from PIL import ImageFont

    return ImageFont.load_default(size)
