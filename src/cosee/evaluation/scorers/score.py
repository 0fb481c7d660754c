"""What a scorer returns."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Score:
    """One answer's score in 0..1; ``rule`` says in words which rule gave it, or why it is 0."""

    value: float
    scorer: str
    """Name and version of the scorer, e.g. ``mmlongbench_v1@1``."""
    rule: str


def right(condition: bool) -> float:
    """1.0 or 0.0."""
    return 1.0 if condition else 0.0
