"""What another ``cosee init`` of a dataset changed: documents and questions that came, are others now, or went."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cosee.artifacts import files
from cosee.artifacts.datasets.questions import load_questions
from cosee.artifacts.documents.original import original_in
from cosee.artifacts.files import ArtifactError
from cosee.commands.thresholds import CHANGES_SHOWN
from cosee.text.counts import counted


@dataclass(frozen=True)
class Snapshot:
    """A dataset at one moment: each document's file by size and time, each question's line."""

    documents: Mapping[str, Any]
    questions: Mapping[str, Any]


def snapshot(target: Path, *, as_last_seen: bool = False) -> Snapshot | None:
    """The dataset in ``target`` (``data/<name>``); None where nothing was imported yet.

    ``as_last_seen`` takes documents as the pipeline saw them last: a file that is a link to the user's own may have
    been edited in its place since.
    """
    if not (target / "qa" / "import_report.json").exists():
        return None
    documents: dict[str, Any] = {}
    for folder in target.iterdir():
        given = original_in(folder) or folder / "full.pdf"
        if folder.is_dir() and not folder.name.startswith(".") and given.is_file():
            documents[folder.name] = _sha256(target, folder.name, given, as_last_seen)
    try:
        questions = load_questions(target / "qa" / "questions.jsonl")
    except ArtifactError:
        questions = []
    return Snapshot(documents, {each.question_id: each.model_dump(mode="json") for each in questions})


def _sha256(target: Path, doc_id: str, given: Path, as_last_seen: bool) -> str:
    """The file's sha256, as the pipeline remembers it where the file is the one that it saw."""
    status = given.stat()
    try:
        known = files.read_json(target / ".shards" / "pdf_hashes.json").get(doc_id)
    except (ArtifactError, AttributeError):
        known = None
    same = known and (as_last_seen or known[:2] == [status.st_size, status.st_mtime_ns])
    return str(known[2]) if known and same else files.sha256_file(given)


def changes(before: Snapshot | None, after: Snapshot | None) -> Iterator[str]:
    """Lines such as ``1 document removed: notice_b``; a line that says so where nothing changed."""
    if before is None or after is None:
        return
    lines = [*_compared("document", before.documents, after.documents)]
    lines += _compared("question", before.questions, after.questions)
    yield from lines or ["nothing was added, changed or removed since the last time"]


def _compared(name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    both = before.keys() & after.keys()
    for what, ids in (
        ("added", after.keys() - before.keys()),
        ("changed", {each for each in both if before[each] != after[each]}),
        ("removed", before.keys() - after.keys()),
    ):
        if ids:
            shown = sorted(ids)[:CHANGES_SHOWN]
            more = f" and {len(ids) - CHANGES_SHOWN:,} more" if len(ids) > CHANGES_SHOWN else ""
            yield f"{counted(len(ids), name)} {what}: {', '.join(shown)}{more}"
