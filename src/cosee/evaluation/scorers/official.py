"""Which published scorers apply to a question, and their measures: strict, after our normalisation, and corrected."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.datasets.questions import Question
from cosee.evaluation.scorers import accuracy, core, free_text, judge
from cosee.evaluation.scorers.score import Answered, PublishedScore
from cosee.registry import SCORERS, Entry

OURS = (accuracy, core, free_text, judge)
"""Scorers that are no benchmark's own."""


def catalogue() -> dict[str, str]:
    """Scorer name -> version and source, for provenance."""
    ours = {scorer.NAME: f"version {scorer.VERSION}; {scorer.CITATION}" for scorer in OURS}
    return ours | {each.name: f"version {each.version}; {each.citation}" for each in SCORERS.entries()}


def published_scores(
    question: Question,
    answer: str,
    final: str | None = None,
    cited: Sequence[int] = (),
    scorers: Sequence[Entry] | None = None,
) -> list[PublishedScore]:
    """MMLongBench-Doc's score for its formats, and the measures of the question's own benchmark.

    ``answer`` is what the method gave, for the strict scores; ``final`` the abstention's one spelling where it
    abstained, by default ``answer``; ``cited`` the 1-based pages that it cites, in order. ``scorers`` are by
    default all that are registered.
    """
    if question.answer in (None, "", []):
        return []
    answered = Answered(question, answer, answer if final is None else final, cited)
    source = question.source_key
    return [
        score
        for entry in (SCORERS.entries() if scorers is None else scorers)
        if not entry.about["datasets"] or source.startswith(entry.about["datasets"])
        for score in entry.thing(answered)
    ]
