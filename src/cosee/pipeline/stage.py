"""The protocol between the runner and a stage: a pure function over one document's folders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from cosee.artifacts.datasets.names import ASKED
from cosee.artifacts.ledger import Status
from cosee.artifacts.reasons import check


@dataclass(frozen=True)
class DocFolder:
    """Where one document's files are. Paths are relative to the working folder."""

    dataset: str
    doc_id: str
    data: Path
    """``data/<dataset>/<doc_id>``"""
    index: Path
    """``indexes/<dataset>/<doc_id>``"""
    results: Path | None = None
    """``results/<run>``, for answer stages."""

    @property
    def questions(self) -> Path:
        """This document's questions, one JSON line each, kept in step with ``qa/questions.jsonl``."""
        dataset = self.data.parents[self.doc_id.count("/")]
        return dataset / ".shards" / "questions" / f"{self.doc_id}.jsonl"

    @property
    def is_collection(self) -> bool:
        """Whether a question over several documents stands in the place of this document."""
        return self.doc_id.startswith(f"{ASKED}/")


@dataclass(frozen=True)
class Part:
    """A part of a file that decides a result by itself, with its sha256."""

    name: str
    """The file, and after ``#`` the part."""
    sha256: str


@dataclass(frozen=True)
class StageResult:
    """What a stage did with one document. ``outputs`` names every file it wrote."""

    outputs: Sequence[Path]
    status: Status = "ok"
    reason: str | None = None
    """Machine-readable where the status is not ok: one of ``cosee.artifacts.reasons``."""
    message: str | None = None
    counts: dict[str, int] = field(default_factory=dict)
    lacked: Sequence[str] = ()
    """What the stage would have used for this document and did not find, by the names of ``cosee.machine``."""

    def __post_init__(self) -> None:
        check(self.reason)


class StageFailure(Exception):
    """The document cannot be processed: a row, not a crash. ``reason`` is one of ``cosee.artifacts.reasons``.

    ``lacked``, as in ``StageResult``, is what would cure it.
    """

    def __init__(self, reason: str, message: str, lacked: Sequence[str] = ()) -> None:
        super().__init__(message)
        check(reason)
        self.reason = reason
        self.message = message
        self.lacked = lacked


class Stage(Protocol):
    """One stage. ``isolated`` stages parse untrusted bytes and run in a child process per document.

    Where its settings say ``opens_model``, the documents run in the job's process, which keeps the model. A stage that
    is not isolated may have a method ``at_a_time``, from its settings to how many documents are under way in threads of
    that process; without it there is one, and no thread.
    """

    name: str
    isolated: bool

    def inputs(self, doc: DocFolder, settings: Any) -> Sequence[Path | Part]:
        """What decides the result under these settings; hashed into the stamp. Absent files count as absent."""
        ...

    def run(self, doc: DocFolder, settings: Any) -> StageResult:
        """Read the inputs, write the outputs. Raises StageFailure for a document that cannot be processed."""
        ...
