"""M0: ``full.pdf`` becomes ``layout.json``, ``content_list.json``, ``content_list.adapted.json`` and ``images/``.

Where the document is a file of another kind, ``full.pdf`` is made of it first, and ``original.json`` beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.content import ContentList, PageInfo
from cosee.artifacts.documents.layout import LayoutPage
from cosee.artifacts.documents.original import ORIGINAL, Original, original_in
from cosee.artifacts.documents.unread import page_ranges
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.settings.parsing import AdaptSettings
from cosee.imaging.drawing import bounded_drawing
from cosee.parse.content.adapt import Adapter, Noted, mineru_list, unaccounted
from cosee.parse.docling import content as docling
from cosee.parse.figures.cut_pictures import cut_pictures
from cosee.parse.figures.thresholds import MAX_CROPS
from cosee.parse.mineru import content_list as mineru
from cosee.parse.originals.convert import convert
from cosee.parse.originals.kinds import Unconvertible
from cosee.parse.originals.unprinted import add_unprinted
from cosee.parse.pdf.opening import UnreadablePdf
from cosee.parse.pdf.page_store import PageStore
from cosee.parse.pdf_reader import ReadResult, read_pages, read_pdf
from cosee.pipeline.garbage_collection import seldom_collected
from cosee.pipeline.isolation import times_ended
from cosee.pipeline.job import run_stage
from cosee.pipeline.paths import GIVEN
from cosee.pipeline.stage import DocFolder, StageFailure, StageResult

MINERU, DOCLING = Path(GIVEN["mineru"]), Path(GIVEN["docling"])
"""Where a user puts what MinerU made of the document, pictures beside it, or docling; it is then taken instead of the
PDF's own text."""
MINERU_LAYOUTS = (Path("mineru") / "middle.json", Path("mineru") / "layout.json")
"""Names of the layout that MinerU made with the list; where one lies beside it, the list is checked against it."""

NOTE = ".drawing"
"""Where, below a document's folder, the page stands that is being drawn; not there when the stage has ended."""


class AdaptStage:
    """Reads one PDF. It parses untrusted bytes, so the runner gives it a child process per document."""

    name = "adapt"
    isolated = True

    def inputs(self, doc: DocFolder, settings: AdaptSettings) -> Sequence[Path]:
        """The document as it was given, and what another reader made of it where the user has put that beside it."""
        given = original_in(doc.data) or doc.data / "full.pdf"
        read = _given(doc)
        beside = MINERU_LAYOUTS if read == MINERU else ()
        return [
            given,
            *(doc.data / path for path in ([read] if read else []) + [*beside] if (doc.data / path).is_file()),
        ]

    @seldom_collected
    def run(self, doc: DocFolder, settings: AdaptSettings) -> StageResult:
        """Write the artifacts of one document; ``partial`` where pages or their text are missing.

        Raises:
            StageFailure: ``missing_file``, a reason of ``UnreadablePdf`` such as ``needs_password`` or of
                ``Unconvertible`` such as ``macros``, or ``bad_input`` for what another reader made that cannot be read.
        """
        converted = _converted(doc)
        if (given := _given(doc)) is not None:
            return _adapt_given(doc, doc.data / given, settings, converted)
        images = doc.data / "images"
        noted, pages = Noted(), PageStore()

        def take(page: LayoutPage) -> None:
            noted.add(page)
            pages.append(page)

        outputs = [
            doc.data / "layout.json",
            doc.data / "content_list.json",
            doc.data / "content_list.adapted.json",
        ]
        try:
            with _bounded(doc) as given_up:
                read = read_pdf(doc.data / "full.pdf", doc.doc_id, settings, images, take)
                adapter = Adapter(read.layout, noted)
                read.layout.save_with(outputs[0], _added(adapter, pages))
                content = adapter.content()
                if settings.pictures:
                    _cut_formulas(doc, content, read)
        except UnreadablePdf as error:
            raise StageFailure(error.reason, error.message) from error
        except ArtifactError as error:
            raise StageFailure("missing_file", str(error)) from error
        if converted:
            add_unprinted(content, Original.load(doc.data / ORIGINAL))
        if given_up:
            pages_given_up = page_ranges(sorted(page + 1 for page in given_up))
            read.problems.append(
                ("images_missing", f"drawing {pages_given_up} does not end; it was read without pictures")
            )
        lost = unaccounted(noted.blocks, content)
        if lost:
            raise AssertionError(f"{doc.doc_id}: layout blocks without an item: {', '.join(lost[:5])}")
        files.write_json(outputs[1], mineru_list(content))
        content.save(outputs[2])
        _remove_stale(images, read.images)
        reason, message = None, None
        if read.problems:
            reason, message = read.problems[0][0], "; ".join(text for _, text in read.problems)
        return StageResult(
            outputs=[*converted, *outputs, *read.images],
            status="partial" if read.problems else "ok",
            reason=reason,
            message=message,
            counts={**_block_counts(len(noted.blocks), content), **_counts(content)},
            lacked=sorted(read.lacked),
        )


def _cut_formulas(doc: DocFolder, content: ContentList, read: ReadResult) -> None:
    """Keep the picture of each displayed formula beside it; one that cannot be drawn makes the document partial."""
    written = cut_pictures(content, doc.data / "full.pdf", doc.data / "images", "equation")
    read.images = sorted({*read.images, *written})
    missed = {item.page_idx + 1 for item in content.items if item.role == "equation" and item.image_path is None}
    if missed and len(written) < MAX_CROPS:
        read.problems.append(("images_missing", f"formulas without a picture on {page_ranges(sorted(missed))}"))


def _added(adapter: Adapter, pages: Iterable[LayoutPage]) -> Iterator[LayoutPage]:
    """The pages, each added to ``adapter`` on its way: a page of a long document is made again only once."""
    for page in pages:
        adapter.add_page(page)
        yield page


def _converted(doc: DocFolder) -> list[Path]:
    """Make ``full.pdf`` and ``original.json`` of a file of another kind; what was written, nothing for a PDF."""
    original = original_in(doc.data)
    if original is None:
        return []
    written = [doc.data / "full.pdf", doc.data / ORIGINAL]
    try:
        convert(original, doc.doc_id, *written)
    except Unconvertible as error:
        raise StageFailure(error.reason, error.message, error.lacked) from error
    return written


def _bounded(doc: DocFolder) -> AbstractContextManager[set[int]]:
    """A bound on drawing pages where this process may end for it; gives the pages that were given up."""
    ended = times_ended()
    return bounded_drawing(None if ended is None else doc.data / NOTE, ended or 0)


def _given(doc: DocFolder) -> Path | None:
    """Which of the files of other readers lies in the document's folder; the first where both do."""
    return next((path for path in (MINERU, DOCLING) if (doc.data / path).is_file()), None)


def _adapt_given(doc: DocFolder, source: Path, settings: AdaptSettings, converted: list[Path]) -> StageResult:
    """M0 from what another reader made of the PDF; the PDF gives the pages, their size and its bookmarks."""
    reader = source.parent.name
    images: list[Path] = []
    try:
        layout = read_pages(doc.data / "full.pdf", doc.doc_id, settings, reader)
        pages = [
            PageInfo(
                page_idx=page.page_idx,
                width=page.width,
                height=page.height,
                rotation=page.rotation,
                page_label=page.page_label,
            )
            for page in layout.pages
        ]
        if reader == MINERU.parent.name:
            content, warnings = _mineru(doc, source, pages)
        else:
            content = docling.adapt(files.read_json(source), doc.doc_id, pages=pages)
            if settings.pictures:
                with _bounded(doc):
                    pdf, folder = doc.data / "full.pdf", doc.data / "images"
                    images = [
                        *cut_pictures(content, pdf, folder, "image"),
                        *cut_pictures(content, pdf, folder, "equation"),
                    ]
            _remove_stale(doc.data / "images", images)
            warnings = docling.warnings_of(content)
    except UnreadablePdf as error:
        raise StageFailure(error.reason, error.message) from error
    except (ArtifactError, mineru.NotAContentList, docling.NotADoclingDocument) as error:
        raise StageFailure("bad_input", f"{source}: {error}") from error
    content.title, content.outline = layout.title, layout.outline
    outputs = [doc.data / name for name in ("layout.json", "content_list.json", "content_list.adapted.json")]
    layout.save(outputs[0])
    files.write_json(outputs[1], mineru_list(content))
    content.save(outputs[2])
    return StageResult(
        outputs=[*converted, *outputs, *images],
        status="partial" if warnings else "ok",
        reason=next(iter(warnings), None),
        message="; ".join(f"{name}: {count} items" for name, count in warnings.items()) or None,
        counts=_counts(content),
    )


def _mineru(doc: DocFolder, source: Path, pages: list[PageInfo]) -> tuple[ContentList, dict[str, int]]:
    beside = next((doc.data / path for path in MINERU_LAYOUTS if (doc.data / path).is_file()), None)
    pictures = {path.relative_to(source.parent).as_posix() for path in source.parent.rglob("*") if _is_plain(path)}
    content = mineru.adapt(
        files.read_json(source),
        doc.doc_id,
        pages=pages,
        has_image=pictures.__contains__,
        folder=source.parent.name,
        layout=files.read_json(beside) if beside else None,
    )
    return content, mineru.warnings_of(content)


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _remove_stale(folder: Path, current: list[Path]) -> None:
    """Delete crops that an earlier run left and this one did not write."""
    keep = {path.name for path in current}
    for path in sorted(folder.glob("*.png")) if folder.is_dir() else []:
        if path.name not in keep:
            path.unlink()


def _block_counts(blocks: int, content: ContentList) -> dict[str, int]:
    """Blocks of the layout (``blocks`` in all): those that are in an item, and those that are only in the drop list."""
    kept = {block for item in content.items for block in item.source_blocks}
    dropped = {block for item in content.dropped for block in item.source_blocks} - kept
    return {"blocks": blocks, "blocks_kept": len(kept), "blocks_dropped": len(dropped)}


def _counts(content: ContentList) -> dict[str, int]:
    roles = [item.role for item in content.items]
    return {
        "pages": len(content.pages),
        "items": len(roles),
        "tables": roles.count("table"),
        "images": roles.count("image"),
        "dropped": len(content.dropped),
        "attachments": len(content.attachments),
        "ocr_pages": sum(1 for page in content.pages if "ocr" in page.flags),
    }


if __name__ == "__main__":
    # Loaded once here, not again in each document's process.
    import numpy  # noqa: F401
    import PIL.Image  # noqa: F401
    import pymupdf  # noqa: F401
    import scipy.ndimage
    import scipy.spatial  # noqa: F401

    import cosee.models.vision.ocr_rapid
    import cosee.models.vision.ocr_tesseract  # noqa: F401

    raise SystemExit(run_stage(AdaptStage(), AdaptSettings))
