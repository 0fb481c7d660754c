from pathlib import Path

import numpy
import pytest
from benchmarks.common import QaSet
from benchmarks.retrieval import collect, ladder, report
from benchmarks.tune_retrieval import Example, fit, is_held_out, scores

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.settings.answer import RetrievalSettings


def question(number: int, pages: list[int], doc_id: str, dataset: str = "set", mode: str = "all") -> Question:
    return Question.model_validate(
        {
            "question_id": f"q{number}", "doc_id": doc_id, "question": "?", "answer": "x", "evidence_pages": pages,
            "evidence_mode": mode, "source_dataset": dataset,
        }
    )  # fmt: skip


def test_ladder_ends_in_the_default_settings_and_adds_one_component_a_rung() -> None:
    rungs = ladder()
    assert rungs["cosee"] == RetrievalSettings()
    rows = [rungs[name].model_dump() for name in rungs if name != "cosee_sparse"]
    for before, after in zip(rows, rows[1:], strict=False):
        assert sum(before[name] != after[name] for name in before) == 1


def test_report_has_ceilings_and_paired_differences() -> None:
    asked = [question(1, [1, 2], "a"), question(2, [3], "b"), question(3, [4, 5], "b", "other", "any")]
    rankings = {
        "q1": {"cosee": [1, 2], "page_bm25": [9, 1]},
        "q2": {"cosee": [3], "page_bm25": [8, 3]},
        "q3": {"cosee": [5], "page_bm25": []},
    }
    values, documents = collect(QaSet(Path(), asked), rankings)
    figures, intervals, paired = report(values, documents)
    assert figures["recall@1.set.cosee"] == 0.75 == figures["recall@1.set.ceiling"]
    assert figures["recall@1.all.ceiling"] == pytest.approx(2.5 / 3)
    assert figures["all_gold@3.all.cosee"] == 1.0 and figures["mrr.set.page_bm25"] == 0.5
    assert paired["recall@1.all.cosee-page_bm25"]["difference"] == pytest.approx(2.5 / 3, abs=1e-6)
    low, high = paired["recall@1.all.cosee-page_bm25"]["interval"]
    assert low <= 2.5 / 3 <= high and intervals["recall@1.other.cosee"] is None, "one document has no interval"


def test_fitted_weights_favour_the_view_that_tells_the_gold_page() -> None:
    telling, noise = numpy.array([0.0, 1.0, 0.0]), numpy.array([1.0, 0.0, 0.0])
    rows = [
        Example(question(n, [2], f"d{n}"), numpy.stack([telling, noise]), numpy.zeros(3), numpy.array([1]))
        for n in range(4)
    ]
    weights = fit(rows, [1.0, 1.0])
    assert weights[0] > 1 and weights[1] == 0 and weights == fit(rows, [1.0, 1.0])
    assert scores(rows, weights) == {"recall@1": 1.0, "recall@5": 1.0, "mrr": 1.0}


def test_questions_are_held_out_by_their_split_or_else_by_their_document() -> None:
    sides = {number: is_held_out(question(number, [1], f"document {number}")) for number in range(100)}
    assert 30 < sum(sides.values()) < 70
    for number, side in sides.items():
        asked = question(number, [2], f"document {number}")
        assert is_held_out(asked) == side, "every question about a document is on one side"
        assert not is_held_out(asked.model_copy(update={"split": "dev"}))
        assert is_held_out(asked.model_copy(update={"split": "heldout"}))
