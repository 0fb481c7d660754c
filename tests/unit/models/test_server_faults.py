"""Faults of servers, each on a real socket: a right answer, or one line before work begins."""

from __future__ import annotations

import json
import logging
import socket
import threading

import pytest
from helpers.model_server import MODEL, Raw, model_server, refusal
from helpers.model_time import LIBRARIES, served_client
from pydantic import BaseModel

from cosee.models.blocks import Message
from cosee.models.calls import ModelError, Sampling, ServerFailure
from cosee.models.messages import instruction_block, question_block

KINDS = list(LIBRARIES)
PAGE = Raw("<html><body>Sign in to the network</body></html>", content_type="text/html")
QUESTION = [Message((question_block("How many?"), instruction_block("read", "Answer with a number.")))]


class Reply(BaseModel):
    """A typed reply."""

    answer: str


@pytest.fixture
def server():
    with model_server() as state:
        yield state


def content(text, finish="stop", **message):
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return Raw({"id": "c", "object": "chat.completion", "choices": [choice]})


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_without_a_list_of_models_answers(server, kind, caplog):
    server.models = Raw({"detail": "Not Found"}, 404)
    client = served_client(server, kind)
    assert client.chat(QUESTION).text == "42" and client.chat(QUESTION).text == "42"
    assert caplog.text.count("no list of models (404); models_endpoint: false says so beforehand") == 1


def test_the_list_of_models_is_not_asked_for_where_there_is_none(server):
    server.models = Raw("", 500)
    client = served_client(server, models_endpoint=False)
    assert client.chat(QUESTION).text == "42" and client.check().startswith("has no list of models")


def test_what_a_server_tells_of_itself_is_known_before_the_first_call(server, caplog):
    server.models = Raw({"data": [{"id": MODEL, "max_model_len": 4096}]})
    server.refuses = ("response_format",)
    known = served_client(server, extra_headers={"x-team": "reports"}, extra_body={"priority": 3}).check()
    assert known == (
        "has the model, takes pictures, takes no schema (replies are checked here), context of 4096 tokens"
    )
    assert server.requests == [] and "image_url" in str(server.probes[0])
    assert "max_context is 32768; set it to 4096" in caplog.text
    assert all(probe["priority"] == 3 for probe in server.probes)


def test_a_model_that_takes_no_pictures_is_refused_in_one_line(server):
    server.refuse = lambda body: refusal("tiny-vision is not a multimodal model") if "image_url" in str(body) else None
    with pytest.raises(ServerFailure, match=r"it takes no pictures .*not a multimodal model\); set sees_images: false"):
        served_client(server).chat(QUESTION)
    assert served_client(server, sees_images=False).chat(QUESTION).text == "42"


@pytest.mark.parametrize(
    ("message", "refused", "sent"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
         "max_tokens", "max_completion_tokens"),
        ("Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) is supported.",
         "temperature", None),
        ('Invalid JSON payload received. Unknown name "presencePenalty": Cannot find', "presence_penalty", None),
        ("Penalty is not enabled for models/gemini-2.5-flash", "presence_penalty", None),
    ],
)  # fmt: skip
def test_a_refused_parameter_is_dropped_once_with_a_line(server, caplog, message, refused, sent):
    server.refuse = lambda body: refusal(message) if refused in body else None
    client = served_client(server)
    for _ in range(2):
        assert client.chat(QUESTION, Sampling(max_new_tokens=7)).text == "42"
    assert len(server.requests) == 2 and all(refused not in request for request in server.requests)
    assert sent is None or server.requests[0][sent] == 7
    assert caplog.text.count("from now on") == 1 and message[:40] in caplog.text


def test_a_schema_that_a_server_cannot_compile_is_left_out_alone(server):
    class Hard(BaseModel):
        answer: str

    server.refuse = lambda body: refusal("failed to parse the grammar") if "'Hard'" in str(body) else None
    server.replies = ['{"answer": "42"}']
    client = served_client(server)
    for schema in (Hard, Reply, Hard):
        assert client.request(QUESTION, schema).value.answer == "42"
    assert ["response_format" in request for request in server.requests] == [True, False, True, False]
    assert "takes a schema" in client.check()


def test_parameters_go_under_the_names_of_the_setting(server):
    named = {"max_tokens": "max_completion_tokens", "temperature": None}
    client = served_client(server, parameters=named)
    assert client.chat(QUESTION, Sampling(max_new_tokens=7)).text == "42"
    for request in (*server.probes, *server.requests):
        assert "temperature" not in request and "max_tokens" not in request and "max_completion_tokens" in request


def test_googles_refusal_of_a_penalty_drops_it(server):
    server.refuse = lambda body: (
        refusal("Penalty is not enabled for this model") if "presencePenalty" in body["generationConfig"] else None
    )
    assert served_client(server, "google").chat(QUESTION).text == "42"
    assert "presencePenalty" not in str(server.requests)


@pytest.mark.parametrize(
    "parts", [[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}], ["4", {"text": "2"}]]
)
def test_content_as_a_list_of_parts_is_read(server, parts):
    server.replies = [content(parts)]
    assert served_client(server).chat(QUESTION).text == "42"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["always", "models", "replies"])
def test_a_web_page_in_place_of_json_is_one_line(server, kind, where):
    if where == "replies":
        server.refuse = lambda body: PAGE
    else:
        setattr(server, where, PAGE)
    client = served_client(server, kind, patience=20)
    with pytest.raises(ServerFailure, match="is no reply of this protocol") as caught:
        client.chat(QUESTION)
    assert client.waits == [] and "\n" not in str(caught.value) and "is base_url right?" in str(caught.value)


def test_a_web_page_while_working_is_waited_out(server):
    client = served_client(server)
    client.check()
    server.always = PAGE
    client.time.at[200.0] = lambda: setattr(server, "always", None)
    assert client.chat(QUESTION).text == "42"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_in_a_reply_with_status_200_is_told(server, kind):
    server.refuse = lambda body: Raw({"error": {"message": "Unexpected endpoint or method"}})
    client = served_client(server, kind)
    with pytest.raises(ServerFailure, match="Unexpected endpoint or method|no reply of this protocol"):
        client.chat(QUESTION)
    assert client.waits == [] and len(server.probes) <= 8


def test_an_error_of_one_request_with_status_200_is_that_requests(server):
    server.replies = [Raw({"error": {"message": "upstream has no idea", "code": "x"}}), "42"]
    client = served_client(server)
    with pytest.raises(ModelError, match="upstream has no idea"):
        client.chat(QUESTION)
    assert client.chat(QUESTION).text == "42" and client.waits == []
    server.replies = [Raw({"error": {"message": "slow down", "code": 429}}), "43"]
    assert client.chat(QUESTION).text == "43" and client.waits == [1.0]


def test_all_calls_wait_once_for_as_long_as_the_server_asks(server, caplog):
    server.wait = "75"
    server.replies = [429, "42"]
    client = served_client(server, concurrency=4)
    client.check()
    assert [reply.text for reply in client.chat_many([QUESTION] * 8)] == ["42"] * 8
    assert caplog.text.count("asking again in 75 s") == 1 and client.time.now >= 75
    assert len(server.requests) == 9


def test_a_wait_beyond_the_patience_ends_the_job(server):
    server.wait = "86400"
    server.replies = [429]
    with pytest.raises(ServerFailure, match="asks to wait for 86400 s, longer than the patience of 600 s"):
        served_client(server).chat(QUESTION)


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>\n{"name": "reply", "arguments": {"answer": "42"}}\n</tool_call>',
        '<think>let me</think><tool_call>{"name": "reply", "arguments": "{\\"answer\\": \\"42\\"}"}',
    ],
)
@pytest.mark.parametrize("kind", ["openai", "anthropic"])
def test_a_tool_call_in_words_is_the_typed_reply(server, kind, text):
    server.replies = [text]
    reply = served_client(server, kind).request(QUESTION, Reply)
    assert reply.value == Reply(answer="42") and reply.attempts == 1


def test_a_tool_call_without_content_is_the_typed_reply(server):
    call = {"id": "1", "type": "function", "function": {"name": "reply", "arguments": '{"answer": "42"}'}}
    server.replies = [content(None, "tool_calls", tool_calls=[call])]
    assert served_client(server).request(QUESTION, Reply).value == Reply(answer="42")


@pytest.mark.parametrize(
    ("kind", "reply", "name"),
    [
        ("openai", content("", "content_filter"), "content_filter"),
        ("openai", content(None, refusal="I cannot help with that."), "I cannot help with that."),
        ("openai", refusal("The response was filtered", code="content_filter"), "content_filter"),
        ("anthropic", Raw({"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
                           "usage": {"input_tokens": 1, "output_tokens": 0}}), "refusal"),
        ("google", Raw({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "PROHIBITED_CONTENT"),
        ("google", Raw({"candidates": [{"finishReason": "SAFETY", "index": 0}]}), "SAFETY"),
    ],
)  # fmt: skip
def test_a_block_by_a_safety_filter_is_named(server, kind, reply, name):
    server.replies = [reply, "42"]
    client = served_client(server, kind)
    with pytest.raises(ModelError, match=f"blocked by the server's safety filter .*{name}") as caught:
        client.chat(QUESTION)
    assert not caught.value.recoverable and len(server.requests) == 1
    assert client.chat(QUESTION).text == "42"


def test_a_refused_key_ends_the_job_before_work(server):
    server.always = Raw({"error": {"message": "invalid key"}}, 401)
    with pytest.raises(ServerFailure, match="invalid key.*environment variable of its key"):
        served_client(server).chat(QUESTION)


def test_what_a_server_says_holds_no_header_and_moves_no_terminal(server, caplog):
    secret = "key-of-a-gateway-0123"
    server.always = Raw({"error": {"message": f"\x1b[2J no {secret}"}}, 403)
    with pytest.raises(ServerFailure) as caught:
        served_client(server, extra_headers={"api-key": secret}).chat(QUESTION)
    assert "no ***" in str(caught.value) and "\x1b" not in str(caught.value)
    client = served_client(server, extra_headers={"api-key": secret}, patience=90)
    server.always = None
    client.check()
    server.always = Raw({"error": {"message": f"no {secret}"}}, 503)
    with pytest.raises(ServerFailure) as caught:
        client.chat(QUESTION)
    assert secret not in caplog.text and secret not in str(caught.value)


def test_what_the_entry_adds_to_a_request_is_not_dropped_but_told(server):
    server.refuses = ("priority",)
    with pytest.raises(ServerFailure, match=r"Unexpected fields: \['priority'\]"):
        served_client(server, extra_body={"priority": 3}).chat(QUESTION)


def test_a_key_that_is_refused_while_working_is_no_questions_fault(server):
    client = served_client(server)
    assert client.chat(QUESTION).text == "42"
    server.always = Raw({"error": {"message": "credit is used up"}}, 402)
    with pytest.raises(ServerFailure, match="credit is used up"):
        client.chat(QUESTION)


def test_a_request_that_the_server_cannot_answer_is_that_requests_fault(server):
    server.replies = [500]
    client = served_client(server, retries=2)
    with pytest.raises(ModelError, match="failed on purpose"):
        client.chat(QUESTION)
    assert client.waits == [1.0, 2.0] and len(server.requests) == 3


def test_a_server_that_dies_while_working_is_waited_for_by_one(server, caplog):
    caplog.set_level(logging.WARNING)
    client = served_client(server, concurrency=4)
    assert client.chat(QUESTION).text == "42"
    server.stop()
    client.time.at[150.0] = server.start
    server.replies = ['{"answer": "a"}']
    replies = client.request_many([QUESTION] * 8, Reply)
    assert [reply.value.answer for reply in replies] == ["a"] * 8 and len(server.requests) == 9
    # A line a minute of one waiter, however many calls are under way, and one that it works again.
    assert caplog.text.count("waited for") == 3 and caplog.text.count("it works again") == 1


def test_a_prompt_at_which_the_server_breaks_off_each_time_is_that_requests_fault(server):
    client = served_client(server, retries=2)
    client.check()

    def torn(body):
        if "Question" in json.dumps(body):
            server.open()[-1].shutdown(socket.SHUT_RDWR)

    server.refuse = torn
    with pytest.raises(ModelError, match="no answer"):
        client.chat(QUESTION)
    assert len(server.requests) == 4 and client.time.now < 5


def test_a_web_page_for_one_call_fails_no_question(server):
    server.replies = [PAGE, "42"]
    client = served_client(server)
    assert client.chat(QUESTION).text == "42" and client.waits == [1.0]


def test_a_server_that_does_not_come_back_ends_every_call(server):
    client = served_client(server, concurrency=4, patience=90)
    assert client.chat(QUESTION).text == "42"
    server.stop()
    with pytest.raises(ServerFailure, match=r"was waited for 90 s; what was answered is kept") as caught:
        client.chat(QUESTION)
    assert 90 <= client.time.now <= 120 and "\n" not in str(caught.value)
    with pytest.raises(ServerFailure):
        client.request_many([QUESTION] * 3, Reply)
    assert client.time.now <= 120, "nobody waits again"
    server.start()
    client.time.sleep(60)
    assert client.chat(QUESTION).text == "42", "a service that lives on asks again"


def test_what_was_answered_before_the_server_died_comes_first(server):
    client = served_client(server, concurrency=1, patience=1)
    client.check()
    asked = []

    def die_at_the_third(body):
        asked.append(body)
        if len(asked) == 3:
            threading.Thread(target=server.stop).start()
            threading.Event().wait(0.2)

    server.refuse = die_at_the_third
    came = []
    with pytest.raises(ServerFailure):
        came.extend(place for place, _ in client.as_they_come([QUESTION] * 9, None, [None] * 9))
    assert came == [0, 1]
