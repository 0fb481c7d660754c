"""``costs.json``: what a run cost. A value that was not measured is null, never 0."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from cosee.artifacts.base import Artifact, Record


class Seconds(Record):
    """Measured seconds (a question, a document, a call); they differ from run to run."""

    measured: int
    total: float
    p50: float
    p95: float
    max: float


class MethodCost(Record):
    """Totals of one method."""

    questions: int
    calls: int
    tokens_in: int
    tokens_out: int
    tokens_cached: int
    images: int
    accuracy_per_1000_tokens: float | None = None
    """Accuracy over the mean tokens of a question, read and written, in thousands; null where no token was spent."""
    seconds: Seconds | None = None
    parts: dict[str, Seconds] = Field(default_factory=dict)
    """Part of answering that the method timed (a tool of the decision agent) -> its calls."""
    peak_rss_mb: float | None = None
    """Most memory that a job of the method held."""


class StageCost(Record):
    """What one stage took over all documents, as far as it was measured. Calls and tokens are those of its model."""

    documents: int
    """Documents that were measured."""
    seconds: Seconds | None = None
    """Seconds a document."""
    peak_rss_mb: float | None = None
    jobs: int = 0
    """Jobs that the scheduler measured; a job that had nothing to do is measured too."""
    job_seconds: float = 0.0
    """Wall time of these jobs."""
    cpu_seconds: float = 0.0
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    images: int = 0


class Costs(Artifact):
    """``results/<run>/costs.json``: the one file of a run that holds measured values and so does not repeat."""

    schema_name: ClassVar[str] = "cosee.costs"

    run: str
    stages: dict[str, StageCost] = Field(default_factory=dict)
    """M0 to M2, each stage of the run's datasets, the judge's and that of ``evaluate.evidence``."""
    methods: dict[str, MethodCost]
