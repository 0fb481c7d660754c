"""The sentence at the top of a question, made from the attribution of its answers."""

import pytest

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction, Support, Usage
from cosee.evaluation.results import QuestionResult, score_question
from cosee.report.details import cut
from cosee.report.verdicts import method_verdict, question_verdict

COUNT = Question(question_id="q", doc_id="d", question="How many cranes work on the quay?", answer="5",
                 answer_format="Int", evidence_pages=[7])  # fmt: skip
TYPES = {"sec_3": "section", "tab_4": "table", "t_5": "paragraph"}


def node_type(node_id: str) -> str:
    return TYPES.get(node_id, "")


def result(question: Question = COUNT, node: str = "sec_3", page: int = 7, **given: object) -> QuestionResult:
    """A wrong answer ``3`` that read the gold page 7 and cites a node, with ``given`` changed."""
    row = Prediction(question_id="q", doc_id="d", dataset="s", method="m", status="ok", exit_reason="answered",
                     answer="3", abstained=False, retrieved_pages=[2, 7], read_pages=[2, 7], usage=Usage(calls=1),
                     support=[Support(page=page, node_id=node, quote="3 Operations")])  # fmt: skip
    return score_question("s", question, row.model_copy(update=given), [1, 3])


NOTHING = {"answer": NOT_ANSWERABLE, "abstained": True, "support": []}


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (result(), "gold page 7 was read; a number in a heading was taken for the count"),
        (result(node="tab_4", page=2), "gold page 7 was read; a number in a table on page 2 was taken for the count"),
        (result(support=[]), "gold page 7 was read; a number without evidence was taken for the count"),
        (result(answer="the harbour"), "gold page 7 was read; another text in a heading was taken for the count"),
        (result(read_pages=[2]), "gold page 7 was found, but not read; a number in a heading was taken for the count"),
        (result(retrieved_pages=[2], read_pages=[2], **NOTHING), "gold page 7 was not found; no answer was given"),
        (result(retrieved_pages=[], read_pages=None, **NOTHING), "no page was looked at; no answer was given"),
        (
            result(COUNT.model_copy(update={"answer": NOT_ANSWERABLE, "answer_format": "None", "evidence_pages": []})),
            "the document does not hold the answer; a number in a heading on page 7 was taken for the count",
        ),
        (
            result(
                COUNT.model_copy(update={"evidence_pages": [1, 2, 3, 4, 5]}), retrieved_pages=[9], read_pages=[9]
            ),
            "gold pages 1, 2, 3 and 2 more were not found; a number in a heading on page 7 was taken for the count",
        ),
        (result(status="failed", reason="budget", answer=""), "there is no answer (failed)"),
        (result(answer="5", support=[Support(page=2, quote="")]), "right, though its cited pages miss every gold page"),
    ],
)  # fmt: skip
def test_the_step_that_lost_an_answer_and_what_was_taken_for_what(found: QuestionResult, said: str) -> None:
    assert method_verdict(found, node_type) == said


def test_one_sentence_over_all_methods() -> None:
    right, wrong, other = result(answer="5"), result(), result(node="tab_4")
    given_gold = result(answer="5", uses_gold=True)
    constant = result(usage=Usage(), **NOTHING)
    why = "gold page 7 was read; a number in a heading was taken for the count"
    assert question_verdict({"a": wrong, "gold": given_gold, "constant": constant}, node_type) == f"{why.capitalize()}."
    assert question_verdict({"a": right, "b": right}, node_type) == "Both methods are right."
    assert question_verdict({"a": wrong, "b": right, "c": right}, node_type) == f"2 of 3 methods are right; a: {why}."
    assert question_verdict({"a": wrong, "b": wrong}, node_type) == f"No method is right: {why}."
    several = {"a": other, "b": wrong, "c": wrong, "d": right}
    assert question_verdict(several, node_type) == f"1 of 4 methods is right; of the others 2: {why}."
    open_question = COUNT.model_copy(update={"answer": None})
    told = question_verdict({"a": result(open_question), "b": result(open_question, **NOTHING)}, node_type)
    assert told == "No gold answer is known; 1 of 2 methods gave an answer."


def test_a_text_is_cut_between_words_and_all_of_it_is_accounted_for() -> None:
    text = "The cranes of the northern quay " * 20
    shown, more = cut(text, 101)
    assert shown == f"{text[: len(text) - more]} …" and text[len(text) - more] == " " and len(shown) <= 103
    assert cut("x" * 300, 100) == (f"{'x' * 100} …", 200)
