"""Answers of a sentence or more, without a judge: word overlap, and every number of the gold."""

from __future__ import annotations

from cosee.evaluation.scorers.core import f1_score
from cosee.evaluation.scorers.numbers import numbers_in
from cosee.evaluation.scorers.score import Score, right

NAME = "free_text"
VERSION = "1"
CITATION = "ours: a fixed rule, so that scores need no judge model"
THRESHOLD = 0.5


def score(gold: str, prediction: str) -> Score:
    """Right (1.0) at a token F1 of at least 0.5 when every number of the gold stands in the prediction, else 0.0."""
    overlap = f1_score(prediction, gold)
    present = set(numbers_in(prediction))
    missing = [number for number in numbers_in(gold) if number not in present]
    rule = f"FreeText: token F1 {overlap:.2f} of at least {THRESHOLD}, every number of the gold"
    if missing:
        rule += f"; missing {', '.join(missing[:5])}"
    return Score(right(overlap >= THRESHOLD and not missing), f"{NAME}@{VERSION}", rule)
