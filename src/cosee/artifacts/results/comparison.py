"""``comparison.json`` of ``cosee compare``: two methods on the same questions, and why their answers differ."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from cosee.artifacts.base import Artifact, Record
from cosee.artifacts.results.metrics import Cause, Comparison

Direction = Literal["right_to_wrong", "wrong_to_right"]
"""From the first side to the second."""
DIRECTIONS: tuple[Direction, ...] = ("right_to_wrong", "wrong_to_right")


class Verdict(Record):
    """What became of one answer."""

    cause: Cause
    proven: bool
    """Whether a swap proves the stage: with that stage's output replaced by an oracle's the answer is right, or with
    everything before it replaced it still is wrong."""
    because: str
    """What was seen, and which swap proved it or why none did."""


class SideAnswer(Record):
    """One side's answer to a question; ``score`` is the accuracy scorer's, 0..1."""

    answer: str
    score: float


class Flip(Record):
    """A question that one side has right and the other wrong."""

    dataset: str
    question_id: str
    doc_id: str
    question: str
    gold: str
    direction: Direction
    first: SideAnswer
    second: SideAnswer
    fault: Verdict
    """Of the wrong side."""


class Side(Record):
    """One side of a comparison."""

    run: str
    method: str
    models: list[str] = Field(default_factory=list)
    """``name@revision`` of the models that answered."""
    accuracy: float | None = None
    """Over the shared questions."""
    causes: dict[Cause, int] = Field(default_factory=dict)
    """Every shared question once: right, or the stage at fault."""
    only: int = 0
    """Answers to questions that the other side does not have."""


class SettingDifference(Record):
    """A setting in which the sides differ; null where one has no such setting."""

    setting: str
    first: str | None = None
    second: str | None = None


class MethodComparison(Record):
    """Two methods on the questions that both answered and that have the same words and gold on both sides."""

    first: Side
    second: Side
    questions: int
    documents: int
    changed_questions: list[str] = Field(default_factory=list)
    """``dataset/question_id`` whose words or gold differ between the sides; they are left out."""
    settings: list[SettingDifference] = Field(default_factory=list)
    paired: Comparison
    """Accuracy of the first side minus that of the second, with its interval over documents."""
    flips: list[Flip] = Field(default_factory=list)
    faults: dict[Direction, dict[Cause, int]] = Field(default_factory=dict)
    """Flips by direction and stage at fault."""
    notes: list[str] = Field(default_factory=list)


class RunComparison(Artifact):
    """What ``cosee compare --json`` writes: a comparison for each method that both runs have, or of the two named."""

    schema_name: ClassVar[str] = "cosee.run_comparison"

    comparisons: list[MethodComparison]
