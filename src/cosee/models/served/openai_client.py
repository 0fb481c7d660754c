"""Models behind the OpenAI chat protocol, which most servers speak."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from pydantic import BaseModel

from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message, estimate_text_tokens
from cosee.models.calls import Generation, ReplyListener, Sampling
from cosee.models.reply_schema import asked_schema
from cosee.models.served.agreement import Parts
from cosee.models.served.client import ServedClient
from cosee.models.served.faults import REFUSALS, ServerFault, blocked, error_in_body, garbled, library_faults
from cosee.models.served.replies import arguments_of, text_of
from cosee.models.served.thresholds import CONNECT_SECONDS, OPENAI_PICTURE_BYTES, OPENAI_STOPS

CONTEXT_NAMES = ("max_model_len", "context_length", "max_context_length", "context_window", "n_ctx")
"""Where servers say how many tokens they take: vLLM and SGLang, gateways, LM Studio and Mistral, Groq, llama.cpp."""
NO_ROOM = "Could not finish the message because"
"""How OpenAI refuses what its reasoning left no room for."""


class OpenAIClient(ServedClient):
    """``POST /chat/completions``. ``top_k`` and ``repetition_penalty`` go only to servers of one's own (``base_url``).

    A typed request asks for ``response_format: json_schema``. Requests and replies go through the library as plain
    JSON, since servers add to the protocol and leave out of it as they like.
    """

    library = "openai"
    default_key_env = "OPENAI_API_KEY"
    parts = Parts(
        required=frozenset({"model", "messages", "stream"}),
        typed=frozenset({"response_format"}),
        own=frozenset({"top_k", "repetition_penalty"}),
    )
    picture_bytes = OPENAI_PICTURE_BYTES

    def _connect(self) -> Any:
        import openai

        return openai.OpenAI(
            api_key=self._key,
            base_url=self.options.base_url,
            timeout=self._timeout(self.options.timeout),
            default_headers=dict(self.options.extra_headers),
            max_retries=0,
        )

    def _timeout(self, seconds: float) -> Any:
        import openai

        return openai.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))

    def _models(self, timeout: float) -> dict[str, int | None]:
        with _faults():
            page = self._connection.with_options(timeout=self._timeout(timeout)).get("/models", cast_to=object)
        if isinstance(page, dict) and page.get("error"):
            raise error_in_body(page["error"])
        models = page.get("data") if isinstance(page, dict) else None
        if not isinstance(models, list):
            raise garbled(page)
        return {str(model["id"]): _context(model) for model in models if isinstance(model, dict) and "id" in model}

    def posted(self, path: str, body: dict[str, Any], timeout: float) -> Any:
        """What the server answers to one request, as JSON; raises ServerFault."""
        with _faults():
            reply = self._connection.with_options(timeout=self._timeout(timeout)).post(path, body=body, cast_to=object)
        if isinstance(reply, dict) and reply.get("error"):
            raise error_in_body(reply["error"])
        return reply

    def _complete(self, body: dict[str, Any], timeout: float) -> Generation:
        try:
            reply = self.posted("/chat/completions", body, timeout)
        except ServerFault as fault:
            if NO_ROOM in fault.words:
                return Generation(text="", usage=Usage(calls=1), finish_reason="length")
            raise
        with _faults():
            return _generation(reply, body)

    def _complete_streamed(self, body: dict[str, Any], timeout: float, listener: ReplyListener) -> Generation:
        """The reply as the server sends it; asked for in one piece of a server that refuses to stream."""
        text, finished, used = "", None, None
        try:
            with _faults():
                for event in self._events({**body, "stream": True, "stream_options": {"include_usage": True}}, timeout):
                    used = event.usage or used
                    for choice in event.choices[:1]:
                        finished = choice.finish_reason or finished
                        if choice.delta.content:
                            text += choice.delta.content
                            listener(text)
        except ServerFault as fault:
            if fault.status not in REFUSALS:
                raise
        if not text or finished == "content_filter":
            return self._complete(body, timeout)
        usage = used.model_dump() if used is not None else {"completion_tokens": estimate_text_tokens(text)}
        choice = {"message": {"content": text}, "finish_reason": finished}
        return _generation({"choices": [choice], "usage": usage}, body)

    def _events(self, body: dict[str, Any], timeout: float) -> Any:
        """The chunks of a streamed reply."""
        import openai
        from openai.types.chat import ChatCompletionChunk

        return self._connection.with_options(timeout=self._timeout(timeout)).post(
            "/chat/completions", body=body, cast_to=ChatCompletionChunk, stream=True,
            stream_cls=openai.Stream[ChatCompletionChunk],
        )  # fmt: skip

    def _body(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> dict[str, Any]:
        is_own = self.options.base_url is not None
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": message.role, "content": self._parts(message)} for message in messages],
            ("max_tokens" if is_own else "max_completion_tokens"): sampling.max_new_tokens,
            "temperature": sampling.temperature,
            "top_p": sampling.top_p,
            "presence_penalty": sampling.presence_penalty,
            "seed": sampling.served_seed,
        }
        if sampling.stop:
            body["stop"] = sampling.stop[:OPENAI_STOPS]
        if is_own:
            body |= {"top_k": sampling.top_k or -1, "repetition_penalty": sampling.repetition_penalty}
        if schema is not None:
            named = {"name": schema.__name__, "schema": asked_schema(schema, self.asked_grid)}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        return body

    def _picture_part(self, media_type: str, data: bytes) -> dict[str, Any]:
        return {
            "type": "image_url",
            "image_url": {"url": f"data:{media_type};base64,{base64.b64encode(data).decode('ascii')}"},
        }


def _generation(reply: Any, body: dict[str, Any]) -> Generation:
    """What a reply of the protocol says."""
    if not isinstance(reply, dict) or not isinstance(reply.get("choices"), list) or not reply["choices"]:
        raise garbled(reply)
    choice, usage = reply["choices"][0], reply.get("usage") or {}
    message, finished = choice.get("message") or {}, choice.get("finish_reason") or "stop"
    text = text_of(message.get("content")) or arguments_of(message.get("tool_calls"))
    if finished == "content_filter" or (message.get("refusal") and not text):
        raise blocked(message.get("refusal") or finished)
    return Generation(
        text=text,
        usage=Usage(
            tokens_in=usage.get("prompt_tokens") or 0,
            tokens_out=usage.get("completion_tokens") or 0,
            tokens_cached=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
            images=sum(part["type"] == "image_url" for turn in body["messages"] for part in turn["content"]),
            calls=1,
        ),
        finish_reason=finished,
    )


def _context(model: dict[str, Any]) -> int | None:
    """The context that a server's list gives for a model."""
    meta = model.get("meta")
    told = {**model, **meta} if isinstance(meta, dict) else model
    return next((told[name] for name in CONTEXT_NAMES if isinstance(told.get(name), int) and told[name] > 0), None)


def _faults() -> AbstractContextManager[None]:
    import openai

    return library_faults(openai, openai.OpenAIError)
