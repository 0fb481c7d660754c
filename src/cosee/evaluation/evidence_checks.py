"""Whether an answer's evidence carries it, by what a model answered from it alone and without it."""

from __future__ import annotations

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.evidence_check import EvidenceCheck
from cosee.artifacts.results.prediction import Prediction
from cosee.evaluation.scorers import accuracy
from cosee.evaluation.thresholds import RIGHT_SCORE


def is_checked(prediction: Prediction | None) -> bool:
    """Whether a model is asked about an answer's evidence: a failed one has none, and an abstention claims none."""
    return (
        prediction is not None
        and prediction.status in ("ok", "partial")
        and accuracy.final_answer(prediction) not in ("", NOT_ANSWERABLE)
    )


def is_sufficient(question: Question, answer: str, check: EvidenceCheck | None) -> bool:
    """Whether the evidence alone gives an equal answer; not where nothing is cited, or a call failed."""
    return check is not None and check.from_evidence is not None and same(question, answer, check.from_evidence)


def is_necessary(question: Question, answer: str, check: EvidenceCheck | None) -> bool:
    """Whether the answer changes or is withheld without the evidence; not where none is cited, or a call failed."""
    return (
        check is not None and check.without_evidence is not None and not same(question, answer, check.without_evidence)
    )


def same(question: Question, first: str, second: str) -> bool:
    """Whether two answers are equal by the rules of ``accuracy`` for the question's format, one taken as gold."""
    kind = None if question.answer_format == "None" else question.answer_format
    asked = question.model_copy(update={"answer": first, "answer_alt": [], "answer_format": kind})
    return accuracy.score_text(asked, second).value >= RIGHT_SCORE
