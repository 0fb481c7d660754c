"""``documents.tsv``: the append-only sheet of a dataset's documents."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from pydantic import Field

from cosee.artifacts import files
from cosee.artifacts.base import Record, validate
from cosee.artifacts.files import ArtifactError

COLUMNS = ("doc_id", "sha256", "pages", "shard", "state")


class DocumentRow(Record):
    """One line. The last line of a ``doc_id`` counts; ``state`` ``removed`` is a tombstone."""

    doc_id: str
    sha256: str
    pages: int = Field(ge=0)
    shard: str
    state: str = Field(default="present", pattern="^(present|removed)$")


def is_doc_id(name: str) -> bool:
    """Whether a folder's name can stand in the sheet: no control characters, line ends or bytes that are not UTF-8, and
    nothing that a spreadsheet takes for a formula."""
    formula = name[:1] in ("=", "+", "@") or (name[:1] == "-" and not re.fullmatch(r"[A-Za-z0-9._-]+", name))
    return not formula and not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in name)


def load_sheet(path: Path) -> list[DocumentRow]:
    """Every line of the sheet, in order; an absent sheet is empty. Raises ArtifactError with file and line."""
    if not path.exists():
        return []
    lines = files.read_bytes(path).decode("utf-8").splitlines()
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise ArtifactError(f"{path}, line 1: expected the columns {' '.join(COLUMNS)}")
    return [
        validate(DocumentRow, dict(zip(COLUMNS, line.split("\t"), strict=False)), f"{path}, line {number}")
        for number, line in enumerate(lines[1:], start=2)
        if line
    ]


def save_sheet(path: Path, rows: list[DocumentRow]) -> None:
    """Write the whole sheet atomically."""
    body = ["\t".join(str(getattr(row, column)) for column in COLUMNS) for row in rows]
    files.write_text(path, "\n".join(["\t".join(COLUMNS), *body]) + "\n")


def current(rows: list[DocumentRow]) -> dict[str, DocumentRow]:
    """doc_id -> its last line, tombstones left out, in order of first appearance."""
    last: dict[str, DocumentRow] = {}
    for row in rows:
        last[row.doc_id] = row
    return {doc_id: row for doc_id, row in last.items() if row.state == "present"}
