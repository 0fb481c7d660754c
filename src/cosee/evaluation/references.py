"""The rows that methods are read against: a constant answer, the most frequent answer, and the oracle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.metrics import Reference
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.results import QuestionResult, registered, score_question
from cosee.evaluation.summary import block, most_frequent_answer

ORACLE_NOT_RUN = "not run: add 'oracle_pages' to the run's methods, which is given the gold pages and reads them"


def references(
    questions: Sequence[tuple[str, Question]],
    methods: Mapping[str, Sequence[QuestionResult]],
    settings: EvaluateSettings,
) -> list[Reference]:
    """Constant and oracle rows over the same questions, whether or not the run has such methods."""
    scored = [result for result in next(iter(methods.values()), []) if result.scored]
    frequent = most_frequent_answer(scored)
    constant = block(_answered(questions, NOT_ANSWERABLE, settings), settings)
    same = frequent == NOT_ANSWERABLE
    return [
        Reference(
            name="constant",
            figures=constant,
            note="always answers 'Not answerable'",
        ),
        Reference(
            name="majority",
            figures=constant if same else block(_answered(questions, frequent, settings), settings),
            note=f"always answers {frequent!r}, the most frequent gold answer",
        ),
        _oracle(methods, settings),
    ]


def uses_gold(results: Sequence[QuestionResult]) -> bool:
    """Whether a method was given gold fields of a question."""
    return any(result.prediction is not None and result.prediction.uses_gold for result in results)


def _oracle(methods: Mapping[str, Sequence[QuestionResult]], settings: EvaluateSettings) -> Reference:
    found = {name: block(results, settings) for name, results in methods.items() if uses_gold(results)}
    if not found:
        return Reference(name="oracle", note=ORACLE_NOT_RUN)
    best = max(found, key=lambda name: found[name].accuracy or 0.0)
    return Reference(
        name="oracle",
        method=best,
        figures=found[best],
        note="was given the gold pages: what this way of reading reaches when retrieval is perfect",
    )


def _answered(
    questions: Sequence[tuple[str, Question]], answer: str, settings: EvaluateSettings
) -> list[QuestionResult]:
    row = Prediction(
        question_id="",
        doc_id="",
        dataset="",
        method="reference",
        status="ok",
        exit_reason="constant",
        answer=answer,
        abstained=answer == NOT_ANSWERABLE,
    )
    entries = registered()
    return [
        score_question(dataset, question, row, settings.recall_at, entries=entries) for dataset, question in questions
    ]
