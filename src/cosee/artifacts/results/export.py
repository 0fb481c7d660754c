"""``results/<run>/exports/<kind>.jsonl``: what was exported of each document."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.base import Record
from cosee.artifacts.ledger import Status
from cosee.artifacts.reasons import PATTERN

ExportKind = Literal["pdf", "tables", "markdown", "html"]


class ExportRow(Record):
    """One document. Its files are below ``results/<run>/exports/<dataset>/<doc_id>/``."""

    dataset: str
    doc_id: str
    status: Status
    reason: str | None = Field(None, pattern=PATTERN)
    """Machine-readable cause where the status is not ``ok``, of the closed list in [Reasons](reasons.md)."""
    message: str | None = None
    """The same for a person."""
    counts: dict[str, int] = Field(default_factory=dict)
    """``highlights``; ``tables``, ``cells``, ``merged`` cells and ``guarded`` ones (a CSV cell that a spreadsheet would
    have run as a formula); ``nodes`` and ``figures``."""
    outputs: dict[str, str] = Field(default_factory=dict)
    """Path below the document's folder of exports -> sha256."""
