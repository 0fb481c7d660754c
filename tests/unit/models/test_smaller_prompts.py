"""Prompts with more in them than a server takes: its lowest-ranked pages are left out, in the words of any server."""

from __future__ import annotations

import json

import pytest
from helpers.model_server import MODEL, PROBE, Raw, model_server, refusal
from helpers.model_time import served_client
from PIL import Image

from cosee.models.blocks import PageImage
from cosee.models.calls import ModelError
from cosee.models.messages import evidence_message, page_text_block
from cosee.models.served.faults import Excess, ServerFault, excess


@pytest.fixture
def server():
    with model_server() as state:
        yield state


def prompt(pages, letters=400, *, pictures=True):
    """Pages best first, each with a picture and a text."""
    return [
        evidence_message(
            "How many?",
            images=[PageImage(page, Image.new("RGB", (30, 40), (page, 0, 0))) for page in pages if pictures],
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
    "one that does not say": "Too many images in the prompt; it does not say how many",
}  # fmt: skip


@pytest.mark.parametrize("words", PICTURE_WORDS.values(), ids=PICTURE_WORDS)
def test_too_many_pictures_are_understood(words):
    assert excess(ServerFault(400, words)) == Excess("pictures", None if "not say" in words else 4)


@pytest.mark.parametrize("words", [PICTURE_WORDS["vLLM"], PICTURE_WORDS["one that does not say"]])
def test_too_many_pictures_are_answered_by_leaving_out_the_lowest_ranked_pages(server, words):
    server.refuse = lambda body: refusal(words) if str(body).count("image_url': ") > 4 else None
    client = served_client(server)
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
    server.refuse = lambda body: refusal("Too many images: at most 2 images") if count(body) > 2 else None
    assert list(served_client(server, kind).chat(prompt([1, 2, 3])).left_out.values()) == [["page 3"]]


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


FOUND = {"vLLM": 601, "vLLM before": 900, "vLLM's engine": 10127, "SGLang": 61709, "SGLang's pool": 160062,
         "llama.cpp now": 1407, "LM Studio": 15857, "LM Studio now": 13055, "OpenAI": 1446, "Anthropic": 2079,
         "Gemini": 1200}  # fmt: skip


@pytest.mark.parametrize("server", TOKEN_WORDS)
def test_too_many_tokens_are_understood(server):
    words = TOKEN_WORDS[server]
    assert excess(ServerFault(400, words)) == Excess("tokens", 600 if "600" in words else None, FOUND.get(server))


@pytest.mark.parametrize(
    "words",
    [
        "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 7340032 bytes > 5242880 bytes",
        "At least one of the image dimensions exceed max allowed size: 8000 pixels",
        "Unsupported parameter: 'max_tokens' is not supported with this model.",
        "max_tokens is too large: 200000. This model supports at most 16384 completion tokens",
    ],
)
def test_other_refusals_are_no_excess(words):
    assert excess(ServerFault(400, words)) is None


@pytest.mark.parametrize("words", [TOKEN_WORDS["vLLM"], TOKEN_WORDS["vLLM's reply"], TOKEN_WORDS["Ollama"]])
def test_too_many_tokens_are_answered_by_leaving_out_the_lowest_ranked_pages(server, words, caplog):
    server.refuse = lambda body: refusal(words) if len(pages_of(body)) > 2 else None
    reply = served_client(server, sees_images=False).chat(prompt([7, 3, 9, 1]))
    assert reply.text == "42" and pages_of(server.requests[-1]) == [3, 7]
    assert reply.left_out == {"longer than the server takes": ["page 1", "page 9"]}
    assert caplog.text.count("left out of such prompts") == 1 and words[:30] in caplog.text
    assert "from now on" not in caplog.text, "no parameter is at fault"


def test_a_limit_that_is_known_leaves_out_what_is_surely_too_much_before_asking(server):
    server.models = Raw({"data": [{"id": MODEL, "max_model_len": 600}]})
    client = served_client(server, sees_images=False)
    reply = client.chat(prompt([1, 2, 3], letters=1_700))
    assert len(server.requests) == 1 and reply.left_out == {"longer than the server takes": ["page 3", "page 2"]}


def takes_1800(told):
    """A server of 1,800 tokens and 3 pictures; ``told`` is what its refusal says of the prompt's length."""

    def refuse(body):
        if str(body).count("image_url': ") > 3:
            return refusal("At most 3 image(s) may be provided in one prompt.")
        content = body["messages"][0]["content"]
        texts = [content] if isinstance(content, str) else [part.get("text", "") for part in content]
        tokens = sum(map(len, texts)) // 4 + 250 * str(body).count("image_url': ")
        words = f"The input {told.format(tokens)}is longer than the model's context length (1800 tokens)."
        return refusal(words) if tokens > 1_800 else None

    return refuse


@pytest.mark.parametrize("pictures", [True, False])
def test_a_server_that_says_how_long_a_prompt_is_is_asked_less_often(server, pictures):
    pages = prompt(list(range(1, 31)), letters=300, pictures=pictures)
    left, asked = [], []
    for told in ("", "({} tokens) "):
        server.refuse = takes_1800(told)
        client = served_client(server)
        client.check()
        before = len(server.requests)
        left.append(client.chat(pages).left_out)
        asked.append(len(server.requests) - before)
    assert left[0] == left[1], "as much is left out as page by page"
    assert pictures or asked[1] <= asked[0] // 2


@pytest.mark.parametrize("told", ["", "({} tokens) "])
def test_the_order_of_questions_decides_no_prompt(server, told):
    """Whether a limit was known or is told by the refusal, a prompt is sent in the same form."""
    takes = takes_1800(told)

    questions = [prompt([1, 2, 3, 4, 5], letters) for letters in (100, 1_500, 2_500, 4_000)]
    server.refuse = takes
    forward, backward = served_client(server), served_client(server)
    left = [forward.chat(question).left_out for question in questions]
    assert left == [backward.chat(question).left_out for question in reversed(questions)][::-1]
    assert len({str(each) for each in left}) == 3


def test_a_prompt_with_nothing_to_leave_out_is_that_requests_fault(server):
    server.refuse = lambda body: None if PROBE in json.dumps(body) else refusal(TOKEN_WORDS["vLLM"])
    with pytest.raises(ModelError, match="maximum context length is 600 tokens"):
        served_client(server).chat(prompt([1], pictures=False))
    assert len(server.requests) == 1


def test_the_last_page_of_a_prompt_that_is_too_long_keeps_its_text(server):
    server.refuse = lambda body: (
        refusal(TOKEN_WORDS["vLLM"]) if "image_url" in str(body) and PROBE not in json.dumps(body) else None
    )
    reply = served_client(server).chat(prompt([4, 2]))
    assert reply.left_out == {"longer than the server takes": ["page 2", "the picture of page 4"]}
    assert pages_of(server.requests[-1]) == [4] and reply.usage.images == 0
