"""The counts of what agents did, on a run made by hand."""

from __future__ import annotations

import json
import sys

from benchmarks import agents

from cosee.artifacts import files
from cosee.artifacts.base import save_rows
from cosee.artifacts.results.prediction import Prediction, Support, Usage
from cosee.artifacts.results.trace import Trace


def row(method: str, question: str, answer: str, page: int = 1) -> Prediction:
    return Prediction(
        question_id=question,
        doc_id="atlas",
        dataset="demo",
        method=method,
        status="ok",
        exit_reason="answered",
        answer=answer,
        abstained=False,
        support=[Support(page=page, quote="12 ships", quote_verified=page == 1)],
        usage=Usage(calls=2, tokens_in=10, tokens_out=5),
    )


def test_rounds_actions_replans_and_differences_are_counted(tmp_path, monkeypatch, capsys):
    run = tmp_path / "results" / "demo"
    for method, answers in {"page_rag": ["12", "yes"], "cosee": ["12", "no"], "navigator": ["12", "yes"]}.items():
        save_rows(
            run / "predictions" / f"{method}.jsonl",
            [row(method, f"q{number}", answer, number) for number, answer in enumerate(answers, start=1)],
        )
    trace = Trace()
    trace.add("action", step=1, action="INSPECT")
    trace.add("action", step=2, action="HYPOTHESIZE")
    trace.save(run / "traces" / "cosee" / "demo" / f"{files.safe_name('q1')}.ndjson")
    trace = Trace()
    trace.add("replan", step=1, message="nothing found")
    trace.save(run / "traces" / "navigator" / "demo" / f"{files.safe_name('q2')}.ndjson")
    out = tmp_path / "out.json"
    monkeypatch.setattr(
        sys, "argv", ["agents", "--run", str(run), "--data", str(tmp_path / "data"), "--json", str(out)]
    )
    assert agents.main() == 0
    figures = json.loads(out.read_text())["figures"]
    assert figures["differs.cosee"] == 0.5 and figures["differs.navigator"] == 0.0
    assert figures["several_rounds.cosee"] == 0.5 and figures["replanned.navigator"] == 0.5
    assert figures["quotes_verified.cosee"] == 0.5
    assert figures["cited_pages_exist.cosee"] == 0.0, "a document without a tree has no pages"
    assert "HYPOTHESIZE" in capsys.readouterr().out
