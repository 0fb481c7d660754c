"""``results/<run>/changed.json``: that documents were taken out of a run after it was made."""

from __future__ import annotations

from typing import ClassVar

from cosee.artifacts.base import Artifact, Record


class RemovedDocument(Record):
    """A document that a run was made with and that is gone."""

    dataset: str
    doc_id: str
    sha256: str | None = None
    """Of its file; null where the sheet did not have it."""


class ChangedRun(Artifact):
    """Documents that ``cosee remove`` took out: the run's figures are those of the documents that are left."""

    schema_name: ClassVar[str] = "cosee.changed_run"

    removed: list[RemovedDocument]
