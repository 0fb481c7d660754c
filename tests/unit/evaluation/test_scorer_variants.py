"""Each benchmark's score three ways, and answers that are not there."""

import pytest

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction, Support, failed_prediction
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.results import score_question
from cosee.evaluation.scorers import longdocurl, mp_docvqa, slidevqa
from cosee.evaluation.scorers.normalisation import is_abstention, normalise
from cosee.evaluation.scorers.official import published_scores
from cosee.evaluation.scorers.score import VARIANTS
from cosee.evaluation.summary import block

SOURCES = ("MMLongBench-Doc", "MMLongBench-Doc-V2", "LongDocURL", "MP-DocVQA", "SlideVQA", "own questions")


def question(source: str, kind: str = "Str", gold: str | list[str] = "Lindholm Quay", **more: object) -> Question:
    return Question(question_id="q", doc_id="d", question="Where?", answer=gold, answer_format=kind,
                    source_dataset=source, **more)  # fmt: skip


def answered(text: str, *pages: int, **more: object) -> Prediction:
    return Prediction(question_id="q", doc_id="d", dataset="s", method="m", status="ok", exit_reason="answered",
                      answer=text, abstained=text == NOT_ANSWERABLE, support=[Support(page=page) for page in pages],
                      **more)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "plain"),
    [
        ("1,204 ships", "Int", "1204"),
        ("$ 1.2 million", "Float", "1200000"),
        ("12.5 %", "Float", "12.5"),
        ("about 12", "Int", "about 12"),
        ("red, green and blue", "List", "['red', 'green', 'blue']"),
        ('["red", "green"]', "List", "['red', 'green']"),
        ("[1, 2", "List", "[1, 2"),
        ("The question is not answerable.", "Str", NOT_ANSWERABLE),
        ("Not answerable or 0 or none", "None", NOT_ANSWERABLE),
        ("1,204 ships", "Str", "1,204 ships"),
    ],
)
def test_normalisation_as_stated(text: str, kind: str, plain: str) -> None:
    assert normalise(text, kind) == plain
    assert normalise(plain, kind) == plain, "once is enough"


def test_abstentions_of_other_benchmarks() -> None:
    assert normalise("unanswerable", "Str", abstention="none") == "none"
    assert not is_abstention("not answerable by phone, but by mail")


@pytest.mark.parametrize(
    ("gold", "answer", "kind", "strict", "normalised", "corrected"),
    [
        ("1204", "1,204", "Int", 0.0, 1.0, 1.0),
        ("3", "3.9", "Int", 1.0, 1.0, 0.0),
        (NOT_ANSWERABLE, "Not answerable.", "None", 0.933333, 1.0, 1.0),
        ("['10', '20']", "20 and 10", "List", 0.0, 1.0, 1.0),
        ("museum", "museum", "Str", 1.0, 1.0, 1.0),
    ],
)
def test_mmlongbench_three_ways(
    gold: str, answer: str, kind: str, strict: float, normalised: float, corrected: float
) -> None:
    (score,) = published_scores(question("MMLongBench-Doc", kind, gold), answer)
    found = [getattr(score, variant).value for variant in VARIANTS]
    assert found == pytest.approx([strict, normalised, corrected], abs=1e-6)


@pytest.mark.parametrize(
    ("gold", "answer", "kind", "strict", "corrected"),
    [
        ("5", "5.0", "Integer", 0.0, 1.0),
        ("5", "5 kg", "Integer", 1.0, 1.0),
        ("museum", "museu", "String", 1.0, 0.833333),
        ("['10', '20']", "['20', '10']", "List", 0.0, 1.0),
        ("2.5", "250", "Float", 1.0, 0.0),
        ("2.5%", "0.025", "Float", 1.0, 1.0),
        ("n.d.", "n.d.", "Float", 0.0, 1.0),
    ],
)
def test_longdocurl_faults_are_corrected(gold: str, answer: str, kind: str, strict: float, corrected: float) -> None:
    assert longdocurl.score(gold, answer, kind).value == pytest.approx(strict)
    assert longdocurl.corrected(gold, answer, kind).value == pytest.approx(corrected, abs=1e-6)


def test_longdocurl_is_given_its_own_numbers() -> None:
    """Scale words are dropped by the published code itself; what only one side has may be left out once corrected."""

    def three(gold: str, answer: str) -> list[float]:
        (_, score) = published_scores(question("LongDocURL", "Float", gold), answer)
        return [getattr(score, variant).value for variant in VARIANTS]

    assert three("12 million", "12") == [1.0, 1.0, 1.0]
    assert three("2.5%", "0.025") == [1.0, 1.0, 1.0]
    assert three("1,204", "1204 ships") == [0.0, 1.0, 1.0]


def test_mp_docvqa_faults_are_corrected() -> None:
    assert mp_docvqa.accuracy([], "NA", answerable=False).value == 0.0
    assert mp_docvqa.corrected_accuracy([], "NA", answerable=False).value == 1.0
    assert mp_docvqa.anls(["None"], "none").value == 0.0 and mp_docvqa.corrected_anls(["None"], "none").value == 1.0
    assert mp_docvqa.accuracy([], "", answerable=False).value == 1.0, "as published: nothing is an abstention"
    assert mp_docvqa.corrected_accuracy([], "", answerable=False).value == 0.0


@pytest.mark.parametrize(
    ("gold", "answer", "asked", "strict", "corrected"),
    [
        ("North America", "North Africa", "Where?", 1.0, 0.5),
        ("profit is high", "profhigh", "What?", 1.0, 0.0),
        ("12 ports", "12", "How many ports?", 0.666667, 1.0),
        ("a", "a", "name the one which", 0.0, 1.0),
    ],
)
def test_slidevqa_faults_are_corrected(gold: str, answer: str, asked: str, strict: float, corrected: float) -> None:
    assert slidevqa.f1(gold, answer, asked).value == pytest.approx(strict, abs=1e-6)
    assert slidevqa.corrected(gold, answer, asked).value == pytest.approx(corrected, abs=1e-6)


@pytest.mark.parametrize("kind", ["Bool", "FreeText", None])
def test_a_benchmark_scores_all_its_questions(kind: str | None) -> None:
    for source in ("LongDocURL", "MP-DocVQA", "SlideVQA"):
        asked = question(source).model_copy(update={"answer_format": kind})
        scores = published_scores(asked, "Lindholm Quay")
        assert scores and {score.strict.value for score in scores} == {1.0}


def test_pages_count_in_the_benchmarks_that_ask_for_them() -> None:
    def measures(source: str, *pages: int) -> dict[str, float]:
        asked = question(source, evidence_pages=[2])
        return {score.name: score.strict.value for score in published_scores(asked, "Lindholm Quay", cited=pages)}

    assert measures("MP-DocVQA", 2, 1)["mp_docvqa@1 page_accuracy"] == 1.0
    assert measures("MP-DocVQA", 1, 2)["mp_docvqa@1 page_accuracy"] == 0.0, "the first cited page is the page"
    assert measures("MP-DocVQA")["mp_docvqa@1 page_accuracy"] == 0.0
    slides = measures("SlideVQA", 1, 2)
    assert slides["slidevqa@1 evidence_f1"] == slides["slidevqa@1 joint_f1"] == pytest.approx(2 / 3)
    assert slides["slidevqa@1 exact_match"] == 1.0 and slides["slidevqa@1 evidence_exact_match"] == 0.0


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("lost", ["missing", "failed", "skipped"])
def test_an_answer_that_is_not_there_is_zero_by_every_scorer(source: str, lost: str) -> None:
    """The row keeps the right answer, the right page and an abstention: none of it may count."""
    right = answered("Lindholm Quay", 2).model_copy(update={"status": lost, "abstained": True})
    prediction = None if lost == "missing" else right
    asked = question(source, evidence_pages=[2])
    result = score_question("s", asked, prediction, [1])
    assert result.value == 0.0 and not result.abstained and not result.answered
    assert {score.value for score in result.scores.values()} == {0.0}
    variants = [getattr(score, variant) for score in result.published for variant in VARIANTS]
    assert variants and {score.value for score in variants if score is not None} == {0.0}
    assert result.cited == (0.0, 0.0, 0.0) and result.pages is not None and result.pages.recall == {1: 0.0}

    there = score_question("s", asked, answered("Lindholm Quay", 2, retrieved_pages=[2]), [1])
    figures = block([there, result], EvaluateSettings(bootstrap=0))
    assert figures.accuracy == figures.exact_match == figures.token_f1 == figures.anls == 0.5
    assert figures.official and {score.strict for name, score in figures.official.items() if "f1" not in name} == {0.5}
    assert figures.cited_pages.f1 == figures.pages.recall["1"] == 0.5


@pytest.mark.parametrize("source", SOURCES)
def test_no_answer_is_no_abstention(source: str) -> None:
    """MP-DocVQA's published accuracy takes an empty answer for an abstention: a failed row must not gain by it."""
    lost = failed_prediction(question_id="q", doc_id="d", dataset="s", method="m", reason="timeout")
    for prediction in (lost, None):
        result = score_question("s", question(source, "None", NOT_ANSWERABLE), prediction, [1])
        variants = [getattr(score, variant) for score in result.published for variant in VARIANTS]
        assert variants and {score.value for score in variants if score is not None} == {0.0} == {result.value}


def test_failed_rows_count_as_answered_in_the_published_f1() -> None:
    lost = failed_prediction(question_id="q", doc_id="d", dataset="s", method="m", reason="x")
    answerable, unanswerable = question("MMLongBench-Doc"), question("MMLongBench-Doc", "None", NOT_ANSWERABLE)
    rows = [
        score_question("s", answerable, answered("Lindholm Quay"), [1]),
        score_question("s", answerable, lost, [1]),
        score_question("s", unanswerable, answered(NOT_ANSWERABLE), [1]),
        score_question("s", unanswerable, answered("unanswerable"), [1]),
    ]
    figures = block(rows, EvaluateSettings(bootstrap=0)).official["mmlongbench_v1@1 f1"]
    # One of two answerable ones is right; strict takes another spelling of the abstention for an answer.
    assert figures.strict == pytest.approx(2 * 1 / (2 + 3)) and figures.normalised == pytest.approx(2 * 1 / (2 + 2))


def test_right_answers_on_wrong_pages() -> None:
    asked = question("own", evidence_pages=[2, 3])
    rows = [score_question("s", asked, answered("Lindholm Quay", *pages), [1]) for pages in ((2,), (9,), (), (9, 3))]
    rows.append(score_question("s", asked, answered("elsewhere", 9), [1]))
    cited = block(rows, EvaluateSettings(bootstrap=0)).cited_pages
    assert (cited.questions, cited.right_answers, cited.right_wrong_evidence) == (5, 4, 0.5)


def test_accuracy_of_what_was_answered() -> None:
    rows = [score_question("s", question("own"), answered(text), [1])
            for text in ("Lindholm Quay", "zzz", NOT_ANSWERABLE, NOT_ANSWERABLE)]  # fmt: skip
    figures = block(rows, EvaluateSettings(bootstrap=0))
    assert (figures.answerable_accuracy, figures.answered_accuracy, figures.coverage) == (0.25, 0.5, 0.5)
