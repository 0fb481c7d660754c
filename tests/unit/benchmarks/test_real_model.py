"""What the trial of a real model counts."""

from __future__ import annotations

import pytest
from benchmarks.real_model import in_asked_form, measure, parse_limits

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction, Support, Usage
from cosee.artifacts.results.trace import Trace


def question(answer: str, kind: str) -> Question:
    return Question(question_id="q", doc_id="d", question="?", answer=answer, answer_format=kind)


def row(answer: str, *support: Support) -> Prediction:
    return Prediction(
        question_id="q", doc_id="d", dataset="s", method="m", status="ok", exit_reason="answered", answer=answer,
        abstained=answer == NOT_ANSWERABLE, support=list(support), usage=Usage(calls=1, tokens_in=90, tokens_out=10),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("Int", "12", "twelve"), ("Float", "EUR 3.5 million", "It was three and a half."), ("Bool", "Yes", "It is so"),
        ("List", "['a', 'b']", "a and b"), ("Str", "the harbour", "x" * 101),
    ],
)  # fmt: skip
def test_an_answer_has_the_form_that_was_asked_for(kind: str, good: str, bad: str) -> None:
    assert in_asked_form(question("?", kind), good) and not in_asked_form(question("?", kind), bad)


def test_replies_evidence_and_what_was_left_out_are_counted() -> None:
    trace = Trace()
    trace.add("call", schema="PageAnswer")
    trace.add("call", schema="PageAnswer")
    notes = ["refused:malformed", "left_out:quotes"]
    trace.add("status", schema="PageAnswer", repairs=notes, attempts=2)
    verified = Support(page=1, quote="12", quote_verified=True)
    figures = measure([(question("12", "Int"), row("12", verified), trace.events)])
    assert (figures["replies"], figures["accepted_at_first"], figures["fields_left_out"]) == (1, 0.0, 1)
    assert (figures["evidence"], figures["verified_share"], figures["form"]) == (1.0, 1.0, 1.0)
    assert (figures["calls_a_question"], figures["tokens_a_question"]) == (1.0, 100.0)
    silent = measure([(question("12", "Int"), row(NOT_ANSWERABLE), [])])
    assert (silent["answered"], silent["evidence"], silent["accepted_at_first"]) == (0, None, None)


def test_limits_are_for_all_methods_or_for_one() -> None:
    assert parse_limits(["60", "cosee_light=20"]) == {"": 60, "cosee_light": 20}
