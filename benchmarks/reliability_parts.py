"""What a part of the reliability benchmark gives: figures, what is behind them, and whether the promise was kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Measured:
    """A part's outcome; ``kept`` is false when a figure breaks a promise."""

    figures: Mapping[str, float]
    detail: Mapping[str, Any] = field(default_factory=dict)
    kept: bool = True


class Unmeasured(Exception):
    """The part cannot be measured here; its figures are then absent. The message says what it needs."""
