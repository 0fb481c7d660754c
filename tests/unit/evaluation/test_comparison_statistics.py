"""Intervals, McNemar, Holm, seeds and the rows that methods are read against."""

from math import comb

import pytest
from helpers.run_maker import QUESTIONS, predictions
from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.compare import compare, holm, mcnemar
from cosee.evaluation.intervals import bootstrap_mean, bootstrap_ratio
from cosee.evaluation.references import references
from cosee.evaluation.results import QuestionResult, join
from cosee.evaluation.seeds import seed_groups, spread
from cosee.evaluation.summary import block, f1_interval, generalized_f1, method_metrics

SETTINGS = EvaluateSettings(bootstrap=200, recall_at=[1, 3])
ASKED = [("small", question) for question in QUESTIONS]


def results(method: str, **changes: object) -> list[QuestionResult]:
    return join(ASKED, [row.model_copy(update=changes) for row in predictions(method)], [1, 3])[0]


@settings(deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int) -> None:
    total, fewer = first + second, min(first, second)
    tail = sum(comb(total, k) for k in range(fewer + 1)) / 2**total
    assert mcnemar(first, second) == pytest.approx(min(1.0, 2 * tail))
    assert mcnemar(first, second) == mcnemar(second, first)


def test_holm_steps_down() -> None:
    assert holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]
    assert holm([0.5, 0.9]) == [1.0, 1.0] and holm([]) == []
    assert holm([1e-12]) == [1e-12], "a small p does not become 0"


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), max_size=8))
def test_holm_only_raises_and_keeps_the_order(values: list[float]) -> None:
    adjusted = holm(values)
    assert all(value <= found * (1 + 1e-5) and found <= 1 for value, found in zip(values, adjusted, strict=True))
    ranked = [found for _, found in sorted(zip(values, adjusted, strict=True))]
    assert ranked == sorted(ranked)


def test_pairs_are_tested_and_corrected() -> None:
    first, second, third = compare({name: results(name) for name in ("cosee", "page_rag", "constant")}, SETTINGS)
    # cosee has all seven right, page_rag four, the constant one.
    assert (first.first_only_right, first.second_only_right, first.mcnemar_p) == (3, 0, 0.25)
    assert (second.first_only_right, second.second_only_right, second.mcnemar_p) == (6, 0, 0.03125)
    assert (third.first_only_right, third.second_only_right, third.mcnemar_p) == (3, 0, 0.25)
    assert [each.mcnemar_p_holm for each in (first, second, third)] == [0.5, 0.09375, 0.5]


def test_a_ratio_is_drawn_as_a_ratio() -> None:
    values, weights, documents = [1.0, 0.0, 2.0, 0.0], [1.0, 1.0, 2.0, 0.0], ["a", "a", "b", "c"]
    interval = bootstrap_ratio(values, weights, documents, resamples=400, seed=0)
    assert interval is not None and (interval.low, interval.high) == (0.0, 1.0)
    ones = [1.0] * 4
    assert bootstrap_ratio(values, ones, documents, resamples=99, seed=3) == bootstrap_mean(
        values, documents, resamples=99, seed=3
    )


def test_f1_and_recall_have_intervals_around_them() -> None:
    scored = [result for result in results("page_rag") if result.scored]
    interval = f1_interval(scored, resamples=500, seed=0)
    assert interval is not None and interval.low <= (generalized_f1(scored) or 0) <= interval.high
    figures = block(results("cosee"), SETTINGS)
    assert set(figures.pages.recall_interval) == {"1", "3"} and figures.cited_pages.f1_interval is not None
    assert block(results("cosee"), SETTINGS, intervals=False).pages.recall_interval == {}


def test_seeds_are_summarised_and_compared_as_one_method() -> None:
    methods = {"cosee_seed0": results("cosee", seed=0), "page_rag": results("page_rag"),
               "cosee_seed1": results("page_rag", seed=1)}  # fmt: skip
    seeded = {"cosee": {"cosee_seed0": 0, "cosee_seed1": 1}}
    (group,) = seed_groups({name: method_metrics(rows, SETTINGS) for name, rows in methods.items()}, seeded)
    assert (group.method, group.labels, group.seeds) == ("cosee", ["cosee_seed0", "cosee_seed1"], [0, 1])
    accuracy = group.figures["accuracy"]
    assert (accuracy.low, accuracy.high) == (pytest.approx(4 / 7, abs=1e-6), 1.0)
    assert accuracy.mean == pytest.approx(5.5 / 7, abs=1e-6)
    assert accuracy.sd == pytest.approx(3 / 7 / 2**0.5, abs=1e-5), "the sample's, over n - 1"
    assert {"f1", "page_recall@1", "cited_page_f1", "tokens_in"} <= set(group.figures)
    (pair,) = compare(methods, SETTINGS, {name: list(labels) for name, labels in seeded.items()})
    assert (pair.first, pair.second, pair.difference) == ("cosee", "page_rag", pytest.approx(1.5 / 7, abs=1e-6))
    assert (pair.first_better, pair.ties) == (3, 4)
    assert pair.first_only_right == 3, "right with one of two seeds is a mean of 0.5"
    assert spread([0.25]).sd is None and seed_groups({}, {}) == []


def test_constant_majority_and_oracle_rows_are_always_there() -> None:
    constant, majority, oracle = references(ASKED, {"page_rag": results("page_rag")}, SETTINGS)
    assert constant.figures is not None and constant.figures.accuracy == pytest.approx(1 / 7, abs=1e-6)
    assert constant.figures.coverage == 0.0 and constant.figures.abstention.recall == 1.0
    assert constant.figures == block(results("constant", model="", model_revision=""), SETTINGS)
    assert majority.figures is not None and majority.figures.questions == len(QUESTIONS)
    assert oracle.figures is None and "oracle_pages" in oracle.note
    gold = {"oracle_pages": results("cosee", uses_gold=True), "weaker": results("page_rag", uses_gold=True)}
    (*_, oracle) = references(ASKED, {"page_rag": results("page_rag"), **gold}, SETTINGS)
    assert oracle.method == "oracle_pages" and oracle.figures is not None and oracle.figures.accuracy == 1.0
    assert NOT_ANSWERABLE in constant.note
