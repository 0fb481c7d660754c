"""What the trial of a real model counts."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from benchmarks.picture_pages import RUN, make
from benchmarks.real_model import in_asked_form, main, measure, parse_limits
from helpers.model_server import model_server
from helpers.project import TOPICS, write_document, write_questions

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
        ("Int", "12", "twelve"), ("Int", "12 ports", "There are 12."),
        ("Float", "EUR 3.5 million", "It was three and a half."), ("Bool", "Yes", "It is so"),
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
    several = ["refused:schema:answer", "refused:schema:confidence", "refused:no_json"]
    trace = Trace()
    for _ in range(3):
        trace.add("call", schema="PageAnswer")
    trace.add("status", schema="PageAnswer", repairs=several, attempts=3)
    trace.add("call", schema="PageAnswer")
    trace.add("status", schema="PageAnswer", repairs=["fence"], attempts=1)
    figures = measure([(question("12", "Int"), row("12", verified), trace.events)])
    assert (figures["replies"], figures["accepted_at_first"]) == (2, 0.5), "a mended reply was accepted"
    assert figures["notes"]["refused:schema:answer"] == 1
    silent = measure([(question("12", "Int"), row(NOT_ANSWERABLE), [])])
    assert (silent["answered"], silent["evidence"], silent["accepted_at_first"]) == (0, None, None)


def test_limits_are_for_all_methods_or_for_one() -> None:
    assert parse_limits(["60", "cosee_light=20"]) == {"": 60, "cosee_light": 20}


def test_a_model_that_cannot_be_asked_is_told_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_document(tmp_path / "alpha" / "full.pdf", *TOPICS["alpha"][:2])
    write_questions(tmp_path, {"alpha": TOPICS["alpha"]})
    command = [
        "--config", str(tmp_path / "config.yaml"), "--models", str(tmp_path / "models.yaml"), "--limit", "1",
        "--work", str(tmp_path / "trial"), "--json", str(tmp_path / "figures.json"), "--run",
    ]  # fmt: skip
    with model_server() as server:
        make(tmp_path, tmp_path, 72, f"{server.url}/v1")
        assert main([*command, RUN]) == 1
        told = capsys.readouterr().err
        assert told.startswith("real_model: ") and told.count("\n") == 1
        assert "it has no model 'seeing'" in told and not server.requests
    assert main([*command, "another"]) == 1
    assert f"has no run 'another'; it has {RUN}" in capsys.readouterr().err
    models = yaml.safe_load((tmp_path / "models.yaml").read_text())
    models["models"] = {"other": models["models"]["seeing"]}
    (tmp_path / "models.yaml").write_text(yaml.safe_dump(models))
    assert main([*command, RUN]) == 1
    assert "seeing" in capsys.readouterr().err and not (tmp_path / "figures.json").exists()
