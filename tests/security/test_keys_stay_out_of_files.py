"""No file that a run writes holds the key of a served model, whatever the server does with it."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.agent_trees import small_tree
from helpers.model_server import ECHO, MODEL, ModelServer, model_server
from helpers.model_time import ModelTime
from pydantic import ValidationError

from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts import files
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import AnswerSettings, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.models.blocks import Message
from cosee.models.calls import ModelError, ServerFailure
from cosee.models.entries import ServedEntry
from cosee.models.messages import question_block
from cosee.models.registry import load_models, open_client
from cosee.models.served import client as served
from cosee.pipeline.stage import DocFolder
from cosee.quality.event_log import EventLog
from cosee.quality.plan import PlannerInput
from cosee.quality.planner import Planner, PlannerError
from cosee.quality.vlm_client import open_vlm_client
from cosee.stages.answer import AnswerStage
from cosee.stages.index import IndexStage

KEY = "sk-proj-Zq7distinctive0key1"
LIBRARIES = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai"}
FAILURES: dict[str, Any] = {"401": 401, "403": 403, "500": 500, "429": 429, "echo": ECHO, "no json": "nothing typed"}


@pytest.fixture(params=list(LIBRARIES))
def kind(request: pytest.FixtureRequest) -> str:
    pytest.importorskip(LIBRARIES[request.param], reason=f"the {request.param} library is not installed")
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DocFolder:
    """One indexed document with a question, a key in the environment, and no waits between tries."""
    monkeypatch.setenv("COSEE_TEST_KEY", f"{KEY}\n")
    time = ModelTime()
    times = {"environment": None, "sleep": time.sleep, "clock": time.clock}
    monkeypatch.setattr(served.ServedClient.__init__, "__kwdefaults__", times)
    doc = DocFolder("t", "doc_a", tmp_path / "data/t/doc_a", tmp_path / "indexes/t/doc_a", tmp_path / "results/run")
    small_tree().save(doc.data / "doctree.mm.json")
    save_rows(doc.questions, [Question(question_id="q1", doc_id="doc_a", question="What was the revenue in 2022?")])
    IndexStage().run(doc, IndexSettings(embedder="none"))
    return doc


def models_file(folder: Path, server: ModelServer, kind: str, *, sees_images: bool = False) -> Path:
    base_url = f"{server.url}/v1" if kind == "openai" else server.url
    entry: dict[str, Any] = {"kind": kind, "model": MODEL, "base_url": base_url, "api_key_env": "COSEE_TEST_KEY"}
    entry |= {"retries": 1, "sees_images": sees_images}
    files.write_json(folder / "models.yaml", {"models": {"served": entry}})
    return folder / "models.yaml"


def leaks(folder: Path) -> list[str]:
    """Files below a folder that hold the key, or most of it."""
    found = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    assert found
    return [path.as_posix() for path in found if KEY[8:].encode() in path.read_bytes()]


def answer(doc: DocFolder, models: Path) -> list[Prediction]:
    """Run the stage as its job does; its log becomes a file."""
    log = models.parent / "logs" / "answer.log"
    log.parent.mkdir(exist_ok=True)
    handler = logging.FileHandler(log)
    root, before = logging.getLogger(), logging.getLogger().level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    try:
        values = {"run": "run", "method": PageRagMethod(), "model": "served", "retrieval": RetrievalSettings()}
        AnswerStage(models).run(doc, AnswerSettings.model_validate({**values, "budget": Budget(), "seed": 0}))
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
        handler.close()
    assert doc.results is not None
    return load_rows(Prediction, doc.results / "answers/page_rag/t/doc_a.jsonl")


@pytest.mark.parametrize("failure", list(FAILURES))
def test_answers_traces_journal_and_log_hold_no_key(
    project: DocFolder, tmp_path: Path, kind: str, failure: str
) -> None:
    # contract: C53, P29
    with model_server() as server:
        server.replies = [FAILURES[failure]]
        models = models_file(tmp_path, server, kind)
        if failure == "429":
            with pytest.raises(ServerFailure, match="did not take a call for 600 s"):
                answer(project, models)
        else:
            (row,) = answer(project, models)
            assert isinstance(FAILURES[failure], str) or row.status == "failed"
        assert server.headers and any(KEY in value for value in server.headers[0].values()), "the key was sent"
    assert leaks(tmp_path) == []
    if failure == "echo":
        journal = b"".join(path.read_bytes() for path in (tmp_path / "results").rglob("*.jsonl"))
        assert b"your key is " in journal and b"***" in journal


def test_a_broken_library_call_tells_no_key(
    project: DocFolder, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # contract: P29
    import httpx

    def broken(*_: Any, **__: Any) -> None:
        raise httpx.LocalProtocolError(f"Illegal header value b'Bearer {KEY}'")

    with model_server() as server:
        models = models_file(tmp_path, server, kind)
        for library in ("httpx", "httpx2"):
            if library in sys.modules:
                monkeypatch.setattr(sys.modules[library].Client, "send", broken)
        with pytest.raises(ServerFailure) as caught:
            answer(project, models)
    assert KEY not in str(caught.value) and leaks(tmp_path) == []


def test_the_planners_log_holds_no_key(project: DocFolder, tmp_path: Path, kind: str, sharp_page: Path) -> None:
    # contract: P29, P30
    with model_server() as server:
        server.replies = [500, ECHO, 401]
        models = load_models(models_file(tmp_path, server, kind, sees_images=True))
        client = open_vlm_client("served", models)
        planner = Planner(client=client, log=EventLog(tmp_path / "logs" / "plan.jsonl"), cache=tmp_path / "plans")
        with pytest.raises(PlannerError) as caught:
            planner.plan(PlannerInput(query="Is it sharp?", image_path=str(sharp_page)))
    assert KEY not in str(caught.value) and leaks(tmp_path) == []
    assert (tmp_path / "logs" / "plan.jsonl").read_text().count("\n") >= 2


@pytest.fixture
def sharp_page(tmp_path: Path) -> Path:
    from helpers.pictures import page

    page().save(tmp_path / "page.png")
    return tmp_path / "page.png"


@pytest.mark.parametrize("key", ["sk-half\nof-a-key-0123", "sk-schlüssel-0123", "sk-control\x01-0123"])
def test_a_key_that_no_header_can_carry_is_refused_unseen(kind: str, key: str) -> None:
    # contract: P29
    entry = ServedEntry.model_validate({"kind": kind, "model": "m", "api_key_env": "MY_KEY"})
    with pytest.raises(ModelError, match="the environment variable MY_KEY holds") as caught:
        open_client("x", {"x": entry}, environment={"MY_KEY": key})
    assert key[:7] not in str(caught.value)


def test_white_space_around_a_key_is_not_sent(kind: str) -> None:
    with model_server() as server:
        base_url = f"{server.url}/v1" if kind == "openai" else server.url
        entry = ServedEntry.model_validate(
            {"kind": kind, "model": MODEL, "base_url": base_url, "api_key_env": "MY_KEY"}
        )
        client = open_client("x", {"x": entry}, environment={"MY_KEY": f" {KEY}\r\n"})
        assert client.chat([Message((question_block("How many?"),))]).text == "42"
        assert any(value.removeprefix("Bearer ") == KEY for value in server.headers[0].values())


def test_a_word_for_servers_without_keys_stays_in_replies() -> None:
    pytest.importorskip("openai", reason="the openai library is not installed")
    with model_server() as server:
        server.replies = ["The list is EMPTY."]
        entry = ServedEntry.model_validate(
            {"kind": "openai", "model": MODEL, "base_url": f"{server.url}/v1", "api_key_env": "MY_KEY"}
        )
        client = open_client("x", {"x": entry}, environment={"MY_KEY": "EMPTY"})
        assert client.chat([Message((question_block("Is it empty?"),))]).text == "The list is EMPTY."


@pytest.mark.parametrize(
    "fields",
    [
        {"api_key": "sk-proj-0123456789"},
        {"api_key_env": "sk-proj-0123456789"},
        {"api_key_env": "AIzaSy0123456789abcdef"},
        {"base_url": "https://me:secret0123456789@host/v1"},
        {"base_url": "https://host/v1?key=secret0123456789"},
        {"extra_headers": {"api-key": "secret\n0123456789"}},
    ],
)
def test_a_key_in_the_models_file_is_refused_without_repeating_it(tmp_path: Path, fields: dict[str, str]) -> None:
    # contract: P25, P29
    entry = {"kind": "openai", "model": "m", **fields}
    files.write_json(tmp_path / "models.yaml", {"models": {"served": entry}})
    with pytest.raises(ArtifactError, match=next(iter(fields))) as caught:
        load_models(tmp_path / "models.yaml")
    assert "0123456789" not in str(caught.value)
    with pytest.raises(ValidationError):
        ServedEntry.model_validate(entry)


def test_the_checker_finds_a_key(tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(f"401 for {KEY}")
    assert leaks(tmp_path) != []
