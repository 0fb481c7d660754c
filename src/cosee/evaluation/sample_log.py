"""Lines of ``samples.jsonl`` from scored questions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.sample_log import BoardCell, SampleLine, ScoreLine
from cosee.evaluation.attribution import cause, is_right
from cosee.evaluation.results import QuestionResult, cited_pages
from cosee.evaluation.scorers.score import VARIANTS, PublishedScore, Score


def sample_line(method: str, result: QuestionResult, board: Sequence[BoardCell] | None) -> SampleLine:
    """One question under one method; ``board`` holds the cells at the end, None for a method without a board."""
    question, prediction = result.question, result.prediction
    return SampleLine(
        dataset=result.dataset,
        question_id=question.question_id,
        doc_id=question.doc_id,
        method=method,
        seed=prediction.seed if prediction else None,
        question=question.question,
        gold=question.answer,
        answer=prediction.answer if prediction else None,
        status=result.status,
        abstained=result.abstained,
        correct=is_right(result) if result.scored else None,
        cause=cause(result) if result.scored else None,
        confidence=prediction.confidence if prediction else None,
        scores={name: _line(score) for name, score in result.scores.items()},
        official={score.name: _variants(score) for score in result.published},
        usage=prediction.usage if prediction else None,
        **{
            "cited_pages": cited_pages(prediction),
            "gold_pages": question.evidence_pages,
            "retrieved_pages": prediction.retrieved_pages if prediction else [],
            **_documents(question, prediction),
        },
        board=None if board is None else list(board),
    )


def _documents(question: Question, prediction: Prediction | None) -> dict[str, Any]:
    """The documents of the pages, of a question over several; there each page stands once a document."""
    if question.doc_id:
        return {}
    cited = prediction.cited if prediction else []
    return {
        "cited_pages": [page for _, page in cited],
        "cited_documents": [name for name, _ in cited],
        "gold_documents": question.evidence_documents,
        "retrieved_documents": prediction.retrieved_documents if prediction else [],
    }


def _variants(score: PublishedScore) -> dict[str, ScoreLine]:
    found = {variant: getattr(score, variant) for variant in VARIANTS}
    return {variant: _line(value) for variant, value in found.items() if value is not None}


def _line(score: Score) -> ScoreLine:
    return ScoreLine(value=round(score.value, 6), rule=score.rule)
