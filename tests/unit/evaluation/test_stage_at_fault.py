"""The stage at fault of a wrong answer by swaps, and the flips between two runs or methods."""

import pytest
from helpers.run_maker import QUESTIONS, predictions
from hypothesis import given, settings
from hypothesis import strategies as st

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.comparison import DIRECTIONS
from cosee.artifacts.results.prediction import Prediction, Support
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.attribution import cause, count_causes, verdict
from cosee.evaluation.flips import Answers, answers_of, compare_answers, compare_runs, oracles_of, setting_differences
from cosee.evaluation.results import QuestionResult, join, score_question

SETTINGS = EvaluateSettings(bootstrap=50)
ASKED = Question(question_id="q", doc_id="d", question="Which firm audited the books?", answer="Marlow and Daughters",
                 answer_format="Str", evidence_pages=[7])  # fmt: skip


def result(question: Question = ASKED, **given: object) -> QuestionResult:
    """A wrong answer that ranked and read the gold page 7, with ``given`` changed."""
    row = Prediction(question_id=question.question_id, doc_id="d", dataset="s", method="m", status="ok",
                     exit_reason="answered", answer="Corvane Ltd", abstained=False, retrieved_pages=[3, 7, 1],
                     read_pages=[3, 7, 1], model="reader")  # fmt: skip
    return score_question("s", question, row.model_copy(update=given), [1, 3])


ORACLE_RIGHT = result(answer="Marlow and Daughters", uses_gold=True)
ORACLE_WRONG = result(answer="Pell", uses_gold=True)


@pytest.mark.parametrize(
    ("given_row", "oracle", "expected", "proven", "because"),
    [
        ({"answer": "Marlow and Daughters"}, None, "right", True, "Str"),
        ({"status": "failed", "reason": "budget", "answer": ""}, None, "failed", True, "failed (budget)"),
        ({"answer_long": "It was Marlow and Daughters."}, None, "extracted_wrong", True, "explanation holds"),
        ({"support": [Support(page=7, quote="by Marlow and Daughters")]}, None, "extracted_wrong", True, "quotes hold"),
        ({"retrieved_pages": [3, 1, 2, 7], "read_pages": [3, 1]}, None, "not_retrieved", False, "page 7 is not among"),
        ({"retrieved_pages": [3, 1], "read_pages": [3]}, ORACLE_RIGHT, "not_retrieved", True, "would have been right"),
        ({"retrieved_pages": [], "read_pages": []}, ORACLE_WRONG, "not_retrieved", False, "no page was ranked"),
        ({"read_pages": [3]}, ORACLE_RIGHT, "retrieved_not_read", True, "page 7 ranked 2, but not read"),
        ({"read_pages": [3]}, ORACLE_WRONG, "retrieved_not_read", False, "unproven"),
        ({}, ORACLE_RIGHT, "read_not_reasoned", True, "the other pages distract"),
        ({}, ORACLE_WRONG, "read_not_reasoned", True, "wrong too ('Pell')"),
        ({}, None, "read_not_reasoned", False, "unproven"),
        ({"model": "another"}, ORACLE_RIGHT, "read_not_reasoned", False, "the same model did not answer"),
        ({"retrieved_pages": [3], "read_pages": [3, 7]}, None, "read_not_reasoned", False, "page 7 was read"),
        ({"read_pages": None}, None, "read_not_reasoned", False, "is not recorded"),
        ({"answer": NOT_ANSWERABLE, "abstained": True, "answer_long": "Perhaps Marlow and Daughters."}, None,
         "read_not_reasoned", False, "unproven"),
    ],
)  # fmt: skip
def test_each_known_fault_is_named_with_its_proof(
    given_row: dict[str, object], oracle: QuestionResult | None, expected: str, proven: bool, because: str
) -> None:
    found = verdict(result(**given_row), oracle)
    assert (found.cause, found.proven) == (expected, proven)
    assert because in found.because


def test_the_scorer_is_at_fault_where_another_one_calls_the_answer_right() -> None:
    negative = ASKED.model_copy(update={"answer": "(24,281)", "answer_format": "Float"})
    assert verdict(result(negative, answer="-24281", answer_long="-24281 ((24,281))")).cause == "scorer"
    assert verdict(result(negative, answer="24281")).cause != "scorer"


def test_words_that_prove_nothing_are_no_extraction_fault() -> None:
    count = ASKED.model_copy(update={"question": "How many figures are there?", "answer": "5", "answer_format": "Int"})
    assert cause(result(count, answer="4", answer_long="4: Figure 5, Figure 2")) == "read_not_reasoned"
    choice = ASKED.model_copy(update={"question": "Was it Pell or Marlow and Daughters?"})
    assert cause(result(choice, answer="Pell", answer_long="Pell, not Marlow and Daughters")) == "read_not_reasoned"
    yes = ASKED.model_copy(update={"question": "Was it audited?", "answer": "Yes", "answer_format": "Bool"})
    assert cause(result(yes, answer="No", answer_long="No; yes was expected")) == "read_not_reasoned"


def test_all_gold_pages_are_needed_unless_any_will_do() -> None:
    both = ASKED.model_copy(update={"evidence_pages": [7, 9]})
    assert verdict(result(both)).because.startswith("gold page 9 is not among the first 3 ranked pages")
    assert cause(result(both.model_copy(update={"evidence_mode": "any"}))) == "read_not_reasoned"


def test_an_answer_where_there_is_none() -> None:
    none = ASKED.model_copy(update={"answer": NOT_ANSWERABLE, "answer_format": "None", "evidence_pages": []})
    assert cause(result(none)) == "answered_unanswerable"
    assert cause(result(ASKED.model_copy(update={"evidence_pages": []}))) == "pages_unknown"


def test_causes_are_counted_over_scored_questions() -> None:
    questions = [("small", question) for question in QUESTIONS]
    page_rag, constant = (join(questions, predictions(name), [1, 3])[0] for name in ("page_rag", "constant"))
    assert count_causes(page_rag[:7]) == {"failed": 2, "read_not_reasoned": 1, "right": 4}
    assert count_causes(constant[:7]) == {"not_retrieved": 6, "right": 1}


def asked(number: int) -> Question:
    return ASKED.model_copy(update={"question_id": f"q{number}", "doc_id": f"d{number % 3}"})


KINDS = ("right", "failed", "held", "unranked", "unread", "misread")
MADE = {
    "right": {"answer": "Marlow and Daughters"},
    "failed": {"status": "failed", "answer": ""},
    "held": {"answer_long": "By Marlow and Daughters"},
    "unranked": {"retrieved_pages": [1], "read_pages": [1]},
    "unread": {"read_pages": [1]},
    "misread": {},
}


def answers(method: str, kinds: list[str]) -> Answers:
    rows = [result(asked(number), **MADE[kind]) for number, kind in enumerate(kinds)]
    gold = [result(asked(number), uses_gold=True, **MADE["right"]) for number in range(0, len(kinds), 2)]
    return Answers("run", method, rows, oracles_of(gold))


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)), min_size=1, max_size=12))
def test_flips_add_up_mirror_and_vanish_against_oneself(kinds: list[tuple[str, str]]) -> None:
    first, second = answers("a", [one for one, _ in kinds]), answers("b", [other for _, other in kinds])
    made, mirrored = compare_answers(first, second, SETTINGS), compare_answers(second, first, SETTINGS)
    for side, own in ((made.first, 0), (made.second, 1)):
        assert sum(side.causes.values()) == made.questions == len(kinds)
        assert side.causes.get("right", 0) == sum(pair[own] == "right" for pair in kinds)
    assert len(made.flips) == sum((one == "right") != (other == "right") for one, other in kinds)
    assert sum(sum(made.faults[each].values()) for each in DIRECTIONS) == len(made.flips)
    assert made.paired.difference == -mirrored.paired.difference
    assert made.faults["right_to_wrong"] == mirrored.faults["wrong_to_right"]
    assert {flip.question_id: flip.fault for flip in made.flips} == {
        flip.question_id: flip.fault for flip in mirrored.flips
    }
    again = compare_answers(first, first, SETTINGS)
    assert again.flips == [] and again.paired.difference == 0 and again.first.causes == again.second.causes


def test_a_right_answer_from_pages_that_both_read_shows_that_reading_was_at_fault() -> None:
    cites = Support(page=3, quote="")
    right = Answers("a", "m", [result(answer="Marlow and Daughters", support=[cites])])
    read, unread = (Answers("b", "m", [result(retrieved_pages=[3], read_pages=pages)]) for pages in ([3], [1]))
    (flip,) = compare_answers(right, read, SETTINGS).flips
    assert (flip.fault.cause, flip.fault.proven) == ("read_not_reasoned", True)
    assert flip.fault.because.endswith("the other side answers right from page 3, read here too")
    made = compare_answers(unread, right, SETTINGS)
    assert made.flips[0].fault.cause == "not_retrieved" and made.first.causes == {"not_retrieved": 1}


def test_only_shared_questions_with_the_same_gold_are_compared() -> None:
    changed = asked(1).model_copy(update={"answer": "Pell"})
    first = Answers("a", "m", [result(asked(0)), result(asked(1)), result(asked(2))])
    late = score_question("s", asked(3), None, [1])
    second = Answers("b", "m", [result(asked(0), **MADE["right"]), result(changed), late])
    (made,) = compare_runs([first], [second], SETTINGS).comparisons
    assert (made.questions, made.changed_questions, made.first.only, made.second.only) == (1, ["s/q1"], 1, 0)
    assert [flip.direction for flip in made.flips] == ["wrong_to_right"]
    assert "nothing answered from the gold pages for b:m" in made.notes[-1]


def test_an_oracle_proves_only_what_reads_as_it_does() -> None:
    rows = {"oracle_pages": [ORACLE_RIGHT], "rag": [result()], "rag-without-ocr": [result()], "rag2": [result()]}
    told = {
        name: {"method": {"without": [module]}} for name, module in (("rag-without-ocr", "ocr"), ("rag2", "rerank"))
    }
    made = answers_of("run", rows, told)
    proven = {name: made[name].verdicts["s", "q"].proven for name in rows}
    assert proven == {"oracle_pages": True, "rag": True, "rag-without-ocr": False, "rag2": True}


def test_settings_that_differ_are_listed() -> None:
    one = {"run": "a", "method": {"name": "x", "strategy": "cosee", "max_steps": 2}, "model": "m"}
    other = {"run": "b", "method": {"name": "y", "strategy": "cosee", "max_steps": 3}, "model": "m", "seed": 1}
    found = [(each.setting, each.first, each.second) for each in setting_differences(one, other)]
    assert found == [("method.max_steps", "2", "3"), ("seed", None, "1")]
