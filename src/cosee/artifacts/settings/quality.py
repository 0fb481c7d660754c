"""Settings of the image-quality planner: ``quality:`` of the configuration."""

from __future__ import annotations

from pydantic import Field, model_validator

from cosee.artifacts.base import Record


class QualitySettings(Record):
    """Questions about an image's quality (``cosee quality``). ``${NAME}`` and ``${NAME:-default}`` are taken from the
    environment."""

    backend: str = Field(
        "embedded", min_length=1, description="Who plans: a name in config/models.yaml; 'embedded' plans by rules."
    )
    temperature: float = Field(0.0, ge=0, le=2, description="Sampling temperature of the planner's model.")
    max_tokens: int = Field(2048, ge=16, description="Longest reply of the planner's model.")
    top_p: float = Field(0.1, gt=0, le=1, description="Nucleus of the planner's model.")
    retry_attempts: int = Field(3, ge=0, le=3, description="Tries after the first, each worded more strictly.")
    fallback_backend: str | None = Field(
        None, min_length=1, description="Another name: asked where 'backend' gave no valid plan."
    )

    @model_validator(mode="after")
    def _check(self) -> QualitySettings:
        if self.fallback_backend == self.backend:
            raise ValueError(f"fallback_backend is {self.backend!r}, which is the backend itself; name another or none")
        return self
