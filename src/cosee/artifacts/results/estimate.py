"""``results/<run>/estimate.json``: what a run's answers are likely to cost, worked out before a model is asked."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from cosee.artifacts.base import Artifact, Record
from cosee.artifacts.price import Price


class Range(Record):
    """A figure that is not certain: all three are equal where it is."""

    low: float
    likely: float
    high: float

    def in_words(self, digits: int = 0) -> str:
        """``12``, or ``12 (9 to 20)`` where it is open, with ``digits`` after the point."""
        likely, low, high = (f"{value:,.{digits}f}" for value in (self.likely, self.low, self.high))
        return likely if low == high else f"{likely} ({low} to {high})"


class MethodEstimate(Record):
    """Totals of one method over all questions of the run."""

    questions: int
    looked_at: int
    """Questions whose prompts were made for it; the totals are scaled up from these."""
    calls: Range
    tokens_in: Range
    tokens_out: Range
    """From half of what the reader without a model writes up to the bound of every reply."""
    images: Range
    money: Range | None = None
    """Null where the model's entry has no ``price``."""


class Estimate(Artifact):
    """An estimate of one run, from the trees and indexes that existed when it was made."""

    schema_name: ClassVar[str] = "cosee.estimate"

    run: str
    model: str
    price: Price | None = None
    """That of the model's entry when the estimate was made."""
    documents: int
    pages: int
    questions: int
    unread: int = 0
    """Documents without a tree and an index: their questions count like the others'."""
    methods: dict[str, MethodEstimate] = Field(default_factory=dict)
    """Empty where no document is indexed yet."""
