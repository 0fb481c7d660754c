"""A table of documents and passwords (CSV, JSON lines or XLSX) becomes the dataset's own sheet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from cosee.artifacts.datasets.passwords import SHEET, read_passwords, write_passwords
from cosee.artifacts.files import ArtifactError
from cosee.datasets.folder import document_lookup
from cosee.datasets.question_files import read_rows


def import_passwords(table: Path, documents: Mapping[str, str], target: Path) -> list[str]:
    """Add the passwords of ``table`` to ``<target>/passwords.tsv``; gives a sentence for each line that names nothing.

    Its columns are ``password`` and one that names the document, as in a file of questions. ``documents`` gives the
    doc_id of each document by its name in the source.

    Raises:
        ArtifactError: the table or the dataset's sheet cannot be read; no message shows a password.
    """
    lookup = document_lookup(documents)
    passwords = read_passwords(target / SHEET)
    unknown = []
    for line, row in read_rows(table, "password"):
        name, password = str(row.get("document") or "").strip(), row.get("password")
        if password is None or not str(password):
            raise ArtifactError(f"{table}, line {line}: the password is empty")
        document = lookup.get(name.lower()) or lookup.get(name.replace("\\", "/").rsplit("/", 1)[-1].lower())
        if document is None:
            unknown.append(f"{table}, line {line}: no document {name!r}; its password is left out")
        else:
            passwords[documents[document]] = str(password)
    write_passwords(target / SHEET, passwords)
    return unknown
