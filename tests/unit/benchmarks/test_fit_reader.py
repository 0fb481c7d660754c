"""Folds, how sure an answer is and the figures of reading."""

import numpy
import pytest
from benchmarks.answers import calibration_error
from benchmarks.fit_reader import evening, fit_absence, folds_of
from benchmarks.folds import fold_weights
from benchmarks.reader_evidence import Recorded

from cosee.artifacts.datasets.questions import Question
from cosee.reader.weights import fitted, likely, probability, score


def recorded(doc_id: str, source: str = "s") -> Recorded:
    return Recorded(Question(question_id="q", doc_id=doc_id, question="Why?", source_dataset=source), [], None)


def test_a_family_of_documents_is_in_one_fold():
    found = folds_of([recorded(each) for each in ("A_1", "A_2", "A_2", "b", "c")], 2)
    assert found["A_1"] == found["A_2"] != found["b"] == found["c"]


def test_what_all_ids_of_a_source_begin_with_makes_no_family():
    rows = [recorded(each, "named") for each in ("N_plan_1", "N_plan_2", "N_book")]
    found = folds_of(rows, 2)
    assert found["N_plan_1"] == found["N_plan_2"] != found["N_book"]


def test_odds_are_evened_by_what_was_right_out_of_fold():
    odds = numpy.array([-4.0, -2.0, 2.0, 4.0] * 100)
    right = numpy.array([0.0, 0.0, 1.0, 0.0] * 50 + [0.0, 1.0, 0.0, 1.0] * 50)
    slope, more = evening(odds, right)
    assert 0 < slope < 1, "what is right half of the time is no sure thing"
    assert more == pytest.approx(numpy.log(3 / 5), abs=0.2)


def test_a_quarter_of_the_questions_count_as_without_an_answer():
    rows = [{"absent": 0.0}] * 90 + [{"absent": 1.0}] * 10
    told = fit_absence(rows, numpy.array([1.0] * 90 + [0.0] * 5 + [1.0] * 5))
    there, absent = probability(told, {"absent": 0.0}), probability(told, {"absent": 1.0})
    assert there < 0.25 < absent, "what stands nowhere speaks for no answer"
    alike = fit_absence([{"absent": 0.5}] * 100, numpy.array([1.0] * 95 + [0.0] * 5))
    assert probability(alike, {"absent": 0.5}) == pytest.approx(0.25, abs=0.01)


def test_the_calibration_error_is_the_distance_within_bins():
    assert calibration_error([]) is None
    assert calibration_error([(0.5, 1.0), (0.5, 0.0), (0.9, 0.0)]) == pytest.approx(0.3)


def test_linear_models_read_their_tables():
    assert score({"bias": 1.0, "a": 2.0}, {"a": 0.5, "b": 9.0}) == 2.0
    shares = likely({"x": {"w": 1.0}, "y": {}}, ["w"])
    assert shares["x"] > shares["y"] and sum(shares.values()) == pytest.approx(1.0)
    assert fold_weights("a document that nobody fitted on") == fitted()
