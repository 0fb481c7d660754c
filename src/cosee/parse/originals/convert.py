"""One way from a file of any kind to ``full.pdf`` and ``original.json``."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.documents.original import Original, OriginalBlock
from cosee.parse.originals import office, web
from cosee.parse.originals.kinds import Unconvertible, kind_of
from cosee.parse.originals.pictures import convert_picture
from cosee.parse.originals.sheets import HTML, sheet_blocks, with_pictures
from cosee.parse.originals.slides import slide_blocks
from cosee.parse.originals.thresholds import MAX_MESSAGE
from cosee.parse.originals.word import word_blocks

_TWIN = {"doc": "docx", "odt": "docx", "rtf": "docx", "docx": "docx", "ppt": "pptx", "odp": "pptx", "pptx": "pptx"}
"""Kind -> the kind whose structure is read: an older or open format is first made one of these."""
_SHEETS = ("xlsx", "xls", "ods")


def convert(source: Path, doc_id: str, pdf: Path, structure: Path) -> None:
    """Write ``pdf`` and ``structure``: the same bytes whenever the same file is converted by the same converter.

    Raises:
        Unconvertible: the file does not become a PDF; nothing is written then.
    """
    kind = kind_of(source)
    with tempfile.TemporaryDirectory(prefix="cosee-") as name:
        folder = Path(name)
        made = folder / "made.pdf"
        if kind == "pdf":
            converter, blocks = "none", list[OriginalBlock]()
            made = source
        elif kind == "picture":
            convert_picture(source, made, source.name)
            converter, blocks = "Pillow", []
        elif kind == "html":
            blocks = web.convert_page(source, made, source.name)
            converter = web.version()
        else:
            # Under a name that says what it is: LibreOffice goes by that.
            copy = folder / f"made.{kind}"
            files.write_bytes(copy, files.read_bytes(source))
            made = office.convert_office(copy, "pdf", folder, source.name)
            blocks = _all_read(_read(copy, kind, folder, source.name), source.name)
            converter = office.version()
        data = files.read_bytes(made) if kind == "pdf" else _repeatable(made)
    _name_sheet(blocks, data)
    if kind == "xlsx":
        blocks = _all_read(with_pictures(blocks, source), source.name)
    files.write_bytes(pdf, data)
    original = Original(
        doc_id=doc_id,
        name=source.name,
        sha256=files.sha256_file(source),
        kind=kind,
        converter=converter,
        blocks=blocks,
    )
    original.save(structure)


def _all_read(blocks: Iterable[OriginalBlock], name: str) -> list[OriginalBlock]:
    """The blocks, which are read only here. Raises Unconvertible where the file is damaged."""
    try:
        return list(blocks)
    except (MemoryError, Unconvertible):
        raise
    except Exception as error:  # whatever a reader raises on a file that LibreOffice could make something of
        message = f"{name}: its structure cannot be read ({type(error).__name__}: {error})"
        raise Unconvertible("damaged", message[:MAX_MESSAGE]) from error


def _read(copy: Path, kind: str, folder: Path, name: str) -> Iterator[OriginalBlock]:
    if kind in _SHEETS:
        yield from sheet_blocks(office.convert_office(copy, HTML, folder, name))
        return
    twin = copy if _TWIN[kind] == kind else office.convert_office(copy, _TWIN[kind], folder, name)
    yield from word_blocks(twin) if _TWIN[kind] == "docx" else slide_blocks(twin)


def _name_sheet(blocks: list[OriginalBlock], pdf: bytes) -> None:
    """The name of an only sheet, which LibreOffice writes into the bookmark alone."""
    import pymupdf

    unnamed = [block for block in blocks if block.kind == "sheet" and not block.text]
    if unnamed:
        with pymupdf.open(stream=pdf, filetype="pdf") as document:
            titles = [str(entry[1]) for entry in document.get_toc()]
        unnamed[0].text = titles[0] if titles else ""


def _repeatable(made: Path) -> bytes:
    """The PDF without dates and ids, so that another conversion gives the same bytes."""
    import pymupdf

    with pymupdf.open(made) as document:
        told = document.metadata or {}
        document.del_xml_metadata()
        document.set_metadata({**told, "creationDate": None, "modDate": None})
        document.xref_set_key(-1, "ID", "null")
        data: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    return data
