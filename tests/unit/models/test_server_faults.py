"""Faults of servers, each on a real socket: a right answer, or one line before work begins."""

from __future__ import annotations

import json
import logging
import threading

import pytest
from helpers.model_server import MODEL, PROBE, Raw, model_server
from helpers.model_time import ModelTime
from PIL import Image
from pydantic import BaseModel

from cosee.models.blocks import Message, PageImage
from cosee.models.calls import ModelError, Sampling, ServerFailure
from cosee.models.entries import ServedEntry
from cosee.models.messages import evidence_message, instruction_block, page_text_block, question_block
from cosee.models.registry import open_client

LIBRARIES = {"openai": "openai", "anthropic": "anthropic", "google": "google.genai"}
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


def client_of(server, kind="openai", **options):
    pytest.importorskip(LIBRARIES[kind], reason=f"the {kind} library is not installed")
    base_url = f"{server.url}/v1" if kind == "openai" else server.url
    entry = {"kind": kind, "model": MODEL, "base_url": base_url, **options}
    return ModelTime().of(open_client("served", {"served": ServedEntry(**entry)}, environment={}))


def said(message, **fields):
    """A refusal in the form of all three protocols."""
    return Raw(
        {"error": {"message": message, "code": 400, "status": "INVALID_ARGUMENT", **fields}, "type": "error"}, 400
    )


def content(text, finish="stop", **message):
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text, **message}}
    return Raw({"id": "c", "object": "chat.completion", "choices": [choice]})


@pytest.mark.parametrize("kind", KINDS)
def test_a_server_without_a_list_of_models_answers(server, kind, caplog):
    server.models = Raw({"detail": "Not Found"}, 404)
    client = client_of(server, kind)
    assert client.chat(QUESTION).text == "42" and client.chat(QUESTION).text == "42"
    assert caplog.text.count("no list of models (404); models_endpoint: false says so beforehand") == 1


def test_the_list_of_models_is_not_asked_for_where_there_is_none(server):
    server.models = Raw("", 500)
    client = client_of(server, models_endpoint=False)
    assert client.chat(QUESTION).text == "42" and client.check().startswith("has no list of models")


def test_what_a_server_tells_of_itself_is_known_before_the_first_call(server, caplog):
    server.models = Raw({"data": [{"id": MODEL, "max_model_len": 4096}]})
    server.refuses = ("response_format",)
    known = client_of(server, extra_headers={"x-team": "reports"}, extra_body={"priority": 3}).check()
    assert known == (
        "has the model, takes pictures, takes no schema (replies are checked here), context of 4096 tokens"
    )
    assert server.requests == [] and "image_url" in str(server.probes[0])
    assert "max_context is 32768; set it to 4096" in caplog.text
    assert all(probe["priority"] == 3 for probe in server.probes)


def test_a_model_that_takes_no_pictures_is_refused_in_one_line(server):
    server.refuse = lambda body: said("tiny-vision is not a multimodal model") if "image_url" in str(body) else None
    with pytest.raises(ServerFailure, match=r"it takes no pictures .*not a multimodal model\); set sees_images: false"):
        client_of(server).chat(QUESTION)
    assert client_of(server, sees_images=False).chat(QUESTION).text == "42"


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
    server.refuse = lambda body: said(message) if refused in body else None
    client = client_of(server)
    for _ in range(2):
        assert client.chat(QUESTION, Sampling(max_new_tokens=7)).text == "42"
    assert len(server.requests) == 2 and all(refused not in request for request in server.requests)
    assert sent is None or server.requests[0][sent] == 7
    assert caplog.text.count("from now on") == 1 and message[:40] in caplog.text


def test_a_schema_that_a_server_cannot_compile_is_left_out_alone(server):
    class Hard(BaseModel):
        answer: str

    server.refuse = lambda body: said("failed to parse the grammar") if "'Hard'" in str(body) else None
    server.replies = ['{"answer": "42"}']
    client = client_of(server)
    for schema in (Hard, Reply, Hard):
        assert client.request(QUESTION, schema).value.answer == "42"
    assert ["response_format" in request for request in server.requests] == [True, False, True, False]
    assert "takes a schema" in client.check()


def test_parameters_go_under_the_names_of_the_setting(server):
    named = {"max_tokens": "max_completion_tokens", "temperature": None}
    client = client_of(server, parameters=named)
    assert client.chat(QUESTION, Sampling(max_new_tokens=7)).text == "42"
    for request in (*server.probes, *server.requests):
        assert "temperature" not in request and "max_tokens" not in request and "max_completion_tokens" in request


def test_googles_refusal_of_a_penalty_drops_it(server):
    server.refuse = lambda body: (
        said("Penalty is not enabled for this model") if "presencePenalty" in body["generationConfig"] else None
    )
    assert client_of(server, "google").chat(QUESTION).text == "42"
    assert "presencePenalty" not in str(server.requests)


@pytest.mark.parametrize(
    "parts", [[{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "42"}], ["4", {"text": "2"}]]
)
def test_content_as_a_list_of_parts_is_read(server, parts):
    server.replies = [content(parts)]
    assert client_of(server).chat(QUESTION).text == "42"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("where", ["always", "models", "replies"])
def test_a_web_page_in_place_of_json_is_one_line(server, kind, where):
    if where == "replies":
        server.refuse = lambda body: PAGE
    else:
        setattr(server, where, PAGE)
    client = client_of(server, kind, patience=20)
    with pytest.raises(ServerFailure, match="is no reply of this protocol") as caught:
        client.chat(QUESTION)
    assert client.waits == [] and "\n" not in str(caught.value) and "is base_url right?" in str(caught.value)


def test_a_web_page_while_working_is_waited_out(server):
    client = client_of(server)
    client.check()
    server.always = PAGE
    client.time.at[200.0] = lambda: setattr(server, "always", None)
    assert client.chat(QUESTION).text == "42"


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_in_a_reply_with_status_200_is_told(server, kind):
    server.refuse = lambda body: Raw({"error": {"message": "Unexpected endpoint or method"}})
    client = client_of(server, kind)
    with pytest.raises(ServerFailure, match="Unexpected endpoint or method|no reply of this protocol"):
        client.chat(QUESTION)
    assert client.waits == [] and len(server.probes) <= 8


def test_an_error_of_one_request_with_status_200_is_that_requests(server):
    server.replies = [Raw({"error": {"message": "upstream has no idea", "code": "x"}}), "42"]
    client = client_of(server)
    with pytest.raises(ModelError, match="upstream has no idea"):
        client.chat(QUESTION)
    assert client.chat(QUESTION).text == "42" and client.waits == []
    server.replies = [Raw({"error": {"message": "slow down", "code": 429}}), "43"]
    assert client.chat(QUESTION).text == "43" and client.waits == [1.0]


def test_all_calls_wait_once_for_as_long_as_the_server_asks(server, caplog):
    server.wait = "75"
    server.replies = [429, "42"]
    client = client_of(server, concurrency=4)
    client.check()
    assert [reply.text for reply in client.chat_many([QUESTION] * 8)] == ["42"] * 8
    assert caplog.text.count("asking again in 75 s") == 1 and client.time.now >= 75
    assert len(server.requests) == 9


def test_a_wait_beyond_the_patience_ends_the_job(server):
    server.wait = "86400"
    server.replies = [429]
    with pytest.raises(ServerFailure, match="asks to wait for 86400 s, longer than the patience of 600 s"):
        client_of(server).chat(QUESTION)


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
    reply = client_of(server, kind).request(QUESTION, Reply)
    assert reply.value == Reply(answer="42") and reply.attempts == 1


def test_a_tool_call_without_content_is_the_typed_reply(server):
    call = {"id": "1", "type": "function", "function": {"name": "reply", "arguments": '{"answer": "42"}'}}
    server.replies = [content(None, "tool_calls", tool_calls=[call])]
    assert client_of(server).request(QUESTION, Reply).value == Reply(answer="42")


@pytest.mark.parametrize(
    ("kind", "reply", "name"),
    [
        ("openai", content("", "content_filter"), "content_filter"),
        ("openai", content(None, refusal="I cannot help with that."), "I cannot help with that."),
        ("openai", said("The response was filtered", code="content_filter"), "content_filter"),
        ("anthropic", Raw({"type": "message", "role": "assistant", "content": [], "stop_reason": "refusal",
                           "usage": {"input_tokens": 1, "output_tokens": 0}}), "refusal"),
        ("google", Raw({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "PROHIBITED_CONTENT"),
        ("google", Raw({"candidates": [{"finishReason": "SAFETY", "index": 0}]}), "SAFETY"),
    ],
)  # fmt: skip
def test_a_block_by_a_safety_filter_is_named(server, kind, reply, name):
    server.replies = [reply, "42"]
    client = client_of(server, kind)
    with pytest.raises(ModelError, match=f"blocked by the server's safety filter .*{name}") as caught:
        client.chat(QUESTION)
    assert not caught.value.recoverable and len(server.requests) == 1
    assert client.chat(QUESTION).text == "42"


def test_a_refused_key_ends_the_job_before_work(server):
    server.always = Raw({"error": {"message": "invalid key"}}, 401)
    with pytest.raises(ServerFailure, match="invalid key.*environment variable of its key"):
        client_of(server).chat(QUESTION)


def test_a_key_that_is_refused_while_working_is_no_questions_fault(server):
    client = client_of(server)
    assert client.chat(QUESTION).text == "42"
    server.always = Raw({"error": {"message": "credit is used up"}}, 402)
    with pytest.raises(ServerFailure, match="credit is used up"):
        client.chat(QUESTION)


def test_a_request_that_the_server_cannot_answer_is_that_requests_fault(server):
    server.replies = [500]
    client = client_of(server, retries=2)
    with pytest.raises(ModelError, match="failed on purpose"):
        client.chat(QUESTION)
    assert client.waits == [1.0, 2.0] and len(server.requests) == 3


def test_a_server_that_dies_while_working_is_waited_for_by_one(server, caplog):
    caplog.set_level(logging.WARNING)
    client = client_of(server, concurrency=4)
    assert client.chat(QUESTION).text == "42"
    server.stop()
    client.time.at[150.0] = server.start
    server.replies = ['{"answer": "a"}']
    replies = client.request_many([QUESTION] * 8, Reply)
    assert [reply.value.answer for reply in replies] == ["a"] * 8 and len(server.requests) == 9
    # A line a minute of one waiter, however many calls are under way, and one that it works again.
    assert caplog.text.count("waited for") == 3 and caplog.text.count("it works again") == 1


def test_a_server_that_does_not_come_back_ends_every_call(server):
    client = client_of(server, concurrency=4, patience=90)
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
    client = client_of(server, concurrency=1, patience=1)
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


def prompt(pages, letters=400):
    """Pages best first, each with a picture and a text."""
    return [
        evidence_message(
            "How many?",
            images=[PageImage(page, Image.new("RGB", (30, 40), (page, 0, 0))) for page in pages],
            evidence=[page_text_block(page, None, f"page {page} " + "a" * letters) for page in pages],
        )
    ]


def pages_of(request):
    text = json.dumps(request["messages"])
    return [page for page in range(1, 20) if f'page=\\"{page}\\"' in text.replace("\\\\", "\\")]


PICTURE_WORDS = {
    "vLLM": "At most 4 image(s) may be provided in one prompt. Set `--limit-mm-per-prompt` to increase this limit.",
    "vLLM before": "At most 4 image(s) may be provided in one request.",
    "Anthropic": "too many images and documents: 6 + 0 > 4",
    "Anthropic before": "Too much media: 0 document pages + 6 images > 4",
    "Azure": "Too many images in request. Max is 4.",
    "Mistral": "Too many images in request: Max is 4",
    "Groq": "Too many images provided. This model supports up to 4 images",
    "a gateway": "request contains 6 images, exceeding the maximum of 4 allowed per request",
    "another": "The request contains too many images: 6 were provided, but the model supports a maximum of 4 images.",
    "one that does not say": "Too many images in the prompt",
}  # fmt: skip


@pytest.mark.parametrize("words", PICTURE_WORDS.values(), ids=PICTURE_WORDS)
def test_too_many_pictures_are_answered_by_leaving_out_the_lowest_ranked_pages(server, words):
    server.refuse = lambda body: said(words) if str(body).count("image_url': ") > 4 else None
    client = client_of(server)
    reply = client.chat(prompt([7, 3, 9, 1, 5, 2]))
    assert reply.text == "42" and pages_of(server.requests[-1]) == [1, 3, 7, 9]
    assert reply.left_out == {"more pictures than the server takes": ["page 2", "page 5"]}
    asked = len(server.requests)
    again = client.chat(prompt([2, 4, 6, 8, 10]))
    assert len(server.requests) == asked + 1, "the limit is known"
    assert again.left_out == {"more pictures than the server takes": ["page 10"]} and reply.usage.images == 4


@pytest.mark.parametrize("kind", ["anthropic", "google"])
def test_too_many_pictures_in_the_other_protocols(server, kind):
    count = (
        (lambda body: str(body).count("inlineData")) if kind == "google" else lambda body: str(body).count("base64'")
    )
    server.refuse = lambda body: said("Too many images: at most 2 images") if count(body) > 2 else None
    assert list(client_of(server, kind).chat(prompt([1, 2, 3])).left_out.values()) == [["page 3"]]


TOKEN_WORDS = {
    "vLLM": "This model's maximum context length is 600 tokens. However, your prompt contains at least 601 input "
    "tokens",
    "vLLM before": "This model's maximum context length is 600 tokens. However, you requested 900 tokens (700 in the "
    "messages, 200 in the completion). Please reduce the length of the messages or completion.",
    "vLLM's reply": "'max_tokens' or 'max_completion_tokens' is too large: 64. This model's maximum context length is "
    "600 tokens and your request has 590 input tokens (64 > 600 - 590).",
    "vLLM's engine": "The decoder prompt (length 10127) is longer than the maximum model length of 600.",
    "SGLang": "The input (61709 tokens) is longer than the model's context length (600 tokens).",
    "SGLang's pool": "Input length (160062 tokens) exceeds the maximum allowed length (600 tokens).",
    "llama.cpp": "the request exceeds the available context size. try increasing the context size",
    "llama.cpp now": "request (1407 tokens) exceeds the available context size (600 tokens), try increasing it",
    "Ollama": "the input length exceeds the context length",
    "LM Studio": "Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with "
    "context length of only 600 tokens, which is not enough.",
    "LM Studio now": "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: "
    "13055>= n_ctx: 600). Try to load the model with a larger context length",
    "OpenAI": "This model's maximum context length is 600 tokens. However, your messages resulted in 1446 tokens.",
    "OpenAI now": "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "Anthropic": "prompt is too long: 2079 tokens > 600 maximum",
    "Anthropic's reply": "input length and `max_tokens` exceed context limit: 590 + 64 > 600, decrease input length",
    "Gemini": "The input token count (1200) exceeds the maximum number of tokens allowed (600).",
}  # fmt: skip


@pytest.mark.parametrize("words", TOKEN_WORDS.values(), ids=TOKEN_WORDS)
def test_too_many_tokens_are_answered_by_leaving_out_the_lowest_ranked_pages(server, words, caplog):
    server.refuse = lambda body: said(words) if len(pages_of(body)) > 2 else None
    reply = client_of(server, sees_images=False).chat(prompt([7, 3, 9, 1]))
    assert reply.text == "42" and pages_of(server.requests[-1]) == [3, 7]
    assert reply.left_out == {"longer than the server takes": ["page 1", "page 9"]}
    assert caplog.text.count("sent again with less in it") == 2 and words[:30] in caplog.text
    assert "from now on" not in caplog.text, "no parameter is at fault"


def test_a_limit_that_is_known_leaves_out_what_is_surely_too_much_before_asking(server):
    server.models = Raw({"data": [{"id": MODEL, "max_model_len": 600}]})
    client = client_of(server, sees_images=False)
    reply = client.chat(prompt([1, 2, 3], letters=1_700))
    assert len(server.requests) == 1 and reply.left_out == {"longer than the server takes": ["page 3", "page 2"]}


def test_the_order_of_questions_decides_no_prompt(server):
    """Whether a limit was known or is told by the refusal, a prompt is sent in the same form."""

    def takes(body):
        if str(body).count("image_url': ") > 3:
            return said("At most 3 image(s) may be provided in one prompt.")
        letters = sum(len(part.get("text", "")) for part in body["messages"][0]["content"])
        tokens = letters // 4 + 250 * str(body).count("image_url': ")
        return said("The input is longer than the model's context length (1800 tokens).") if tokens > 1_800 else None

    questions = [prompt([1, 2, 3, 4, 5], letters) for letters in (100, 1_500, 2_500, 4_000)]
    server.refuse = takes
    forward, backward = client_of(server), client_of(server)
    left = [forward.chat(question).left_out for question in questions]
    assert left == [backward.chat(question).left_out for question in reversed(questions)][::-1]
    assert len({str(each) for each in left}) == 3


def test_a_prompt_with_nothing_to_leave_out_is_that_requests_fault(server):
    server.refuse = lambda body: None if PROBE in json.dumps(body) else said(TOKEN_WORDS["vLLM"])
    with pytest.raises(ModelError, match="maximum context length is 600 tokens"):
        client_of(server).chat(prompt([1]))
    assert len(server.requests) == 1
