"""What a scorer returns, and how one is added: a function in a file of ``evaluation/scorers``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from cosee.artifacts.datasets.questions import Question
from cosee.registry import SCORERS

VARIANTS = ("strict", "normalised", "corrected")


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


@dataclass(frozen=True)
class Answered:
    """A question with a gold answer, and what a method answered."""

    question: Question
    answer: str
    """As the method gave it, for strict scores."""
    final: str
    """With the abstention's one spelling where it abstained."""
    cited: Sequence[int] = ()
    """1-based pages that it cites, in order."""


@dataclass(frozen=True)
class PublishedScore:
    """One measure of one published scorer for one answer. A variant that does not differ in kind is None."""

    measure: str
    strict: Score
    normalised: Score | None = None
    corrected: Score | None = None

    @property
    def name(self) -> str:
        """``<scorer>@<version> <measure>``."""
        return f"{self.strict.scorer} {self.measure}"

    def zero(self, reason: str) -> PublishedScore:
        """The same measure of an answer that is not there."""
        found = {variant: getattr(self, variant) for variant in VARIANTS}
        zeros = {name: replace(score, value=0.0, rule=reason) for name, score in found.items() if score is not None}
        return PublishedScore(self.measure, **zeros)


Publish = Callable[[Answered], list[PublishedScore]]


def scorer(
    name: str,
    *,
    version: str,
    citation: str,
    datasets: Sequence[str] = (),
    description: str = "",
    f1: bool = False,
    order: int = 1000,
) -> Callable[[Publish], Publish]:
    """Register a function that gives a benchmark's own measures of one answer.

    It is asked about questions whose ``source_dataset``, in lower case without separators, starts with one of
    ``datasets``; about every question where that is empty, and then gives nothing for those that it cannot score.
    With ``f1``, MMLongBench-Doc's F1 is made of its accuracies too.
    """
    about = {"datasets": tuple(datasets), "f1": f1}
    return SCORERS.register(
        name, description=description or citation, version=version, citation=citation, order=order, about=about
    )
