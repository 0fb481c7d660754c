"""A document's pages as models are shown them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from cosee.artifacts.documents.doctree import DocTree
from cosee.imaging.page_workers import PageWorkers, page_place
from cosee.models.blocks import PageImage
from cosee.runs.thresholds import SHOWN_DPI


def page_image(pdf: Path, tree: DocTree, page: int, cache: Path, workers: PageWorkers) -> PageImage:
    """A page's picture (1-based), made by ``workers`` when a model is to see it; a poor scan is mended."""
    quality = tree.pages[page - 1].quality if page <= len(tree.pages) else None
    mended = quality is not None and bool(quality.restored)
    name = page_place(pdf, page, SHOWN_DPI, cache, mended=mended).relative_to(cache).as_posix()
    part = partial(workers.part, pdf, page, cache, mended=mended)
    return PageImage(page, partial(workers.page, pdf, page, SHOWN_DPI, cache, mended=mended), name, part)
