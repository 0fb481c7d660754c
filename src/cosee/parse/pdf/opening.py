"""Opening an untrusted PDF, with one clear reason where nothing in it can be read."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.imaging.pdf_faults import pdf_faults
from cosee.imaging.pdf_file import PasswordError, open_pdf
from cosee.parse.pdf.thresholds import END_WINDOW, HEADER_WINDOW, MAX_QUOTED_ERROR, MIN_OBJECTS, STORE_PAGES
from cosee.text.cleaning import one_line

_OBJECT = re.compile(rb"\d\s+\d+\s+obj\b.{0,20}?<<", re.DOTALL)
"""How each of a PDF's objects starts."""


class UnreadablePdf(Exception):
    """A file without a readable page: ``not_a_pdf``, ``empty_file``, ``needs_password``, ``no_pages``, ``damaged``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def check_header(pdf: Path) -> None:
    """Raise UnreadablePdf unless the file is a PDF by its content.

    That is one with ``%PDF`` in its first bytes or, where the header is lost or far behind, several of a PDF's objects
    and a page or the mark of the end among them.
    """
    head = files.read_bytes(pdf, HEADER_WINDOW)
    if not head:
        raise UnreadablePdf("empty_file", f"{pdf.name} is empty (0 bytes)")
    if b"%PDF" in head:
        return
    body = files.read_bytes(pdf)
    objects = len(list(islice(_OBJECT.finditer(body), MIN_OBJECTS)))
    if not objects or (objects < MIN_OBJECTS or b"/Page" not in body) and b"startxref" not in body:
        raise UnreadablePdf("not_a_pdf", f"{pdf.name} is not a PDF: no %PDF header in its first {HEADER_WINDOW} bytes")


def forget_pictures(pages: int) -> None:
    """Empty MuPDF's store of decoded pictures and fonts now and then; ``pages`` were read so far."""
    import pymupdf

    if pages % STORE_PAGES == 0:
        pymupdf.TOOLS.store_shrink(100)


def is_whole(pdf: Path) -> bool:
    """Whether the file ends with the mark of a PDF's end."""
    return b"%%EOF" in files.read_bytes(pdf).rstrip(b"\0 \r\n\t")[-END_WINDOW:]


@contextlib.contextmanager
def as_damage(pdf: Path) -> Iterator[None]:
    """MuPDF's own errors, which are no RuntimeError, told as damage of the file."""
    import pymupdf

    try:
        yield
    except pymupdf.mupdf.FzErrorBase as error:
        raise UnreadablePdf("damaged", f"{pdf.name} is damaged: {one_line(str(error))[:MAX_QUOTED_ERROR]}") from error


def open_readable(pdf: Path) -> Any:
    """The document, which has pages. Raises UnreadablePdf."""
    try:
        document = open_pdf(pdf)
        if not document.is_pdf:
            document.close()
            raise UnreadablePdf("not_a_pdf", f"{pdf.name} is not a PDF, though its first bytes name the format")
        count = document.page_count
    except PasswordError as error:
        raise UnreadablePdf(error.reason, error.message) from error
    except (RuntimeError, ValueError) as error:
        if (handler := _security_handler(pdf)) not in (None, "Standard"):
            message = f"{pdf.name} is encrypted by {handler!r}, which no open reader knows"
            raise UnreadablePdf("unsupported_encryption", message) from error
        raise UnreadablePdf("damaged", f"{pdf.name} is damaged: nothing of it could be repaired") from error
    if count == 0:
        empty = _has_empty_page_tree(document)
        document.close()
        if not empty:
            raise UnreadablePdf("damaged", f"{pdf.name} is damaged: no page could be recovered")
        raise UnreadablePdf("no_pages", f"{pdf.name} has no pages")
    return document


def _security_handler(pdf: Path) -> str | None:
    """The name of the handler that a file's trailer says it is encrypted by."""
    body = files.read_bytes(pdf)
    named = re.search(rb"/Encrypt\s+(\d+)\s+\d+\s+R", body)
    start = rb"(?<!\d)%s\s+\d+\s+obj" % named[1] if named else rb"/Encrypt\s*<<"
    found = re.search(start + rb".{0,2000}?/Filter\s*/([A-Za-z0-9.]+)", body, re.DOTALL)
    return found[1].decode("ascii") if found else None


def _has_empty_page_tree(document: Any) -> bool:
    """Whether a document without pages says so itself (``/Kids []``) rather than having lost them."""
    kids = quietly(lambda: document.xref_get_key(document.pdf_catalog(), "Pages/Kids"))
    return bool(kids) and kids[0] == "array" and not kids[1].strip("[] ")


def quietly(call: Callable[[], Any]) -> Any:
    """The result of a PyMuPDF call on an optional part of the file, or None where that part is damaged."""
    try:
        return call()
    except pdf_faults():
        return None
