"""Pictures of what has its place already: figures that another reader found, and formulas."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from cosee.artifacts.documents.content import ContentItem, ContentList
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.render import RegionRenderer
from cosee.parse.figures.crops import Crops
from cosee.parse.figures.thresholds import CROP_DPI, CROP_PIXELS, MAX_CROPS
from cosee.parse.pdf.opening import as_damage, forget_pictures, open_readable
from cosee.parse.pdf.page_model import FigureFound


def cut_pictures(content: ContentList, pdf: Path, folder: Path, role: Literal["image", "equation"]) -> list[Path]:
    """Write a crop of every item of ``role`` that has a place into ``folder``; the files written.

    The item's ``image_path`` names it, as below ``folder``'s parent. A figure that cannot be rendered has the flag
    ``image_missing``. A formula's crop reaches as far up and down as its ink; behind ``MAX_CROPS`` formulas have none.

    Raises:
        UnreadablePdf: the file cannot be opened.
    """
    wanted = [item for item in content.items if item.role == role and "no_bbox" not in item.flags]
    crops = Crops(folder)
    if not wanted:
        return []
    with as_damage(pdf), open_readable(pdf) as document:
        for number, (page_idx, found) in enumerate(groupby(wanted, key=lambda item: item.page_idx), start=1):
            _cut_from_page(document, page_idx, list(found), crops)
            forget_pictures(number)
    return sorted(crops.paths.values())


def _cut_from_page(document: Any, page_idx: int, items: Sequence[ContentItem], crops: Crops) -> None:
    try:
        page = document[page_idx]
        width, height = page.rect.width, page.rect.height
        renderer = RegionRenderer(page, CROP_DPI, CROP_PIXELS, len(items))
    except pdf_faults():
        renderer = None
    for item in items:
        digest = None
        is_formula = item.role == "equation"
        if renderer is not None and not (is_formula and len(crops.paths) >= MAX_CROPS):
            x0, y0, x1, y1 = item.bbox
            box = (x0 * width, y0 * height, x1 * width, y1 * height)
            digest = crops.add(renderer, page_idx, FigureFound(box, "formula" if is_formula else "drawing", set()))
        if digest is not None:
            item.image_path = f"{crops.folder.name}/{digest}.png"
        if not is_formula and (digest is None or digest in crops.photographs):
            item.flags.append("image_missing" if digest is None else "photographic")
