"""F1 of words."""

from __future__ import annotations

from cosee.evaluation.measure import measure
from cosee.evaluation.results import QuestionResult, gold_texts
from cosee.evaluation.scorers import core
from cosee.evaluation.scorers.score import Score


@measure(
    "token_f1",
    order=20,
    description="F1 of the words of the answer and of a gold answer",
    citation="Rajpurkar et al., SQuAD, EMNLP 2016",
)
def token_f1(result: QuestionResult) -> Score | None:
    """By the best of the gold answers; nothing where there is none."""
    golds = gold_texts(result.question)
    return Score(core.f1_score(result.text, golds), f"{core.NAME}@{core.VERSION}", "token_f1") if golds else None
