"""Crops of the figures of a document, on the disk."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosee import geometry
from cosee.artifacts import files
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.picture_quality import PictureQuality
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.render import RegionRenderer
from cosee.parse.figures import thresholds
from cosee.parse.pdf.page_model import FigureFound

_log = logging.getLogger(__name__)


@dataclass
class Crops:
    """Crops of one document below ``folder``; a repeated picture is stored once."""

    folder: Path
    known: dict[tuple[Any, ...], str] = field(default_factory=dict)
    paths: dict[str, Path] = field(default_factory=dict)
    failed: list[int] = field(default_factory=list)
    photographs: set[str] = field(default_factory=set)
    qualities: dict[str, PictureQuality] = field(default_factory=dict)
    """Of bitmaps, by sha256; what was drawn with paths is rendered as sharp as is asked for."""

    def add(self, renderer: RegionRenderer, page_idx: int, figure: FigureFound) -> str | None:
        """The sha256 of the figure's crop, or None when it cannot be rendered."""
        size = round(geometry.width(figure.bbox)), round(geometry.height(figure.bbox))
        repeated = bool(figure.identity) and not figure.fragments and figure.kind == "image"
        key = (figure.identity, size) if repeated else None
        if key is not None and key in self.known:
            return self.known[key]
        if len(self.paths) >= thresholds.MAX_CROPS:
            self.failed.append(page_idx)
            return None
        try:
            box = self._around(renderer, figure.bbox) if figure.kind == "formula" else figure.bbox
            data = renderer.png(box)
        except pdf_faults() as error:
            _log.warning("page %d: figure not rendered: %s", page_idx + 1, error)
            self.failed.append(page_idx)
            return None
        digest = files.sha256_bytes(data)
        if digest not in self.paths:
            self.paths[digest] = self.folder / f"{digest}.png"
            files.write_bytes(self.paths[digest], data)
            if renderer.photographic:
                self.photographs.add(digest)
            quality = renderer.quality() if figure.kind == "image" else None
            if quality is not None:
                self.qualities[digest] = quality
        if key is not None:
            self.known[key] = digest
        return digest

    def _around(self, renderer: RegionRenderer, formula: BBox) -> BBox:
        """What is shown of a formula: its box with what of it reaches beyond, and a margin at the sides."""
        x0, y0, x1, y1 = formula
        wide = max(0.0, x0 - thresholds.FORMULA_MARGIN), y0, x1 + thresholds.FORMULA_MARGIN, y1
        return renderer.uncut(wide, thresholds.FORMULA_REACH)
