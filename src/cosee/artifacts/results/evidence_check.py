"""``results/<run>/evidence/<method>.jsonl``: what a model answers from an answer's evidence alone, and without it."""

from __future__ import annotations

from typing import Literal

from cosee.artifacts.base import Record


class EvidenceCheck(Record):
    """One answer's evidence, tried. Answers that failed or abstained have no row."""

    dataset: str
    question_id: str
    status: Literal["ok", "failed"]
    """``failed`` where a call brought no usable reply; what is missing then counts against the evidence."""
    cited: int
    """Pieces of evidence that could be shown: text of cited nodes and quotes, and crops."""
    from_evidence: str | None = None
    """The answer from what is cited alone; null where nothing is cited or the call failed."""
    without_evidence: str | None = None
    """The answer from the pages read, with what is cited taken out; null in the same cases."""
    reason: str = ""
    """Why a call failed."""
    model: str
    model_revision: str
