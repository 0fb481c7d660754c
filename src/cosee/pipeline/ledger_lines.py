"""Ledgers read for what few of their rows tell: those about very many documents that were done are not parsed.

A row is written as canonical JSON, so that its text says whether anything is to be told; one that a person wrote
otherwise is parsed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from cosee.artifacts import files
from cosee.artifacts.base import validate
from cosee.artifacts.ledger import LedgerRow

_DONE, _LACKING_NOTHING = b'"status":"ok"', b'"lacked":[]'
_DOCUMENT = re.compile(rb'"doc_id":"([ !#-[\]-~]*)".*}', re.DOTALL)
"""Of a whole row whose id is plain ASCII."""


def rows_by_document(ledger: Path) -> dict[str, bytes]:
    """Document -> its row as it stands there, the last of several. Raises ArtifactError with file and line."""
    found = {}
    for number, line in _lines(ledger):
        told = _DOCUMENT.search(line)
        doc_id = told.group(1).decode("ascii") if told else read_row(line, f"{ledger}, line {number}").doc_id
        found[doc_id] = line
    return found


def is_ok(row: bytes) -> bool:
    """Whether a row says in its canonical form that the document was done; one that says so otherwise is not."""
    return _DONE in row


def read_row(row: bytes, where: str) -> LedgerRow:
    """The row, checked. Raises ArtifactError that begins with ``where``."""
    return validate(LedgerRow, files.parse_json(row, where), where)


def rows_that_tell(ledger: Path) -> Iterator[LedgerRow]:
    """The rows of documents that were not done, or that lacked something. Raises ArtifactError with file and line."""
    for number, line in _lines(ledger):
        if not (_DONE in line and _LACKING_NOTHING in line):
            yield read_row(line, f"{ledger}, line {number}")


def _lines(ledger: Path) -> Iterator[tuple[int, bytes]]:
    lines = enumerate(files.read_bytes(ledger).split(b"\n"), start=1)
    return ((number, line) for number, line in lines if line.strip())
