"""Settings of M4: ``evaluate:`` of the configuration."""

from __future__ import annotations

from pydantic import Field

from cosee.artifacts.base import Record


class EvaluateSettings(Record):
    """M4: scores and the report."""

    recall_at: list[int] = Field([1, 3, 5, 10], min_length=1, description="k of page recall@k.")
    bootstrap: int = Field(1000, ge=0, description="Resamples over documents for the 95 % intervals; 0 for none.")
    seed: int = Field(0, description="Seed of the resampling.")
