"""Answers of a sentence or more, without a judge: word overlap, and every number of the gold."""

from __future__ import annotations

from cosee.evaluation.scorers.core import f1_score
from cosee.evaluation.scorers.numbers import numbers_in
from cosee.evaluation.scorers.score import Score, right
from cosee.evaluation.scorers.thresholds import LEAST_FREE_TEXT_F1, MISSING_NUMBERS_NAMED

NAME = "free_text"
VERSION = "1"
CITATION = "ours: a fixed rule, so that scores need no judge model"


def score(gold: str, prediction: str) -> Score:
    """Right (1.0) at a token F1 of at least 0.5 when every number of the gold stands in the prediction, else 0.0."""
    overlap = f1_score(prediction, gold)
    present = set(numbers_in(prediction))
    missing = [number for number in numbers_in(gold) if number not in present]
    rule = f"FreeText: token F1 {overlap:.2f} of at least {LEAST_FREE_TEXT_F1}, every number of the gold"
    if missing:
        rule += f"; missing {', '.join(missing[:MISSING_NUMBERS_NAMED])}"
    return Score(right(overlap >= LEAST_FREE_TEXT_F1 and not missing), f"{NAME}@{VERSION}", rule)
