"""MMLongBench-Doc's published score, for every question whose format is one of its own."""

from __future__ import annotations

from cosee.artifacts.datasets.questions import Question
from cosee.evaluation.scorers import accuracy, mmlongbench_v1
from cosee.evaluation.scorers.normalisation import normalise
from cosee.evaluation.scorers.score import Answered, PublishedScore, scorer

ORIGINAL_GOLD = "_original_gold"
"""Behind the name of a measure that scores against the gold before published corrections."""


@scorer("mmlongbench_v1", order=10, version=mmlongbench_v1.VERSION, citation=mmlongbench_v1.CITATION, f1=True)
def published(answered: Answered) -> list[PublishedScore]:
    """MMLongBench-Doc's accuracy, three ways; where the gold was corrected after its publication, against both."""
    question = answered.question
    scores = _accuracy(question, answered, "accuracy")
    if question.original is not None:
        scores += _accuracy(question.before_corrections(), answered, f"accuracy{ORIGINAL_GOLD}")
    return scores


def _accuracy(question: Question, answered: Answered, measure: str) -> list[PublishedScore]:
    gold, kind = question.answer, question.answer_format
    if gold is None or kind not in mmlongbench_v1.FORMATS:
        return []
    strict = mmlongbench_v1.score(gold, answered.answer, kind)
    normalised = mmlongbench_v1.score(normalise(gold, kind), normalise(answered.final, kind), kind)
    return [PublishedScore(measure, strict, normalised, accuracy.score_text(question, answered.final))]
