"""``results/<run>/judgements/<method>.jsonl``: what a model says of each judged answer."""

from __future__ import annotations

from typing import Literal

from cosee.artifacts.base import Record


class Judgement(Record):
    """One judged answer. One that the judge failed on is neither equivalent nor abstained."""

    dataset: str
    question_id: str
    status: Literal["ok", "failed"]
    equivalent: bool
    """The answer has the same content as the gold answer."""
    abstained: bool
    reason: str
    """The judge's sentence, or why it failed."""
    model: str
    model_revision: str
