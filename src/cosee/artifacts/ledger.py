"""Ledgers and stamps: what a stage did with each document, and the memory that lets it skip."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts import files
from cosee.artifacts.base import Artifact, Record
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.reasons import PATTERN

Status = Literal["ok", "partial", "failed", "skipped"]


class LedgerRow(Record):
    """One document in a shard's ledger ``<stage>.<shard>.jsonl``."""

    doc_id: str
    status: Status
    reason: str | None = Field(None, pattern=PATTERN)
    """Machine-readable cause where the status is not ``ok``, of the closed list in [Reasons](reasons.md)."""
    message: str | None = None
    """The same for a person."""
    counts: dict[str, int] = Field(default_factory=dict)
    inputs: dict[str, str] = Field(default_factory=dict)
    """Path below the project root -> sha256."""
    outputs: dict[str, str] = Field(default_factory=dict)
    edited: list[str] = Field(default_factory=list)
    """Outputs that a person changed after the stage wrote them; they are kept until their inputs change."""
    lacked: list[str] = Field(default_factory=list)
    """What the stage would have used for the document and did not find on the machine, as ``tesseract``; where one of
    it is there later, the document is done again."""


class Stamp(Artifact):
    """``.stamps/<stage>.json``: written last, when a document's stage ended."""

    schema_name: ClassVar[str] = "cosee.stamp"

    settings: str
    """sha256 of the stage's settings."""
    code: str
    """sha256 of the stage's code (its import closure)."""
    row: LedgerRow
    complete: bool = True
    """False from when the stage began to write again until it ended: what then differs from ``row`` is its own work
    that a kill cut short, not a person's edit."""


class OutputTable(Artifact):
    """``.shards/<stage>.<shard>.outputs.json``: every output of a shard's stage as the job left it.

    Lets the scheduler see edited and deleted files without opening them. ``generation`` counts the job's runs.
    """

    schema_name: ClassVar[str] = "cosee.output_table"

    generation: int
    files: dict[str, tuple[int, int, str]]
    """Path -> (size, mtime_ns, sha256)."""
    killed: list[str] = Field(default_factory=list)
    """Documents whose process was killed from outside: the next run tries them again."""
    lacked: list[str] = Field(default_factory=list)
    """What any of the shard's documents lacked on the machine."""

    @classmethod
    def scan(cls, path: Path) -> tuple[int, dict[str, tuple[int, int, str]], list[str], list[str]]:
        """``generation``, ``files``, ``killed`` and ``lacked``, no row checked: the scheduler reads a great many.

        Raises ArtifactError for a file that is not a table of this version.
        """
        from pydantic_core import from_json

        try:
            value = from_json(files.read_bytes(path), cache_strings="none")
        except ValueError as error:
            raise ArtifactError(f"{path}: not valid JSON ({error})") from error
        if not isinstance(value, dict) or (value.get("schema"), value.get("version")) != (
            cls.schema_name,
            cls.schema_version,
        ):
            raise ArtifactError(f"{path}: not a {cls.schema_name} of version {cls.schema_version}")
        return value["generation"], value["files"], value.get("killed", []), value.get("lacked", [])
