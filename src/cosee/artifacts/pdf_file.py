"""A document's PDF, opened with the password that the dataset's ``passwords.tsv`` has for it.

The sheet is the user's: ``data/<dataset>/passwords.tsv``, a line a document, ``doc_id``, a tab and the password. No
password gets into an artifact, a hash or a message.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError

SHEET = "passwords.tsv"


class PasswordError(ValueError):
    """An encrypted file that does not open; ``reason`` is ``needs_password`` or ``wrong_password``."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        self.message = message


def open_pdf(pdf: Path) -> Any:
    """The file as a ``pymupdf.Document``, decrypted where it is encrypted.

    Raises:
        PasswordError: it needs a password, and the sheet has none or another one.
        RuntimeError, ValueError: PyMuPDF's own errors, for a file that it cannot open.
    """
    import pymupdf

    document = pymupdf.open(pdf, filetype="pdf")
    try:
        if document.needs_pass and not document.authenticate(""):
            _unlock(document, pdf)
    except BaseException:
        document.close()
        raise
    return document


def _unlock(document: Any, pdf: Path) -> None:
    sheet = pdf.parent.parent / SHEET
    try:
        password = read_passwords(sheet).get(pdf.parent.name)
    except ArtifactError as error:
        raise PasswordError("needs_password", f"{pdf.name} needs a password, but {error}") from error
    if password is None:
        message = (
            f"{pdf.name} needs a password; write it into {sheet.as_posix()}: {pdf.parent.name}, a tab, the password"
        )
        raise PasswordError("needs_password", message)
    if not document.authenticate(password):
        raise PasswordError(
            "wrong_password", f"the password that {sheet.as_posix()} has for {pdf.name} does not open it"
        )


def read_passwords(sheet: Path) -> dict[str, str]:
    """doc_id -> password; an absent sheet is empty. A password may hold anything but a tab and a line break.

    Raises:
        ArtifactError: the sheet is not UTF-8, or a line is not a doc_id, a tab and a password.
    """
    if not sheet.exists():
        return {}
    try:
        lines = files.read_bytes(sheet).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise ArtifactError(f"{sheet}: is not UTF-8 (byte {error.start})") from error
    passwords: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        cells = line.removesuffix("\r").split("\t")
        if cells in ([""], ["doc_id", "password"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise ArtifactError(f"{sheet}, line {number}: expected a doc_id, one tab and its password")
        passwords[cells[0]] = cells[1]
    return passwords


def write_passwords(sheet: Path, passwords: Mapping[str, str]) -> None:
    """Write the sheet for its owner's eyes. Raises ArtifactError for a password that it cannot hold."""
    for doc_id, password in passwords.items():
        if not password or any(character in password for character in "\t\r\n"):
            raise ArtifactError(f"{sheet}: the password of {doc_id!r} is empty or holds a tab or a line break")
    lines = ["doc_id\tpassword", *(f"{doc_id}\t{passwords[doc_id]}" for doc_id in sorted(passwords))]
    others = os.umask(0o077)
    try:
        files.write_text(sheet, "\n".join(lines) + "\n")
    finally:
        os.umask(others)
