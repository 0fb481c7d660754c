from pathlib import Path

import numpy
import pytest
from benchmarks.common import QaSet
from benchmarks.folds import FOLDS, PAGES, document_key, fold_of, unseen_weights
from benchmarks.page_curve import at_mean, curve, given_pages
from benchmarks.retrieval import collect, ladder, report
from benchmarks.tune_retrieval import Asked, Example, fit, needed_pages

from cosee.artifacts import files
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.retrieval.page_weights import PageWeights


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
    assert fit(rows, [1.0, 1.0], [True, True])[1] < 0, "below zero only where it may be"


def test_any_one_of_the_gold_pages_is_enough_where_the_question_says_so() -> None:
    views = {"named_page": numpy.zeros(4)}
    rows = [Asked(question(n, [2, 4], "d", mode=mode), views, None) for n, mode in enumerate(("all", "any"))]
    assert [needed_pages(row, [4, 1, 2]).tolist() for row in rows] == [[1, 0, 1], [1, 0, 0]]


def test_curve_tells_questions_that_need_several_pages_apart() -> None:
    asked = [question(1, [1, 2], "a"), question(2, [3], "b"), question(3, [4, 5], "b", "other", "any")]
    given = {"q1": given_pages([2, 9, 1], 3), "q2": given_pages([9, 3], 1), "q3": given_pages([5, 8, 4], 1)}
    found = curve(QaSet(Path(), asked), given)
    assert (
        found["complete.all.multi.k2"] == 0 and found["complete.all.multi.k3"] == 1 == found["complete.all.multi.auto"]
    )
    assert found["complete.all.single.k1"] == 0.5 == found["complete.all.single.auto"]
    assert found["complete.other.single.k1"] == 1 and found["pages.all.single.auto"] == 1
    assert found["pages.all.multi.k10"] == 3, "no more than there are"
    assert at_mean(found, "multi", 2.5) == 0.5


def test_a_document_is_judged_by_weights_that_were_not_fitted_on_it() -> None:
    table = files.read_json(PAGES)
    assert PageWeights() == PageWeights(**table["all"]), "what is shipped is what was fitted on all"
    assert len(table["folds"]) == FOLDS and len({str(each) for each in table["folds"]}) == FOLDS
    assert {fold_of(f"document {number}") for number in range(100)} == set(range(FOLDS))
    assert unseen_weights("of another set") == PageWeights()
    assert any(document_key(each) in table["documents"] for each in ("nova_y70", "watch_d"))
    assert unseen_weights("nova_y70") == PageWeights(**table["folds"][fold_of("nova_y70")])
