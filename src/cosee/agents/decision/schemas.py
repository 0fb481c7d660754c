"""The typed replies of the decision agent's model."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from cosee.models.reply_schema import OPTIONAL


class Decision(BaseModel):
    """Which tool to call next."""

    reasoning: str = Field("", description="Why this tool, in one sentence.")
    tool: str = Field(min_length=1, max_length=80, description="Name of one of the available tools.")
    inputs: dict[str, Any] = Field(default_factory=dict, description="The tool's inputs, as its specification says.")
    should_end: bool = Field(False, description="Whether this tool is the last.")
    impossible: bool = Field(
        False, description="True if the document cannot answer the question.", json_schema_extra=OPTIONAL
    )


class Interpretation(BaseModel):
    """What a page's picture tells about the question."""

    interpretation: str = Field(min_length=1, description="What the page shows about the question, values included.")


class SummaryPoint(BaseModel):
    """One finding."""

    page: int = Field(description="Page of the finding: the number after page= in the evidence.")
    text: str = Field(min_length=1, description="The finding, numbers and names copied exactly.")


class Summary(BaseModel):
    """The findings of a summary."""

    points: list[SummaryPoint] = Field(min_length=1)
