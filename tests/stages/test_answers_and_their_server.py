"""A job whose model's server is down, dies, comes back or does not: no row that was not answered, no call twice."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from helpers.agent_trees import small_tree
from helpers.model_server import MODEL, PROBE, ModelServer, Raw, model_server

from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import load_trace
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.pipeline.job import run_stage
from cosee.pipeline.paths import Paths
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

pytest.importorskip("openai", reason="the openai library is not installed")
QUESTIONS, ALIVE = 12, 5
REPLY = json.dumps({"explanation": "it says so", "answer": "412", "quotes": [], "confidence": 0.5})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    doc = Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results").folder("tests", "doc_a")
    small_tree().save(doc.data / "doctree.mm.json")
    rows = [
        Question(question_id=f"q{n:02d}", doc_id="doc_a", question=f"Who left in {2000 + n}?") for n in range(QUESTIONS)
    ]
    save_rows(doc.questions, rows)
    IndexStage().run(doc, IndexSettings(embedder="none"))
    Paths(tmp_path / "data", tmp_path / "indexes", tmp_path / "results").rows("tests", "0000").write_text(
        json.dumps([{"doc_id": "doc_a"}])
    )
    return tmp_path


def answer(folder: Path, url: str, **fields: object) -> int:
    """The job; its exit status."""
    entry = {"kind": "openai", "model": MODEL, "base_url": f"{url}/v1", "sees_images": False, "concurrency": 4}
    (folder / "models.json").write_text(json.dumps({"models": {"m": {**entry, **fields}}}))
    settings = {"run": "r", "method": "page_rag", "model": "m", "retrieval": {}, "budget": {}, "seed": 0}
    places = [f"--{name}={folder / name}" for name in ("data", "indexes", "results")]
    job = ["--dataset", "tests", "--shard", "0000", "--run", "r", "--method", "page_rag"]
    argv = [*places, *job, "--settings", json.dumps(settings)]
    return run_stage(AnswerStage(folder / "models.json"), AnswerSettings, argv)


def rows(folder: Path) -> list[Prediction]:
    path = folder / "results/r/answers/page_rag/tests/doc_a.jsonl"
    return load_rows(Prediction, path) if path.exists() else []


def journaled(folder: Path) -> int:
    path = folder / "results/r/journal/page_rag/tests/doc_a.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def dies(server: ModelServer, after: int, returns: float | None) -> None:
    """Have the server go away after some answers, and come back after some seconds."""
    answered: list[object] = []

    def refuse(body: object) -> None:
        if PROBE in json.dumps(body):
            return
        answered.append(body)
        if len(answered) == after + 1:

            def death() -> None:
                server.stop()
                if returns is not None:
                    time.sleep(returns)
                    server.start()

            threading.Thread(target=death).start()
            time.sleep(0.3)  # it has no time left to answer

    server.refuse = refuse


def test_a_server_that_is_down_ends_the_job_in_one_line_without_a_row(project, capsys):
    # contract: D52
    with model_server() as server:
        url = server.url
    assert answer(project, url) == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("answer: ")]
    assert len(lines) == 1 and "is the server running, and is base_url right?" in lines[0]
    assert rows(project) == [] and journaled(project) == 0


def test_a_model_that_cannot_be_opened_ends_the_job_in_one_line_without_a_row(project, capsys):
    # contract: D52
    assert answer(project, "http://127.0.0.1:9", api_key_env="COSEE_NO_SUCH_KEY") == 1
    lines = [line for line in capsys.readouterr().err.splitlines() if line.startswith("answer: ")]
    assert len(lines) == 1 and "COSEE_NO_SUCH_KEY is not set" in lines[0]
    assert rows(project) == []


def test_a_server_that_comes_back_answers_every_question_once(project):
    with model_server() as server:
        server.replies = [REPLY]
        dies(server, ALIVE, 0.3)
        assert answer(project, server.url, concurrency=1) == 0
        assert {row.status for row in rows(project)} == {"ok"} and len(rows(project)) == QUESTIONS
        assert journaled(project) == QUESTIONS == len({json.dumps(each["messages"]) for each in server.requests})
        assert len(server.requests) == QUESTIONS + 1, "the one that it died of is asked again"


def test_a_server_that_stays_away_ends_the_job_and_the_same_command_goes_on(project, capsys):
    # contract: D52
    with model_server() as server:
        server.replies = [REPLY]
        dies(server, ALIVE, None)
        assert answer(project, server.url, patience=1.0, concurrency=1) == 1
        assert "it was waited for 1 s; what was answered is kept" in capsys.readouterr().err
        assert rows(project) == [] and journaled(project) == ALIVE
        server.refuse = None
        server.requests.clear()
        server.start()
        assert answer(project, server.url) == 0
        assert len(server.requests) == QUESTIONS - ALIVE and len(rows(project)) == QUESTIONS
        assert {row.status for row in rows(project)} == {"ok"}
        probes = len(server.probes)
    (project / "results/r/answers/page_rag/tests/doc_a.jsonl").unlink()
    assert answer(project, server.url) == 0, "a run whose journal is complete needs no server"
    assert len(rows(project)) == QUESTIONS and len(server.probes) == probes


def test_what_a_prompt_was_sent_without_stands_in_the_trace_also_from_the_journal(project):
    def refuse(body):
        too_long = PROBE not in json.dumps(body) and json.dumps(body).count("</evidence>") > 1
        return Raw({"error": {"message": "prompt is too long: 2079 tokens > 2000 maximum"}}, 400) if too_long else None

    with model_server() as server:
        server.replies, server.refuse = [REPLY], refuse
        assert answer(project, server.url) == 0
        assert {row.status for row in rows(project)} == {"ok"} and all(row.usage.calls == 1 for row in rows(project))
    trace = project / "results/r/traces/page_rag/tests/q00.ndjson"
    (told,) = [event for event in load_trace(trace) if event.message == "left out: longer than the server takes"]
    assert told.type == "status" and told.data["left_out"] and told.data["left_out"][0].startswith("page ")
    left_out = {int(name.removeprefix("page ")) for name in told.data["left_out"]}
    row = rows(project)[0]
    assert row.read_pages and not left_out & set(row.read_pages), "what was left out was not read"
    before = trace.read_bytes()
    trace.unlink()
    assert answer(project, server.url) == 0 and trace.read_bytes() == before
