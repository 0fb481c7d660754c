"""``data/<dataset>/passwords.tsv``: the user's sheet of passwords, a line a document: ``doc_id``, a tab, the password.

No password gets into an artifact, a hash or a message.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError

SHEET = "passwords.tsv"


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
