"""Average normalised Levenshtein similarity."""

from __future__ import annotations

from cosee.evaluation.measure import measure
from cosee.evaluation.results import QuestionResult, gold_texts
from cosee.evaluation.scorers import core
from cosee.evaluation.scorers.score import Score


@measure(
    "anls",
    order=30,
    description="Edit similarity of the answer and a gold answer; below a half it is 0",
    citation="Biten et al., Scene Text VQA, ICCV 2019",
)
def anls(result: QuestionResult) -> Score | None:
    """By the best of the gold answers; nothing where there is none."""
    golds = gold_texts(result.question)
    return Score(core.anls(result.text, golds), f"{core.NAME}@{core.VERSION}", "anls") if golds else None
