"""Pictures of what has its place already: figures that another reader found, and formulas."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from cosee import geometry
from cosee.artifacts.documents.content import ContentList, Role
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.render import RegionRenderer
from cosee.parse.figures.crops import Crops
from cosee.parse.figures.thresholds import CROP_DPI, CROP_PIXELS, FORMULA_MARGIN
from cosee.parse.pdf.opening import as_damage, open_readable
from cosee.parse.pdf.page_model import FigureFound


def cut_pictures(content: ContentList, pdf: Path, folder: Path, *roles: Role) -> list[Path]:
    """Write a crop of every item with one of ``roles`` and a place into ``folder``; the files written.

    The item's ``image_path`` names it, as below ``folder``'s parent. One that cannot be rendered has the flag
    ``image_missing``.

    Raises:
        UnreadablePdf: the file cannot be opened.
    """
    wanted = [item for item in content.items if item.role in roles and "no_bbox" not in item.flags]
    crops = Crops(folder)
    if not wanted:
        return []
    with as_damage(pdf), open_readable(pdf) as document:
        for page_idx, found in groupby(wanted, key=lambda item: item.page_idx):
            here = list(found)
            try:
                page = document[page_idx]
                width, height = page.rect.width, page.rect.height
                renderer = RegionRenderer(page, CROP_DPI, CROP_PIXELS, len(here))
            except pdf_faults():
                crops.failed.append(page_idx)
                renderer = None
            for item in here:
                digest = None
                if renderer is not None:
                    x0, y0, x1, y1 = item.bbox
                    margin = FORMULA_MARGIN if item.role == "equation" else 0.0
                    box = (x0 * width - margin, y0 * height - margin, x1 * width + margin, y1 * height + margin)
                    box = geometry.clamp(box, (0.0, 0.0, width, height))
                    digest = crops.add(renderer, page_idx, FigureFound(box, "drawing", set()))
                if digest is None:
                    item.flags.append("image_missing")
                    continue
                item.image_path = f"{folder.name}/{digest}.png"
                if item.role == "image" and digest in crops.photographs:
                    item.flags.append("photographic")
    return sorted(crops.paths.values())
