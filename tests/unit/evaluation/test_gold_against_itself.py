"""The gold answers of the measuring set, given as answers: which of them the scorers do not take, and why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cosee.artifacts.datasets.questions import Question
from cosee.evaluation.scorers import accuracy
from cosee.evaluation.scorers.official import published_scores
from cosee.evaluation.scorers.score import PublishedScore

pytestmark = pytest.mark.shared

MMLONGBENCH_NOT_RIGHT: dict[str, str] = {}
"""question -> reason, for MMLongBench-Doc-V2's rows: none. Its corrections removed the five of version 1 that fail."""

REASONS = {
    "Int: not a number": "thousands separators or words in an Int",
    "Float: the published code raises ValueError for this gold": "separators, signs or a scale word in a Float",
}
"""Why the strict scorer gives 0 to golds of other sources, to which it was never meant to be applied."""


@pytest.fixture(scope="module")
def rows(shared: Path) -> list[dict[str, Any]]:
    text = (shared / "qa" / "questions.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def itself(row: dict[str, Any]) -> tuple[Question, str, list[PublishedScore]]:
    question = Question(
        question_id=row["qid"],
        doc_id=row["doc_id"],
        question=row["question"],
        answer=row["answer"],
        answer_format=row["answer_format"],
        source_dataset=row["source_dataset"],
    )
    answer = row["answer"] if isinstance(row["answer"], str) else repr(row["answer"])
    return question, answer, published_scores(question, answer)


def test_mmlongbench_rows_are_right_or_explained(rows: list[dict[str, Any]]) -> None:
    ours = [row for row in rows if row["source_dataset"].startswith("MMLongBench-Doc")]
    wrong = {}
    for row in ours:
        _, _, (score,) = itself(row)
        assert score.corrected is not None and score.corrected.value == 1.0, row["qid"]
        assert score.normalised is not None and score.normalised.value == 1.0, row["qid"]
        if score.strict.value != 1.0:
            wrong[row["qid"]] = score.strict.rule
    assert len(ours) == 379 and wrong == MMLONGBENCH_NOT_RIGHT


def test_every_gold_is_right_by_the_headline_accuracy(rows: list[dict[str, Any]]) -> None:
    for row in rows:
        question, answer, scores = itself(row)
        assert accuracy.score_text(question, answer).value == 1.0, row["qid"]
        for score in scores:
            assert score.normalised is not None and score.normalised.value == 1.0, row["qid"]
            assert score.strict.value == 1.0 or score.strict.rule in REASONS, (row["qid"], score.strict)
