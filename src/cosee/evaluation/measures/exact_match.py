"""Exact match."""

from __future__ import annotations

from cosee.evaluation.measure import measure
from cosee.evaluation.results import QuestionResult, gold_texts
from cosee.evaluation.scorers import core
from cosee.evaluation.scorers.score import Score


@measure(
    "exact_match",
    order=10,
    description="Whether the answer is a gold answer, word by word after normalisation",
    citation="Rajpurkar et al., SQuAD, EMNLP 2016",
)
def exact_match(result: QuestionResult) -> Score | None:
    """By the best of the gold answers; nothing where there is none."""
    golds = gold_texts(result.question)
    return Score(core.exact_match(result.text, golds), f"{core.NAME}@{core.VERSION}", "exact_match") if golds else None
