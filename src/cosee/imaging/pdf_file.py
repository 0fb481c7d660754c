"""A document's PDF as a ``pymupdf.Document``: decrypted with the dataset's sheet, its page tree whole."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from cosee.artifacts.datasets.passwords import SHEET, read_passwords
from cosee.artifacts.files import ArtifactError
from cosee.imaging.page_tree import rebuilt


class PasswordError(ValueError):
    """An encrypted file that does not open; ``reason`` is ``needs_password`` or ``wrong_password``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def open_pdf(pdf: Path) -> Any:
    """The file as a ``pymupdf.Document``.

    Raises:
        PasswordError: it needs a password, and the sheet has none or another one.
        one of ``pdf_faults``: for a file that it cannot open.
    """
    import pymupdf

    document = pymupdf.open(pdf, filetype="pdf")
    try:
        if document.needs_pass and not document.authenticate(""):
            _unlock(document, pdf)
        with_pages = rebuilt(document)
    except BaseException:
        document.close()
        raise
    if with_pages is None:
        return document
    document.close()
    return with_pages


def is_rebuilt(document: Any) -> bool:
    """Whether ``open_pdf`` made the page tree anew: such a document lies in memory."""
    return document.stream is not None


def _unlock(document: Any, pdf: Path) -> None:
    sheet = pdf.parent.parent / SHEET
    try:
        password = read_passwords(sheet).get(pdf.parent.name)
    except ArtifactError as error:
        raise PasswordError("needs_password", f"{pdf.name} needs a password, but {error}") from error
    if password is None:
        message = f"{pdf.name} needs a password; write a line into {sheet}: {pdf.parent.name}, a tab, the password"
        raise PasswordError("needs_password", message)
    if not document.authenticate(password):
        raise PasswordError("wrong_password", f"the password that {sheet} has for {pdf.name} does not open it")
