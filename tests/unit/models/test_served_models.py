"""Clients of served models against a real HTTP server that speaks their protocol."""

from __future__ import annotations

import base64
import json
import logging
import threading

import pytest
from helpers.model_server import MODEL, model_server, refusal
from helpers.model_time import LIBRARIES, served_client
from PIL import Image
from pydantic import BaseModel

from cosee.models.blocks import Message, PageImage
from cosee.models.calls import ModelError, Sampling, ServerFailure
from cosee.models.entries import ServedEntry
from cosee.models.messages import image_block, instruction_block, question_block
from cosee.models.registry import open_client

KEY = "sk-very-secret-key"


class Reply(BaseModel):
    """A typed reply."""

    answer: str


@pytest.fixture
def server():
    with model_server() as state:
        yield state


def client_of(server, kind, **options):
    return served_client(server, kind, environment={"COSEE_TEST_KEY": KEY}, api_key_env="COSEE_TEST_KEY", **options)


@pytest.fixture(params=["openai", "anthropic", "google"])
def kind(request):
    return request.param


def messages(*, picture=True):
    blocks = [question_block("How many?"), instruction_block("read", "Answer with a number.")]
    if picture:
        blocks.insert(0, image_block(PageImage(1, Image.new("RGB", (40, 30), "red"))))
    return [Message(tuple(blocks))]


def test_a_reply_comes_with_what_it_cost(server, kind):
    # contract: D106, C53
    server.replies = ["<think>let me see</think>42"]
    reply = client_of(server, kind).chat(messages(), Sampling(max_new_tokens=20, stop=["\n"]))
    assert reply.text == "42" and reply.finish_reason == "stop"
    usage = reply.usage
    assert (usage.tokens_in, usage.tokens_out, usage.tokens_cached, usage.images, usage.calls) == (100, 3, 64, 1, 1)


def test_a_picture_goes_as_its_provider_wants_it(server, kind):
    client_of(server, kind).chat(messages())
    (request,) = server.requests
    if kind == "openai":
        picture, question, _ = request["messages"][0]["content"]
        data = picture["image_url"]["url"].removeprefix("data:image/png;base64,")
        text = question["text"]
    elif kind == "anthropic":
        picture, question, _ = request["messages"][0]["content"]
        assert picture["source"]["media_type"] == "image/png"
        data, text = picture["source"]["data"], question["text"]
    else:
        picture, question, _ = request["contents"][0]["parts"]
        data, text = picture["inlineData"]["data"], question["text"]
        data = data.replace("-", "+").replace("_", "/")
    assert base64.b64decode(data).startswith(b"\x89PNG") and text == "Question: How many?"


def test_a_model_that_sees_nothing_is_sent_no_picture(server, kind):
    client = client_of(server, kind, sees_images=False)
    assert client.chat(messages()).usage.images == 0
    assert "base64" not in str(server.requests) and "inlineData" not in str(server.requests)


def test_draws_of_two_seeds_have_none_in_common():
    drawn = [Sampling(seed=seed, sample=sample).served_seed for seed in range(5) for sample in range(40)]
    assert len(set(drawn)) == len(drawn) and drawn[:3] == [0, 1, 2]
    assert 0 <= Sampling(seed=2**40, sample=3).served_seed < 2**31


def test_sampling_reaches_the_server_as_far_as_its_protocol_goes(server, kind):
    client_of(server, kind).chat(
        messages(picture=False), Sampling(max_new_tokens=7, temperature=0.3, seed=4, stop=["x"])
    )
    (request,) = server.requests
    if kind == "openai":
        assert request["max_tokens"] == 7 and request["temperature"] == 0.3 and request["seed"] == 4000
        assert request["presence_penalty"] == 1.5 and request["top_k"] == 20 and request["stop"] == ["x"]
    elif kind == "anthropic":
        assert request["max_tokens"] == 7 and request["stop_sequences"] == ["x"]
    else:
        settings = request["generationConfig"]
        assert settings["maxOutputTokens"] == 7 and settings["temperature"] == 0.3 and settings["topK"] == 20


def test_a_typed_request_is_held_to_its_schema_by_the_server(server, kind):
    server.replies = [{"answer": "42"}]
    reply = client_of(server, kind).request(messages(), Reply)
    assert reply.value == Reply(answer="42") and reply.attempts == 1
    (request,) = server.requests
    assert "answer" in str(
        request.get("response_format") or request.get("tools") or request["generationConfig"]["responseJsonSchema"]
    )


@pytest.mark.parametrize(
    "refused", [("response_format",), ("top_k",), ("response_format", "repetition_penalty"), ("temperature", "seed")]
)
def test_parts_that_a_server_refuses_are_left_out_from_the_first_call_on(server, refused, caplog):
    server.refuses = refused
    server.replies = ['{"answer": "42"}']
    client = client_of(server, "openai")
    assert client.request(messages(), Reply).value == Reply(answer="42")
    assert client.request(messages(), Reply).value == Reply(answer="42")
    assert len(server.probes) == 2 and len(server.requests) == 2
    assert caplog.text.count("left out from now on") == 1 and all(name in caplog.text for name in refused)
    kept = {"response_format", "top_k"} - set(refused)
    assert ("repetition_penalty" in refused) or kept <= server.requests[-1].keys()
    assert not set(refused) & server.requests[-1].keys()


def test_what_a_server_says_of_a_refusal_is_passed_on(server):
    server.refuses = ("messages",)
    with pytest.raises(ServerFailure, match=r"422 .*Unexpected fields: \['messages'\]"):
        client_of(server, "openai").chat(messages())


def test_a_busy_server_is_asked_again_with_growing_waits(server, kind, caplog):
    # contract: P24
    server.replies = [503, 500, "42"]
    client = client_of(server, kind)
    with caplog.at_level(logging.DEBUG):
        assert client.chat(messages()).text == "42"
    assert client.waits == [1.0, 2.0] and len(server.requests) == 3
    assert KEY not in caplog.text


def test_the_wait_that_a_server_asks_for_is_kept(server, kind):
    server.replies, server.wait = [429, "42"], "7"
    client = client_of(server, kind)
    assert client.chat(messages()).text == "42"
    assert client.waits == [7.0]


def test_a_failure_that_stays_ends_in_words_without_the_key(server, kind):
    # contract: P29
    server.replies = [500]
    client = client_of(server, kind, retries=2)
    with pytest.raises(ModelError) as caught:
        client.chat(messages())
    assert not caught.value.recoverable and len(server.requests) == 3
    assert MODEL in str(caught.value) and KEY not in str(caught.value)


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_request_is_not_sent_again(server, kind, status):
    server.replies = [status]
    client = client_of(server, kind)
    with pytest.raises(ModelError) as caught:
        client.chat(messages())
    assert not caught.value.recoverable and len(server.requests) == 1 and client.waits == []
    assert KEY not in str(caught.value)


def test_no_server_at_all_is_said_with_its_address(kind):
    with model_server() as state:
        url = state.url
    state.url = url
    client = client_of(state, kind, retries=1, timeout=2)
    with pytest.raises(ServerFailure, match=r"127\.0\.0\.1.*is the server running"):
        client.chat(messages())
    assert client.waits == []


def test_an_unknown_model_is_refused_with_the_nearest_before_any_call(server, kind):
    with pytest.raises(ServerFailure, match=f"no model 'tiny-vison'; did you mean '{MODEL}'"):
        client_of(server, kind, model="tiny-vison").chat(messages())
    assert server.requests == []


def test_a_missing_key_is_named_and_a_server_of_ones_own_needs_none(kind):
    pytest.importorskip(LIBRARIES[kind], reason=f"the {kind} library is not installed")
    with pytest.raises(ModelError, match="the environment variable MY_KEY is not set"):
        open_client("x", {"x": ServedEntry(kind=kind, model="m", api_key_env="MY_KEY")}, environment={})
    with pytest.raises(ModelError, match="_API_KEY is not set"):
        open_client("x", {"x": ServedEntry(kind=kind, model="m")}, environment={})
    open_client("x", {"x": ServedEntry(kind=kind, model="m", base_url="http://127.0.0.1:9")}, environment={})


def test_many_calls_run_side_by_side_within_the_limit(server, kind):
    client = client_of(server, kind, concurrency=3)
    server.together = threading.Barrier(3)
    assert [reply.text for reply in client.chat_many([messages(picture=False)] * 9)] == ["42"] * 9
    server.replies = ['{"answer": "a"}']
    replies = client.request_many([messages(picture=False)] * 9, Reply)
    assert [reply.value.answer for reply in replies] == ["a"] * 9
    assert server.most_at_once == 3


def test_one_refused_call_of_a_batch_leaves_the_others_their_replies(server, kind):
    server.replies = [403, '{"answer": "a"}']
    replies = client_of(server, kind, concurrency=1).request_many([messages(picture=False)] * 3, Reply)
    assert isinstance(replies[0], ModelError) and [reply.value.answer for reply in replies[1:]] == ["a", "a"]


def test_a_typed_reply_is_heard_while_the_server_writes_it(server):
    # contract: D106
    server.replies = ['<think>hm hm</think>{"answer": "forty two units"}']
    server.heard = threading.Event()
    texts = []

    def heard(text):
        texts.append(text)
        server.heard.set()

    client = client_of(server, "openai")
    reply = client.chat_typed_streamed(messages(), Reply, Sampling(max_new_tokens=20), heard)
    assert texts[-1].endswith('"forty two units"}') and len(set(texts)) > 3, "the server waited for the first piece"
    assert not any("hm" in text for text in texts)
    assert json.loads(reply.text.rpartition("</think>")[2]) == {"answer": "forty two units"}
    assert reply.usage.calls == 1 and reply.usage.tokens_out > 3 and reply.usage.images == 1
    sent = server.requests[-1]
    assert sent["stream"] is True and sent["response_format"]["json_schema"]["name"] == "Reply"


def test_a_server_that_refuses_to_stream_is_asked_for_the_reply_in_one_piece(server):
    server.replies = ['{"answer": "42"}']
    server.refuse = lambda body: refusal("stream is not supported") if body.get("stream") else None
    heard = []
    reply = client_of(server, "openai").chat_typed_streamed(messages(), Reply, None, heard.append)
    assert (reply.text, heard, reply.usage.tokens_in) == ('{"answer": "42"}', [], 100)


def test_a_client_that_cannot_stream_replies_all_the_same(server):
    server.replies = [{"answer": "42"}]
    for kind in ("anthropic", "google"):
        heard = []
        reply = client_of(server, kind).chat_typed_streamed(messages(), Reply, None, heard.append)
        assert (json.loads(reply.text), heard) == ({"answer": "42"}, [])


def test_a_large_picture_is_sent_smaller():
    import os

    noise = Image.frombytes("RGB", (400, 400), os.urandom(400 * 400 * 3))
    media_type, data = PageImage(1, noise).encoded(60_000)
    assert media_type == "image/jpeg" and len(data) <= 60_000


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("${COSEE_SERVER}", True), ("${COSEE_SERVER:-http://127.0.0.1:8000/v1}", True), ("http://gpu07:8000/v1", True),
        ("ftp://gpu07", False), ("https://", False), ("${COSEE_SERVER:-http://user:word@gpu07}", False),
    ],
)  # fmt: skip
def test_a_servers_address_may_come_from_the_environment(address, good):
    if good:
        assert ServedEntry(kind="openai", model="m", base_url=address).base_url == address
    else:
        with pytest.raises(ValueError, match="base_url"):
            ServedEntry(kind="openai", model="m", base_url=address)
