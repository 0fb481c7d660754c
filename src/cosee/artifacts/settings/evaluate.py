"""Settings of M4: ``evaluate:`` of the configuration."""

from __future__ import annotations

from pydantic import Field, field_validator

from cosee.artifacts.base import Record


class EvaluateSettings(Record):
    """M4: scores and the report."""

    recall_at: list[int] = Field([1, 3, 5, 10], min_length=1, description="k of page recall@k.")
    bootstrap: int = Field(1000, ge=0, description="Resamples over documents for the 95 % intervals; 0 for none.")
    seed: int = Field(0, description="Seed of the resampling.")
    judge: str | None = Field(
        None,
        description="A name in config/models.yaml: this model judges FreeText and MMLongBench-Doc-V2 answers; by "
        "default rules score them.",
    )
    evidence: str | None = Field(
        None,
        description="A name in config/models.yaml: this model says whether the evidence carries each answer, two calls "
        "an answer (measures evidence_sufficient and evidence_necessary); by default none is asked.",
    )
    samples: bool = Field(
        True, description="Write samples.jsonl: a line for each question and method, with its board at the end."
    )

    @field_validator("judge")
    @classmethod
    def _can_judge(cls, judge: str | None) -> str | None:
        if judge == "embedded":
            raise ValueError(
                "'embedded' is no model and cannot judge; name another one, or leave 'judge' out for rules"
            )
        return judge
