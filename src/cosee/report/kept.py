"""What an earlier site was made of, so that only the pages of changed documents are written again.

``results/.stamps/report.jsonl`` has a line for each document: the digest of everything that its pages show, the files
that were written (each with size and time, so that one which was touched since counts as changed), and the rows of its
questions in the list. Without the file, or with one that cannot be read, everything is written.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.files import ArtifactError

DocumentKey = tuple[str, str]
"""Dataset and doc_id."""
Standing = Mapping[str, tuple[int, int]]
"""Path below the site -> size and mtime_ns of each file that stands there."""


@dataclass(frozen=True)
class Kept:
    """What the site shows of one document."""

    digest: str
    written: list[str]
    """Its files below the site."""
    rows: dict[str, dict[str, list[Any]]]
    """Run -> question id -> its row in the list of questions."""


def load(path: Path, standing: Standing) -> dict[DocumentKey, Kept]:
    """The documents whose files stand as they were written."""
    found = {}
    try:
        for value in files.parse_jsonl(files.read_bytes(path)):
            written = value["written"]
            if all(standing.get(name) == tuple(state) for name, state in written.items()):
                found[value["dataset"], value["doc_id"]] = Kept(value["digest"], list(written), value["rows"])
    except (ArtifactError, ValueError, KeyError, TypeError, AttributeError):
        return {}
    return found


def save(path: Path, documents: Mapping[DocumentKey, Kept], target: Path) -> None:
    """Note what was written below ``target``. To be called when all of it stands."""
    standing = standing_files(target)
    files.write_jsonl(
        path,
        (
            {
                "dataset": dataset,
                "doc_id": doc_id,
                "digest": kept.digest,
                "written": {name: standing[name] for name in kept.written},
                "rows": kept.rows,
            }
            for (dataset, doc_id), kept in sorted(documents.items())
        ),
    )


def standing_files(target: Path) -> dict[str, tuple[int, int]]:
    """The regular files in the folders of a site that hold documents; nothing behind a link counts."""
    found: dict[str, tuple[int, int]] = {}
    for folder in ("documents", "questions", "pages"):
        for parent, _, names in os.walk(target / folder) if not (target / folder).is_symlink() else ():
            below = os.path.relpath(parent, target)
            for name in names:
                status = os.lstat(f"{parent}/{name}")
                if stat.S_ISREG(status.st_mode):
                    found[f"{below}/{name}"] = (status.st_size, status.st_mtime_ns)
    return found
