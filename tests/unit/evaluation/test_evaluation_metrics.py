"""Accuracy by format, retrieval measures, intervals, summaries."""

import ast
import math
from pathlib import Path

import pytest
from helpers.run_maker import QUESTIONS, predictions
from hypothesis import given
from hypothesis import strategies as st

import cosee.evaluation
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.metrics import Metrics
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.datasets.literals import read_list
from cosee.evaluation.compare import compare
from cosee.evaluation.costs import method_cost
from cosee.evaluation.intervals import bootstrap_mean
from cosee.evaluation.results import join, score_question
from cosee.evaluation.retrieval_metrics import score_citation, score_pages
from cosee.evaluation.scorers import accuracy, core, free_text, longdocurl, mmlongbench_v1, official
from cosee.evaluation.scorers.numbers import numbers_in, read_number
from cosee.evaluation.scorers.text import similarity
from cosee.evaluation.summary import block, generalized_f1, method_metrics, without_intervals

SETTINGS = EvaluateSettings(bootstrap=200)


def test_normalize_answer() -> None:
    # contract: C57
    assert core.normalize_answer("  The NET   Income! ") == "net income"
    assert core.normalize_answer("−3.50 %") == "-3.50%"
    assert core.normalize_answer("state-of-the-art") == "state of art"
    assert core.normalize_answer("...") == "..."


def test_best_of_several_golds() -> None:
    # contract: C58, C59, C60
    for metric in (core.exact_match, core.f1_score, core.anls):
        assert metric("b", ["a", "b"]) == 1.0 and 0.0 <= metric("a b", ["a c", "zz"]) <= 1.0


def test_aggregate() -> None:
    # contract: C61
    assert core.aggregate_metrics(["a", ""], ["a", ["b", "c"]]) == {"em": 0.5, "f1": 0.5, "anls": 0.5}
    assert core.aggregate_metrics([], []) == {"em": 0.0, "f1": 0.0, "anls": 0.0}
    with pytest.raises(ValueError, match="2 predictions for 1"):
        core.aggregate_metrics(["a", "b"], ["a"])
    with pytest.raises(ValueError, match="empty"):
        core.aggregate_metrics(["a"], [[]])


def test_an_answer_of_signs_alone_is_itself_and_nothing_else():
    assert core.exact_match("'", "'") == core.f1_score("'", "'") == 1.0
    assert core.f1_score("", "42") == core.f1_score("'", "42") == 0.0


@given(st.text(max_size=30), st.text(max_size=30))
def test_core_metrics_are_shares(pred: str, gold: str) -> None:
    if not gold.strip():
        return
    for metric in (core.exact_match, core.f1_score, core.anls):
        assert 0.0 <= metric(pred, gold) <= 1.0
    assert core.exact_match(gold, gold) == core.f1_score(gold, gold) == core.anls(gold, gold) == 1.0


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["Int", "Float", "Str", "List", "None", "Bool"]))
def test_scorers_never_raise_and_stay_in_range(gold: str, pred: str, kind: str) -> None:
    for score in (accuracy.score_answer(gold, pred, kind), mmlongbench_v1.score(gold, pred, kind),
                  longdocurl.score(gold, pred, kind)):  # fmt: skip
        assert 0.0 <= score.value <= 1.0 and score.rule and "@" in score.scorer


def plain_edit_distance(first: str, second: str) -> int:
    """The table, row by row."""
    row = list(range(len(second) + 1))
    for line, one in enumerate(first, start=1):
        above, row = row, [line]
        for column, other in enumerate(second, start=1):
            row.append(min(above[column] + 1, row[-1] + 1, above[column - 1] + (one != other)))
    return row[-1]


@given(st.text(max_size=12), st.text(max_size=12))
def test_similarity_is_the_edit_distance_over_the_longer_length(first: str, second: str) -> None:
    lengths = sorted((len(first), len(second)))
    if lengths[1] and lengths[0] >= 0.5 * lengths[1]:
        assert similarity(first, second) == 1.0 - plain_edit_distance(first, second) / lengths[1]
    assert similarity(first, second) == similarity(second, first)
    assert (similarity(first, second) == 1.0) == (first == second)


@pytest.mark.parametrize(
    ("gold", "answer", "kind", "value"),
    [
        ("1,204", "1204 ships", "Int", 1),
        ("1204", "about 1204", "Int", 0),
        ("5", "5.0", "Int", 1),
        ("5", "5.4", "Int", 0),
        ("yes", "Yes.", "Int", 1),
        ("14:04 CET", "14:04 CET", "Int", 1),
        ("$ 17966 million", "17,966", "Float", 1),
        ("12.5 million", "12,500,000", "Float", 1),
        ("12.5 million", "12.5 billion", "Float", 0),
        ("25%", "0.25", "Float", 1),
        ("25%", "25", "Float", 1),
        ("25%", "2500%", "Float", 0),
        ("25%", "-25%", "Float", 0),
        ("3,5", "3.5", "Float", 1),
        ("1.234.567", "1,234,567", "Float", 1),
        ("3.4", "about 3.4", "Float", 0),
        ("Yes", "yes, it is", "Bool", 1),
        ("No", "Not at all", "Bool", 0),
        ("Nein", "no", "Bool", 1),
        ("Yes", "perhaps", "Bool", 0),
        ("After", "after", "Bool", 1),
        (["a", "b"], "['b', 'a']", "List", 1),
        (["a", "b"], "b and a", "List", 1),
        (["1", "2,000"], "2000; 1", "List", 1),
        (["a"], "a", "List", 1),
        (["a", "b"], "['a'", "List", 0),
        (["2019", "2020"], "['2019', '2021']", "List", 0),
        ("blue sky", "Blue sky.", "Str", 1),
        ("1,200", "1200", "Str", 1),
        ("Ada", "", "Str", 0),
        ("Ada", "Not answerable", "Str", 0),
        (NOT_ANSWERABLE, "unanswerable", "None", 1),
        (NOT_ANSWERABLE, "The question is not answerable.", "None", 1),
        (NOT_ANSWERABLE, "", "None", 0),
        ("Not answerable or 0 or none", "0", "None", 1),
        (NOT_ANSWERABLE, "0", "None", 0),
    ],
)
def test_accuracy_by_format(gold: str | list[str], answer: str, kind: str, value: float) -> None:
    got = accuracy.score_answer(gold, answer, kind)
    assert got.value == value, got.rule


def test_a_percentage_asked_for_may_lack_its_sign() -> None:
    assert accuracy.score_answer("57.3", "0.573", "Float").value == 0.0
    assert accuracy.score_answer("57.3", "0.573", "Float", percent_asked=True).value == 1.0
    question = Question(question_id="q", doc_id="d", question="What percentage?", answer="57.3", answer_format="Float")
    assert accuracy.score_text(question, "0.573").value == 1.0


def test_alternatives_count_by_their_best() -> None:
    question = Question(
        question_id="q", doc_id="d", question="?", answer="-27.0%", answer_alt=["-0.26689"], answer_format="Float"
    )
    assert accuracy.score_text(question, "-0.2669").value == 1.0 and accuracy.score_text(question, "27").value == 0.0


def test_a_question_without_gold_is_an_error_not_a_score() -> None:
    with pytest.raises(ValueError, match="no gold answer"):
        accuracy.score(QUESTIONS[-1], None)


def test_free_text_wants_overlap_and_every_number() -> None:
    gold = "It was rebuilt in 1931 because the gates leaked 2.50 metres."
    assert free_text.score(gold, "The lock was rebuilt in 1931 because gates leaked 2.5 metres").value == 1.0
    missing = free_text.score(gold, "The lock was rebuilt in 1932 because gates leaked 2.5 metres")
    assert missing.value == 0.0 and "missing 1931" in missing.rule
    assert free_text.score(gold, "1931 and 2.5").value == 0.0


@pytest.mark.parametrize(
    ("text", "value", "percent", "scale"),
    [
        ("$1,234.5 million", 1234.5, False, 1e6),
        ("12 %", 12, True, None),
        ("−5", -5, False, None),
        ("5 kg", 5, False, None),
        ("1 234,5", 1234.5, False, None),
        (".5", 0.5, False, None),
        ("EUR 3", 3, False, None),
        ("1,5", 1.5, False, None),
    ],
)
def test_read_number(text: str, value: float, percent: bool, scale: float | None) -> None:
    number = read_number(text)
    assert number is not None and (number.value, number.percent, number.scale) == (value, percent, scale)


@pytest.mark.parametrize(
    "text", ["five", "GPT-4", "14:04", "about 3", "3 of 4", "3 words after the number here", "", "nan"]
)
def test_sentences_are_no_numbers(text: str) -> None:
    assert read_number(text) is None


def test_numbers_in() -> None:
    assert numbers_in("In 2,019 and 3.50 %, v2, 1 234 m") == ["2019", "3.5", "1234"]


def test_lists_are_read_not_run() -> None:
    for text in ("[__import__('os')]", "[" * 5000, "[1", "[" + "1," * 20_000 + "]", "[{[]: 1}]"):
        with pytest.raises(ValueError, match="list"):
            read_list(text)


def test_benchmarks_get_their_own_scorer() -> None:
    def names(source: str, kind: str = "Str") -> list[str]:
        question = Question(
            question_id="q", doc_id="d", question="?", answer="a", answer_format=kind, source_dataset=source
        )
        return [score.name for score in official.published_scores(question, "a")]

    assert names("MMLongBench-Doc-V2") == ["mmlongbench_v1@1 accuracy"]
    assert names("SlideVQA") == ["mmlongbench_v1@1 accuracy", "slidevqa@1 f1", "slidevqa@1 exact_match"]
    assert names("MP-DocVQA") == ["mmlongbench_v1@1 accuracy", "mp_docvqa@1 anls", "mp_docvqa@1 accuracy"]
    assert names("LongDocURL") == ["mmlongbench_v1@1 accuracy", "longdocurl_v3@1 accuracy"]
    assert names("OHR", "FreeText") == []
    assert set(official.catalogue()) >= {"accuracy", "core", "mmlongbench_v1", "longdocurl_v3", "mp_docvqa", "slidevqa"}


def test_score_pages() -> None:
    # contract: E44
    scores = score_pages([5, 5, 2, 9], [2, 9, 7], [1, 3])
    assert scores.recall == {1: 0.0, 3: pytest.approx(2 / 3)} and scores.recall_ceiling == {
        1: pytest.approx(1 / 3),
        3: 1.0,
    }
    assert (
        scores.hit == {1: 0.0, 3: 1.0}
        and scores.all_gold == {1: 0.0, 3: 0.0}
        and scores.all_gold_ceiling == {1: 0.0, 3: 1.0}
    )
    assert scores.reciprocal_rank == 0.5 and scores.precision[3] == pytest.approx(2 / 3)
    ideal = 1 + 1 / math.log2(3) + 0.5
    assert scores.ndcg[3] == pytest.approx((1 / math.log2(3) + 0.5) / ideal)


def test_any_of_the_gold_pages_is_enough() -> None:
    scores = score_pages([3, 9], [9, 2], [1, 2], any_of=True)
    assert scores.recall == {1: 0.0, 2: 1.0} and scores.recall_ceiling[1] == 1.0 and scores.all_gold[2] == 1.0
    assert score_pages([9], [9, 2], [1], any_of=True).ndcg[1] == 1.0
    assert score_citation([9], [9, 2], any_of=True) == (1.0, 1.0, 1.0)


def test_score_citation() -> None:
    assert score_citation([], [1]) == (1.0, 0.0, 0.0)
    assert score_citation([1, 4], [1, 2]) == (0.5, 0.5, 0.5)


def test_bootstrap_draws_documents() -> None:
    values, documents = [1.0] * 50 + [0.0] * 50, ["a"] * 50 + ["b"] * 50
    interval = bootstrap_mean(values, documents, resamples=500, seed=0)
    assert interval is not None and (interval.low, interval.high) == (0.0, 1.0), (
        "two documents, whatever their questions"
    )
    spread = bootstrap_mean(values, [str(n) for n in range(100)], resamples=500, seed=0)
    assert spread is not None and 0.35 < spread.low < 0.45 and 0.55 < spread.high < 0.65
    assert bootstrap_mean(values, documents, resamples=500, seed=0) == interval
    assert bootstrap_mean(values, ["a"] * 100, resamples=500, seed=0) is None
    assert bootstrap_mean(values, documents, resamples=0, seed=0) is None


def results(method: str) -> list:
    return join([("small", question) for question in QUESTIONS], predictions(method), [1, 3])[0]


def test_generalized_f1_is_mmlongbench() -> None:
    scored = [result for result in results("page_rag") if result.scored]
    # Right and answerable: q01, q04, q07 of 6; not abstained: all but q03.
    assert generalized_f1(scored) == pytest.approx(2 * (3 / 6) * (3 / 6) / (3 / 6 + 3 / 6))
    assert generalized_f1([result for result in results("constant") if result.scored]) == 0.0


def test_an_unfailing_answer_of_a_failed_row_does_not_count() -> None:
    row = predictions("cosee")[0].model_copy(update={"status": "failed", "reason": "timeout"})
    result = score_question("small", QUESTIONS[0], row, [1])
    assert result.value == 0.0 and "timeout" in result.scores["accuracy"].rule
    assert result.scores["exact_match"].value == 0.0 and not result.answered and not result.abstained
    assert [score.strict.value for score in result.published] == [0.0] and result.cited == (0.0, 0.0, 0.0)


def test_notes_on_rows_that_do_not_fit() -> None:
    rows = predictions("cosee")
    stranger = rows[0].model_copy(update={"question_id": "nobody"})
    _, notes = join([("small", question) for question in QUESTIONS], [*rows, rows[0], stranger], [1])
    assert notes == ["1 predictions repeat a question; the last one counts",
                     "1 predictions belong to no question of the datasets and are left out"]  # fmt: skip


def test_compare_pairs_questions() -> None:
    (pair,) = compare({"cosee": results("cosee"), "page_rag": results("page_rag")}, SETTINGS)
    assert pair.difference == pytest.approx(3 / 7, abs=1e-6)
    assert (pair.first_better, pair.second_better, pair.ties) == (3, 0, 4)


def test_method_metrics_group_and_serialise() -> None:
    metrics = method_metrics(results("page_rag"), SETTINGS)
    groups = metrics.groups
    assert set(groups["answer_format"]) == {"Bool", "Float", "FreeText", "Int", "List", "None", "Str", "unspecified"}
    assert groups["evidence_pages"]["unanswerable"].accuracy == 1.0
    assert groups["evidence_pages"]["several pages"].questions == 2
    assert metrics.all.majority_accuracy == pytest.approx(1 / 7, abs=1e-6)
    assert metrics.all.quote_verified == 1.0 and metrics.models == ["embedded@1"]
    assert metrics.all.official["mmlongbench_v1@1 accuracy"].questions == 5
    assert Metrics.model_json_schema()["title"] == "Metrics"


def test_a_group_of_everything_has_the_figures_of_a_group() -> None:
    rows, settings = results("page_rag"), EvaluateSettings(bootstrap=50)
    whole = block(rows, settings)
    assert whole.accuracy_interval is not None and whole.pages.recall_interval
    assert without_intervals(whole) == block(rows, settings, intervals=False)
    figures = method_metrics(rows, settings)
    assert figures.groups["dataset"] == {rows[0].dataset: whole}
    for source, found in figures.groups["source_dataset"].items():
        assert found == block([row for row in rows if row.question.source_dataset == source], settings)


def test_method_cost_without_measures() -> None:
    assert method_cost(results("cosee"), []).seconds is None
    cost = method_cost(results("cosee"), [4.0, 1.0, 2.0])
    assert cost.seconds is not None and (cost.seconds.p50, cost.seconds.total) == (2.0, 7.0)


def test_evaluation_knows_no_agent() -> None:
    # contract: C65
    folder = Path(cosee.evaluation.__file__).parent
    imported = {
        name
        for path in folder.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and (name := node.module or "").startswith("cosee.")
    }
    assert {".".join(name.split(".")[:2]) for name in imported} == {
        "cosee.artifacts",
        "cosee.datasets",
        "cosee.evaluation",
        "cosee.geometry",
        "cosee.text",
        "cosee.registry",
    }
