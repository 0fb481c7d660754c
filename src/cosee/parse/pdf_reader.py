"""PDF to ``Layout`` through PyMuPDF: pages as seen, every block of text, table and figure, and what was not read."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cosee import geometry
from cosee.artifacts.documents.layout import Layout, LayoutPage, OutlineEntry
from cosee.artifacts.documents.unread import NO_ENGINE, OCR_OFF, UNACCOUNTED, page_ranges, unread_sentences
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.pdf_file import is_rebuilt
from cosee.imaging.render import RegionRenderer, RenderError
from cosee.machine import cache_root
from cosee.models.vision import area_detector
from cosee.models.vision.engine import OcrError, Unready
from cosee.models.vision.ocr import CachedEngine, find_engine
from cosee.parse.figures.crops import Crops
from cosee.parse.figures.drawn_ink import is_unaccounted, whole_drawing
from cosee.parse.figures.thresholds import CROP_DPI, CROP_PIXELS
from cosee.parse.layout.page_layout import add_part, lay_out
from cosee.parse.pdf.annotations import Layers, add_annotations, add_form_values, attached_files, attached_to_page
from cosee.parse.pdf.bad_text import is_unreadable
from cosee.parse.pdf.opening import (
    UnreadablePdf,
    as_damage,
    check_header,
    forget_pictures,
    is_whole,
    open_readable,
    quietly,
)
from cosee.parse.pdf.page_model import RawPage
from cosee.parse.pdf.page_source import read_page
from cosee.parse.pdf.turned_page import hold_upright
from cosee.parse.scans.reading_need import Need, hide_false_layer, is_image_only, reading_need
from cosee.parse.scans.recognise import Recogniser
from cosee.text.cleaning import one_line

XFA_NOTICE = 1_000
"""Characters of the one page of a form without fields of its own, at most, for it to be a notice to its reader."""
MAX_OUTLINE, MAX_TITLE, MAX_LABEL = 20_000, 500, 40
"""Bookmarks that are read, and characters kept of a title and of a page's label."""
_BROKEN_STREAM = re.compile(r"zlib error|premature end of data|read error; treating as end of file")
"""What MuPDF warns of where it goes on after a compressed stream that breaks off or fails its checksum."""
_log = logging.getLogger(__name__)


@dataclass
class ReadResult:
    """A layout, the crops written for it, and the problems met: (reason, message), the gravest first."""

    layout: Layout
    images: list[Path] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    engine: str = ""
    """The OCR engine that read pages of the document."""
    lacked: set[str] = field(default_factory=set)
    """What would read the document better and is not here, by the names of ``cosee.machine``."""


def read_pdf(
    pdf: Path, doc_id: str, settings: AdaptSettings, images: Path, take: Callable[[LayoutPage], None] | None = None
) -> ReadResult:
    """Read ``pdf``; crops of figures go to ``images`` as ``<sha256>.png``.

    With ``take`` each page is handed over as it is read, and the layout's own pages have no blocks: memory does not
    grow with the document.

    Raises:
        UnreadablePdf: nothing can be read; bounds and lesser faults are ``problems`` of the result instead.
    """
    import pymupdf

    check_header(pdf)
    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    with as_damage(pdf), open_readable(pdf) as document:
        result = _read_document(document, doc_id, settings, images, take)
        if is_rebuilt(document):
            result.problems.append(
                ("damaged", "the file has lost the list of its pages; those that were found were read")
            )
        elif document.is_repaired and not is_whole(pdf):
            result.problems.append(("damaged", "the file is cut off or damaged; what could be repaired was read"))
        readers = [f"pymupdf {pymupdf.VersionBind}"]
        if result.engine:
            readers.append(result.engine)
            if area_detector.is_available():
                readers.append(area_detector.WEIGHTS)
            else:
                result.lacked |= area_detector.lacked()
        result.layout.parser = ", ".join(readers)
    return result


def read_pages(pdf: Path, doc_id: str, settings: AdaptSettings, reader: str) -> Layout:
    """The pages of ``pdf`` with size, rotation and label, without any block; for content from another ``reader``.

    Raises:
        UnreadablePdf: the file cannot be opened.
    """
    import pymupdf

    check_header(pdf)
    with as_damage(pdf), open_readable(pdf) as document:
        layout = Layout(doc_id=doc_id, parser=f"{reader}, pages by pymupdf {pymupdf.VersionBind}", pages=[])
        layout.title, layout.outline = _title(document), _outline(document)
        for page_idx in range(min(document.page_count, settings.max_pages)):
            page = quietly(partial(document.load_page, page_idx))
            size = (round(page.rect.width, 2), round(page.rect.height, 2)) if page is not None else (1.0, 1.0)
            rotation, label = (int(page.rotation), _page_label(page)) if page is not None else (0, None)
            layout.pages.append(
                LayoutPage(page_idx=page_idx, width=size[0], height=size[1], rotation=rotation, page_label=label)
            )
    return layout


def _read_document(
    document: Any, doc_id: str, settings: AdaptSettings, images: Path, take: Callable[[LayoutPage], None] | None
) -> ReadResult:
    layout = Layout(doc_id=doc_id, parser="pymupdf", pages=[])
    layout.title, layout.outline = _title(document), _outline(document)
    result = ReadResult(layout)
    hidden = _needs_xfa(document)
    if hidden:
        result.problems.append(("unsupported_xfa", "a dynamic XFA form: its pages exist only in Adobe Reader"))
    count = min(document.page_count, settings.max_pages)
    if count < document.page_count:
        result.problems.append(("max_pages", f"read {count} of {document.page_count} pages (adapt.max_pages)"))
    crops = Crops(images)
    reader = _PageReader(document, settings, crops)
    for page_idx in range(count):
        page = reader.read(page_idx)
        if "ocr" in page.flags:
            result.engine = reader.engine
        for block in page.blocks if hidden else ():
            block.flags.append("hidden")
        if take is not None:
            take(page)
            page = page.model_copy(update={"blocks": []})
        layout.pages.append(page)
        forget_pictures(page_idx + 1)
    if layout.pages and all("unreadable" in page.flags for page in layout.pages):
        raise UnreadablePdf("damaged", f"{doc_id} is damaged: none of its {count} pages can be read")
    layout.attachments = list(dict.fromkeys(reader.attached))
    result.images = sorted(crops.paths.values())
    result.problems += reader.problems(layout.pages)
    result.lacked |= reader.lacked
    if reader.recogniser is not None:
        result.lacked |= reader.recogniser.missed
    return result


class _PageReader:
    """Reads the pages of one document, and remembers what OCR found on them."""

    def __init__(self, document: Any, settings: AdaptSettings, crops: Crops) -> None:
        self.document = document
        self.settings = settings
        self.crops = crops
        self.layers = Layers(document)
        self.attached = attached_files(document)
        self.engine = ""
        self.engine_error: str | None = None
        self.unready: Unready | None = None
        self.lacked: set[str] = set()
        self.recogniser = self._find_recogniser()

    def _find_recogniser(self) -> Recogniser | None:
        settings = self.settings
        try:
            engine = find_engine(settings.ocr, settings.ocr_languages)
        except Unready as error:
            self.unready = error
            return None
        if engine is None and settings.ocr == "none":
            self.unready = Unready("OCR is switched off", OCR_OFF, ())
        elif engine is None:
            self.unready = Unready("no OCR engine is installed", NO_ENGINE, ("tesseract", "rapidocr"))
        self.engine = engine.name if engine is not None else ""
        return Recogniser(CachedEngine(engine, cache_root() / "ocr"), settings) if engine is not None else None

    def read(self, page_idx: int) -> LayoutPage:
        """One page; one that cannot be read has the flag ``unreadable``, one whose content breaks off ``damaged``."""
        import pymupdf

        try:
            page = self.document[page_idx]
            pymupdf.TOOLS.reset_mupdf_warnings()
            raw = read_page(page)
            if _BROKEN_STREAM.search(pymupdf.TOOLS.mupdf_warnings()):
                raw.flags.append("damaged")
            own_text = bool(raw.fragments)
            self.layers.add_hidden(page, raw, read_page)
            add_annotations(page, raw)
            add_form_values(page, raw)
            self.attached += attached_to_page(page)
            width, height = raw.width, raw.height
            self._recognise(page, raw)
            hold_upright(raw)
            blocks = lay_out(raw, page_idx, with_tables=self.settings.tables)
            nothing_read = all(block.kind == "drawing" and "decoration" in block.flags for block in blocks.blocks)
            if nothing_read and (drawing := whole_drawing(page, raw)) is not None:
                add_part(blocks, raw, page_idx, drawing)
            if is_unaccounted(page, raw, [block.bbox for block in blocks.blocks]):
                raw.flags.append(UNACCOUNTED)
            figures = sorted(blocks.figures.items()) if self.settings.pictures else []
            wanted = [(number, figure) for number, figure in figures if figure.crop]
            renderer = RegionRenderer(page, CROP_DPI, CROP_PIXELS, len(wanted))
            for number, figure in wanted:
                block = blocks.blocks[number]
                if raw.turn is not None:
                    figure.bbox = geometry.clamp(raw.turn.back(figure.bbox), (0.0, 0.0, width, height))
                block.image_sha256 = self.crops.add(renderer, page_idx, figure)
                block.quality = self.crops.qualities.get(block.image_sha256 or "")
                if block.image_sha256 in self.crops.photographs:
                    block.flags.append("photographic")
        except pdf_faults() as error:
            _log.warning("page %d cannot be read: %s", page_idx + 1, error)
            return LayoutPage(page_idx=page_idx, width=1.0, height=1.0, has_text_layer=False, flags=["unreadable"])
        if not raw.fragments and not raw.pictures and not raw.vectors and not blocks.blocks:
            raw.flags.append("blank")
        return LayoutPage(
            page_idx=page_idx,
            width=round(width, 2),
            height=round(height, 2),
            rotation=int(page.rotation),
            turn=round(raw.turn.degrees, 2) if raw.turn is not None else 0.0,
            page_label=_page_label(page),
            has_text_layer=own_text,
            flags=list(dict.fromkeys(raw.flags)),
            quality=raw.quality,
            blocks=blocks.blocks,
        )

    def _recognise(self, page: Any, raw: RawPage) -> None:
        """Say what the page's text layer is worth, and read what it does not hold."""
        if is_unreadable((s.font, s.text) for f in raw.fragments if not f.hidden for s in f.spans):
            raw.flags.append("garbage_text")
        hide_false_layer(page, raw)
        if is_image_only(raw):
            raw.flags.append("image_only")
        try:
            if self.recogniser is not None:
                self.recogniser.complete(page, raw)
            elif self.unready is not None:
                self._note_unread(page, raw, self.unready)
        except (OcrError, RenderError) as error:
            _log.warning("page %d: %s", page.number + 1, error)
            self.engine_error = str(error)
        if "image_only" in raw.flags and "ocr" not in raw.flags:
            raw.flags.append("no_text_layer")

    def _note_unread(self, page: Any, raw: RawPage, unready: Unready) -> None:
        """Say of a page that an engine would have read what it lacks."""
        if unready.unread == OCR_OFF:  # what nobody wants read is not looked for
            need = Need(whole=not {"image_only", "garbage_text"}.isdisjoint(raw.flags))
        else:
            need = reading_need(page, raw)
        if not need.whole and not need.regions:
            return
        self.lacked.update(unready.lacked)
        if need.whole and not need.layer:
            raw.flags.append(unready.unread)

    def problems(self, pages: list[LayoutPage]) -> list[tuple[str, str]]:
        """What kept pages from being read in full; pages are named from 1."""
        found = []
        if unreadable := _pages_with("unreadable", pages):
            found.append(("unreadable_pages", f"cannot read {page_ranges(unreadable)}"))
        if damaged := _pages_with("damaged", pages):
            found.append(("damaged", f"the content of {page_ranges(damaged)} is broken; what could be read of it was"))
        waiting = [p for p in pages if self.unready is not None and self.unready.unread in p.flags]
        if waiting:
            reason = "garbage_text" if all("garbage_text" in p.flags for p in waiting) else "no_text_layer"
            found.append((reason, "; ".join(unread_sentences(waiting))))
        others = [p for p in pages if p not in waiting]
        if silent := _pages_with("no_text_layer", others, without="no_text"):
            message = f"no text layer on {page_ranges(silent)}"
            found.append(("no_text_layer", f"{message}: {self.engine_error}" if self.engine_error else message))
        if garbage := _pages_with("garbage_text", others, without="ocr"):
            found.append(("garbage_text", f"the text layer of {page_ranges(garbage)} cannot be read"))
        if cut := _pages_with("truncated", pages):
            found.append(("truncated", f"too much on {page_ranges(cut)}; the rest was left out"))
        if self.crops.failed:
            failed = sorted({n + 1 for n in self.crops.failed})
            found.append(("images_missing", f"figures without a picture on {page_ranges(failed)}"))
        return found


def _pages_with(flag: str, pages: list[LayoutPage], *, without: str = "") -> list[int]:
    """Numbers, from 1, of the pages that have a flag and not the other one."""
    return [page.page_idx + 1 for page in pages if flag in page.flags and without not in page.flags]


def _page_label(page: Any) -> str | None:
    return one_line(quietly(page.get_label) or "")[:MAX_LABEL] or None


def _title(document: Any) -> str | None:
    metadata = quietly(lambda: document.metadata) or {}
    title = one_line(metadata.get("title") or "")[:MAX_TITLE]
    return title if len(title) > 2 and title.lower() not in ("untitled", "(anonymous)") else None


def _outline(document: Any) -> list[OutlineEntry]:
    entries = quietly(lambda: document.get_toc(simple=True)) or []
    outline = []
    for level, title, page in entries[:MAX_OUTLINE]:
        text = one_line(str(title))[:MAX_TITLE]
        if text:
            valid = isinstance(page, int) and 1 <= page <= document.page_count
            outline.append(OutlineEntry(level=max(1, int(level)), title=text, page_idx=page - 1 if valid else None))
    return outline


def _needs_xfa(document: Any) -> bool:
    """Whether the file is a dynamic XFA form, whose pages here only ask the reader to wait."""
    catalog = quietly(document.pdf_catalog)
    rendering = quietly(lambda: document.xref_get_key(catalog, "NeedsRendering"))
    if rendering and rendering[1] == "true":
        return True
    form = quietly(lambda: document.xref_get_key(catalog, "AcroForm/XFA"))
    fields = quietly(lambda: document.xref_get_key(catalog, "AcroForm/Fields"))
    only_xfa = bool(form) and form[0] != "null" and bool(fields) and not fields[1].strip("[] ")
    return only_xfa and document.page_count == 1 and len(quietly(document[0].get_text) or "") <= XFA_NOTICE
