"""Who watches an answer is shown what the model writes as it comes, over a real socket; files do not tell of it."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from helpers.agent_trees import small_tree
from helpers.model_server import MODEL, ModelServer, model_server

from cosee.artifacts.base import save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.artifacts.settings.answer import AnswerSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

pytest.importorskip("openai", reason="the openai library is not installed")
SEARCH = {"reasoning": "look for it", "tool": "fast_vector_search", "inputs": {"query": "people employed"},
          "should_end": False}  # fmt: skip
END = {"reasoning": "it was found", "tool": "text_response", "inputs": {}, "should_end": True}
ANSWER = {"explanation": "Page 2 tells how many people there are.", "quotes": [{"page": 2, "quote": "412 people"}],
          "answer": "412 people", "confidence": 0.9}  # fmt: skip


@pytest.fixture
def doc(tmp_path: Path) -> DocFolder:
    folder = DocFolder(
        "tests", "doc_a", tmp_path / "data/tests/doc_a", tmp_path / "indexes/tests/doc_a", tmp_path / "results/run"
    )
    small_tree().save(folder.data / "doctree.mm.json")
    save_rows(folder.questions, [Question(question_id="q1", doc_id="doc_a", question="How many people are there?")])
    IndexStage().run(folder, IndexSettings(embedder="none"))
    return folder


def watched(doc: DocFolder, server: ModelServer, watcher) -> list[TraceEvent]:  # type: ignore[no-untyped-def]
    """The events that are shown while the decision agent answers."""
    entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "sees_images": False}
    models = doc.data.parent.parent / "models.json"
    models.write_text(json.dumps({"models": {"m": entry}}))
    settings = {"run": "run", "method": {"strategy": "decision"}, "model": "m", "retrieval": {}, "budget": {}}
    shown: list[TraceEvent] = []

    def listener(event: TraceEvent) -> None:
        shown.append(event)
        watcher(event)

    AnswerStage(models, listener=listener).run(doc, AnswerSettings.model_validate({**settings, "seed": 0}))
    return shown


def test_the_decision_agent_shows_the_models_tokens_as_they_come(doc: DocFolder) -> None:
    # contract: E36, E38
    with model_server() as server:
        server.replies = [json.dumps(reply) for reply in (SEARCH, END, ANSWER)]
        server.heard = threading.Event()  # without a piece shown, the server breaks off after the first one
        shown = watched(doc, server, lambda event: event.type == "reply" and server.heard.set())
        asked = len(server.requests)
    assert asked == 3 and all(request["stream"] for request in server.requests)
    pieces = [event for event in shown if event.type == "reply"]
    assert len(pieces) > 10 and not any(event.data.get("again") for event in pieces)
    written = "".join(str(event.data["content"]) for event in pieces)
    assert "Page 2 tells how many people there are." in written and '"tool": "fast_vector_search"' in written
    kinds = [event.type for event in shown]
    assert kinds.index("reply") < kinds.index("decision") < kinds.index("token"), "before what is made of it"
    (trace,) = (doc.results / "traces").rglob("*.ndjson")
    kept = load_trace(trace)
    assert [event for event in shown if event.type != "reply"] == kept
    assert "".join(event.data["content"] for event in kept if event.type == "token") == kept[-1].message == "412"

    # From the journal the same trace without a call, and nothing to wait for.
    before = trace.read_bytes()
    with model_server() as server:
        again = watched(doc, server, lambda event: None)
        assert server.requests == []
    assert trace.read_bytes() == before and again == kept


def test_without_a_watcher_nothing_is_streamed_and_the_trace_is_the_same(doc: DocFolder, tmp_path: Path) -> None:
    replies = [json.dumps(reply) for reply in (SEARCH, END, ANSWER)]
    with model_server() as server:
        server.replies = list(replies)
        watched(doc, server, lambda event: None)
    (trace,) = (doc.results / "traces").rglob("*.ndjson")
    told = [event for event in load_trace(trace) if event.type != "call"]
    for journal in (doc.results / "journal").rglob("*.jsonl"):
        journal.unlink()
    with model_server() as server:
        server.replies = list(replies)
        entry = {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "sees_images": False}
        (tmp_path / "models.json").write_text(json.dumps({"models": {"m": entry}}))
        settings = {"run": "run", "method": {"strategy": "decision"}, "model": "m", "retrieval": {}, "budget": {}}
        AnswerStage(tmp_path / "models.json").run(doc, AnswerSettings.model_validate({**settings, "seed": 0}))
        assert len(server.requests) == 3 and not any("stream" in request for request in server.requests)
    assert [event for event in load_trace(trace) if event.type != "call"] == told
