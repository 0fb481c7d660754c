"""``original.json``: what a file that was converted to ``full.pdf`` says of its own structure.

The file itself lies beside it as ``original.<suffix>``.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts import files
from cosee.artifacts.base import Artifact, BBox, NumerousRecord
from cosee.artifacts.documents.content import TableData

STEM = "original"
ORIGINAL = f"{STEM}.json"
OFFICE_SUFFIXES = (
    ".docx", ".docm", ".dotx", ".dotm", ".doc", ".odt", ".rtf",
    ".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".ppt", ".odp",
    ".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".ods",
)  # fmt: skip
PICTURE_SUFFIXES = (".png", ".jpg", ".jpeg", ".tif", ".tiff")
SUFFIXES = frozenset((*OFFICE_SUFFIXES, ".html", ".htm", ".xhtml", *PICTURE_SUFFIXES))
"""Names of files that are converted; what a file is, its bytes say."""

BlockKind = Literal["heading", "text", "table", "picture", "sheet", "notes"]


class OriginalBlock(NumerousRecord):
    """A piece of the original, in the order in which the file has it."""

    kind: BlockKind
    text: str = ""
    """A heading's or paragraph's text, a picture's alternative text, a sheet's name, a slide's speaker notes, the
    comments of a sheet or of a text."""
    level: int | None = None
    """Heading level from 1."""
    table: TableData | None = None
    page_idx: int | None = None
    """0-based page of ``full.pdf`` that it is on, for slides; else its place is found by its text."""
    bbox: BBox | None = None
    """Of a picture on a slide, in 0..1 of the slide."""


class Original(Artifact):
    """``original.json`` (M0)."""

    schema_name: ClassVar[str] = "cosee.original"

    doc_id: str
    name: str
    """The file it was read from, beside this one."""
    sha256: str
    """Of that file: another one is converted again."""
    kind: str
    """What the file is by its bytes: ``docx``, ``xls``, ``html``, ``picture`` ..."""
    converter: str
    """What made ``full.pdf`` of it, e.g. ``LibreOffice 7.4.7.2``."""
    blocks: list[OriginalBlock] = Field(default_factory=list)


def is_original(path: Path) -> bool:
    """Whether a file is one that is converted: by its name, unless it is a PDF by its first bytes."""
    if path.suffix.lower() not in SUFFIXES:
        return False
    try:
        return files.read_bytes(path, 5) != b"%PDF-"
    except files.ArtifactError:
        return True


def original_in(folder: str | Path) -> Path | None:
    """The file of a document's folder that ``full.pdf`` is made from; None where the document is a PDF itself."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.startswith(f"{STEM}."))
    except OSError:
        return None
    found = [Path(folder) / name for name in names if name[len(STEM) :] in SUFFIXES]
    return next((path for path in found if path.is_file()), None)
