"""The pictures of a docling document, cut out of the PDF: its own files are never opened."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from cosee.artifacts.documents.content import ContentList
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.render import RegionRenderer
from cosee.parse.docling.thresholds import DPI, MAX_PIXELS
from cosee.parse.figures.crops import Crops
from cosee.parse.pdf.opening import as_damage, open_readable
from cosee.parse.pdf.page_model import FigureFound


def cut_pictures(content: ContentList, pdf: Path, folder: Path) -> list[Path]:
    """Write a crop of every image that has a place into ``folder``; the files written.

    One that cannot be rendered has the flag ``image_missing``.

    Raises:
        UnreadablePdf: the file cannot be opened.
    """
    images = [item for item in content.items if item.role == "image" and "no_bbox" not in item.flags]
    crops = Crops(folder)
    if not images:
        return []
    with as_damage(pdf), open_readable(pdf) as document:
        for page_idx, found in groupby(images, key=lambda item: item.page_idx):
            here = list(found)
            try:
                page = document[page_idx]
                width, height = page.rect.width, page.rect.height
                renderer = RegionRenderer(page, DPI, MAX_PIXELS, len(here))
            except pdf_faults():
                crops.failed.append(page_idx)
                renderer = None
            for item in here:
                digest = None
                if renderer is not None:
                    x0, y0, x1, y1 = item.bbox
                    box = (x0 * width, y0 * height, x1 * width, y1 * height)
                    digest = crops.add(renderer, page_idx, FigureFound(box, "drawing", set()))
                if digest is None:
                    item.flags.append("image_missing")
                    continue
                item.image_path = f"{folder.name}/{digest}.png"
                if digest in crops.photographs:
                    item.flags.append("photographic")
    return sorted(crops.paths.values())
