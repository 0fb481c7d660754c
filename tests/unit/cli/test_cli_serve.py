"""``cosee serve``, asked by a real HTTP client over a real socket."""

from __future__ import annotations

import http.client
import json
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from helpers.project import Project
from helpers.search_server import SlowClient, running, wait

from cosee.cli import main
from cosee.commands.search_service import Limits, SearchService
from cosee.commands.serve import make_service
from cosee.models.calls import ServerFailure
from cosee.models.scripted import ScriptedClient
from cosee.pipeline.config import ConfigError, read_config

pytest.importorskip("fastapi")
pytest.importorskip("uvicorn")
ASKED = {"doc_id": "alpha", "question": "How wide was the river?"}
Reply = tuple[int, list[dict[str, Any]]]


def post(port: int, body: Any, host: str = "localhost") -> Reply:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        connection.request("POST", "/agentic_search", text, {"Content-Type": "application/json", "Host": host})
        reply = connection.getresponse()
        lines = reply.read().decode().splitlines()
        return reply.status, [json.loads(line) for line in lines if line.startswith("{")]
    finally:
        connection.close()


def answer(frames: list[dict[str, Any]]) -> str:
    return "".join(frame["content"] for frame in frames if frame["type"] == "token")


def test_an_answer_streams_as_frames(port: int) -> None:
    # contract: E36, E38, E33
    status, frames = post(port, ASKED)
    kinds = [frame["type"] for frame in frames]
    assert status == 200 and kinds[-1] == "complete"
    assert {"decision", "status", "result", "token"} <= set(kinds)
    assert "42" in answer(frames) and answer(frames) == frames[-1]["message"]
    assert frames[-1]["support"][0]["page"] == 1


def test_the_runs_extractor_and_fallback_are_used(service: SearchService, tmp_path: Path) -> None:
    settings = read_config(Path("config/config.yaml"))
    name, run = next(iter(settings.runs.items()))
    run = run.model_copy(update={"extractor": True, "fallback_model": "embedded"})
    asked = make_service(settings.model_copy(update={"runs": {name: run}}), None, None, Limits())
    assert asked.client.fallback is not None and asked.client.fallback.name == "embedded"
    with running(replace(asked, conversations=tmp_path)) as port:
        _, frames = post(port, ASKED)
    assert "ExtractedAnswer" in [frame.get("schema") for frame in frames if frame["type"] == "call"]
    assert "42" in answer(frames) and answer(frames) == frames[-1]["message"]


def test_the_documents_and_the_endpoint_are_described(port: int) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("GET", "/documents")
    listed = json.loads(connection.getresponse().read())
    assert [row["doc_id"] for row in listed] == ["alpha", "beta", "gamma"] and listed[0]["pages"] == 2
    connection.request("GET", "/docs")
    assert connection.getresponse().read().decode().count("openapi.json")
    connection.request("GET", "/openapi.json")
    described = json.loads(connection.getresponse().read())["paths"]["/agentic_search"]["post"]
    assert "tool" in described["description"] and {"200", "404", "413", "503"} <= set(described["responses"])


@pytest.mark.parametrize(
    "doc_id", ["nowhere", "../tiny/alpha", "alpha/../beta", "..", "/etc/passwd", "alpha\x00", "qa", ".shards", "%2e%2e"]
)
def test_only_documents_of_the_dataset_are_found(port: int, doc_id: str) -> None:
    assert post(port, {**ASKED, "doc_id": doc_id})[0] == 404


@pytest.mark.parametrize(
    "body",
    [
        "{", "[]", {}, {"doc_id": "alpha"}, {**ASKED, "question": "  "}, {**ASKED, "question": "x" * 5000},
        {**ASKED, "conversation_id": "../up"}, {**ASKED, "file": "/etc/passwd"}, {**ASKED, "doc_id": 3},
    ],
)  # fmt: skip
def test_a_request_of_another_form_is_refused(port: int, body: Any) -> None:
    assert post(port, body)[0] == 422


def test_a_body_that_is_too_large_is_refused_however_it_is_sent(port: int) -> None:
    assert post(port, {**ASKED, "question": "x" * 100_000})[0] == 413
    with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"POST /agentic_search HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
        client.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n10\r\n" + b"x" * 16 + b"\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413")
    assert post(port, ASKED)[0] == 200


def test_a_body_that_does_not_come_is_given_up(service: SearchService) -> None:
    slow = replace(service, limits=Limits(body_seconds=0.2))
    with running(slow) as port, socket.create_connection(("127.0.0.1", port), timeout=30) as client:
        client.sendall(b"POST /agentic_search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n{")
        assert client.recv(100).startswith(b"HTTP/1.1 408")


def test_another_host_name_is_refused_on_the_loopback_address(port: int) -> None:
    assert post(port, ASKED, host="attacker.example")[0] == 400


def test_fifty_questions_at_once_are_all_answered(port: int, service: SearchService) -> None:
    questions = [{**ASKED, "doc_id": doc_id} for doc_id in ("alpha", "beta", "gamma")]
    with ThreadPoolExecutor(50) as pool:
        replies = list(pool.map(lambda place: post(port, questions[place % 3]), range(50)))
    assert {status for status, _ in replies} == {200}
    assert {frames[-1]["type"] for _, frames in replies} == {"complete"}
    assert len({answer(frames) for _, frames in replies[::3]}) == 1
    wait(lambda: service.active == 0)


def test_more_questions_than_may_wait_are_refused(service: SearchService) -> None:
    slow = replace(service, client=SlowClient(0.2), limits=Limits(concurrency=1, waiting=2, seconds=20))
    with running(slow) as port, ThreadPoolExecutor(6) as pool:
        statuses = sorted(status for status, _ in pool.map(lambda _: post(port, ASKED), range(6)))
    assert statuses[0] == 200 and statuses[-1] == 503


def test_turns_of_one_conversation_hold_up_nobody_else(service: SearchService) -> None:
    slow = replace(service, client=SlowClient(0.1), limits=Limits(concurrency=2))
    with running(slow) as port, ThreadPoolExecutor(4) as pool:
        turns = [pool.submit(post, port, {**ASKED, "conversation_id": "slow"}) for _ in range(3)]
        wait(lambda: slow.active == 3)
        status, frames = post(port, {**ASKED, "doc_id": "beta"})
        assert status == 200 and frames[-1]["type"] == "complete"
        assert sum(turn.done() for turn in turns) < 3
        assert all(turn.result()[1][-1]["type"] == "complete" for turn in turns)


def test_a_client_that_goes_away_stops_the_work_and_not_the_server(service: SearchService) -> None:
    client = SlowClient(0.15)
    slow = replace(service, client=client, limits=Limits(concurrency=1))
    with running(slow) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as gone:
            body = json.dumps(ASKED).encode()
            gone.sendall(
                b"POST /agentic_search HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
            )
            assert gone.recv(200).startswith(b"HTTP/1.1 200")
            wait(lambda: slow.active == 1 and len(client.received) >= 1)
        wait(lambda: slow.active == 0)
        made = len(client.received)
        time.sleep(0.5)
        assert len(client.received) == made and made < 6
        status, frames = post(port, ASKED)
        assert status == 200 and frames[-1]["type"] == "complete"


def test_an_answer_that_takes_too_long_ends_in_an_error_frame(service: SearchService) -> None:
    # contract: E37
    slow = replace(service, client=SlowClient(0.3), limits=Limits(seconds=0.5))
    with running(slow) as port:
        _, frames = post(port, ASKED)
    assert [frame["type"] for frame in frames[-2:]] == ["error", "complete"]
    assert frames[-2]["recoverable"] is True and frames[-2]["suggestion"]


def test_a_models_server_that_is_gone_is_told_and_the_service_goes_on(service: SearchService) -> None:
    client = SlowClient(0.0)

    def gone(_: Any) -> str:
        raise ServerFailure("the server is gone")

    client.replies = gone
    with running(replace(service, client=client)) as port:
        _, frames = post(port, ASKED)
        assert [frame["type"] for frame in frames[-2:]] == ["error", "complete"]
        client.replies = client.search
        assert post(port, ASKED)[1][-1]["type"] == "complete"


def test_a_conversation_goes_on_after_a_restart(service: SearchService) -> None:
    # contract: E41, E42
    asked = {**ASKED, "conversation_id": "talk-1"}
    with running(replace(service)) as port:
        post(port, asked)
    client = ScriptedClient([json.dumps({"tool": "text_response", "inputs": {}, "impossible": True})])
    client.sees_images = False
    with running(replace(service, client=client)) as port:
        post(port, {**asked, "question": "And how deep?"})
    (message,) = client.received[0]
    history = message.first("history")
    assert history is not None and ASKED["question"] in history.text and "42" in history.text
    assert "42 metres wide" in "".join(block.text for block in message.of("page_text"))
    with running(replace(service, client=client)) as port:
        status, frames = post(port, {**asked, "conversation_id": "another"})
    assert status == 200 and frames[-1]["type"] == "complete"


def test_what_is_missing_is_said(
    ran: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ran.folder)
    assert main(["serve", "tiny", "--model", "gpt"]) == 2
    assert "there is no model 'gpt'" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["serve", "tiny"]) == 2
    assert "pip install 'cosee[serve]'" in capsys.readouterr().err


def test_a_dataset_without_documents_is_told_before_serving(
    ran: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = read_config(ran.folder / "config" / "config.yaml")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="no documents yet; run: snakemake --cores all --until index"):
        make_service(settings, None, "embedded", Limits())


def test_the_folders_are_those_of_the_configuration(
    ran: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = ran.copy(tmp_path / "copy")
    monkeypatch.chdir(project.folder)
    Path("data").rename("documents")
    settings = read_config(Path("config/config.yaml")).model_copy(update={"data_dir": "documents"})
    assert list(make_service(settings, None, "embedded", Limits()).documents()) == ["alpha", "beta", "gamma"]


def test_the_command_serves_until_it_is_interrupted(ran: Project) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    command = [sys.executable, "-m", "cosee.cli", "serve", "tiny", "--port", str(number)]
    server = subprocess.Popen(command, cwd=ran.folder, env=ran.environment(), stderr=subprocess.PIPE)
    try:

        def ready() -> bool:
            try:
                return post(number, ASKED)[0] == 200
            except OSError:
                return False

        wait(ready, 120)
    finally:
        server.terminate()
        server.communicate(timeout=60)
