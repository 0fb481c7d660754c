"""Documents that leave a dataset: their file goes, and the sheet keeps their id and digest as removed."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from cosee.artifacts.datasets.documents import current, load_sheet, save_sheet
from cosee.artifacts.documents.original import original_in

SHEET = "documents.tsv"


def remove_placed(target: Path, doc_ids: Collection[str]) -> None:
    """Remove the documents' files from ``target`` (``data/<name>``) and mark their rows of the sheet as removed.

    What was made of them stays; it counts for nothing, and is done again only in part where a document comes back.
    """
    for doc_id in doc_ids:
        folder = target / doc_id
        if folder.is_symlink():
            continue
        while (original := original_in(folder)) is not None:
            original.unlink()
        (folder / "full.pdf").unlink(missing_ok=True)
    mark_removed(target, doc_ids)


def mark_removed(target: Path, doc_ids: Collection[str]) -> None:
    """Append a row with the state ``removed`` for each of the documents that the sheet has as present."""
    sheet = target / SHEET
    rows = load_sheet(sheet)
    gone = [row for doc_id, row in current(rows).items() if doc_id in set(doc_ids)]
    if gone:
        save_sheet(sheet, [*rows, *(row.model_copy(update={"state": "removed"}) for row in gone)])
