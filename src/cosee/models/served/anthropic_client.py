"""Models behind Anthropic's messages protocol."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.results.prediction import Usage
from cosee.models.blocks import Message
from cosee.models.calls import Generation, Sampling
from cosee.models.reply_schema import asked_schema
from cosee.models.served.agreement import Parts
from cosee.models.served.client import ServedClient
from cosee.models.served.faults import blocked, error_in_body, garbled, library_faults
from cosee.models.served.thresholds import ANTHROPIC_MODELS, ANTHROPIC_PICTURE_BYTES, CONNECT_SECONDS

FINISHED = {"end_turn": "stop", "stop_sequence": "stop", "tool_use": "stop", "max_tokens": "length"}


class AnthropicClient(ServedClient):
    """``POST /v1/messages``. Its protocol takes neither temperature nor penalties nor a seed; they are not sent.

    A typed request is a forced call of one tool whose input has the schema.
    """

    library = "anthropic"
    default_key_env = "ANTHROPIC_API_KEY"
    parts = Parts(
        required=frozenset({"model", "messages", "system", "max_tokens"}), typed=frozenset({"tools", "tool_choice"})
    )
    picture_bytes = ANTHROPIC_PICTURE_BYTES

    def _connect(self) -> Any:
        import anthropic

        return anthropic.Anthropic(
            api_key=self._key,
            base_url=self.options.base_url,
            timeout=self._timeout(self.options.timeout),
            default_headers=dict(self.options.extra_headers),
            max_retries=0,
        )

    def _timeout(self, seconds: float) -> Any:
        import anthropic

        return anthropic.Timeout(seconds, connect=min(CONNECT_SECONDS, seconds))

    def _models(self, timeout: float) -> dict[str, int | None]:
        with _faults():
            models = self._connection.models.list(limit=ANTHROPIC_MODELS, timeout=self._timeout(timeout))
            if getattr(models, "error", None):
                raise error_in_body(models.error)
            return {str(model.id): getattr(model, "max_input_tokens", None) for model in models}

    def _body(self, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None) -> dict[str, Any]:
        turns = [message for message in messages if message.role != "system"]
        body: dict[str, Any] = {
            "model": self.name,
            "max_tokens": sampling.max_new_tokens,
            "messages": [{"role": message.role, "content": self._parts(message)} for message in turns],
        }
        system = "\n\n".join(block.text for message in messages if message.role == "system" for block in message.blocks)
        if system:
            body["system"] = system
        if stops := [stop for stop in sampling.stop if stop.strip()]:  # the protocol refuses white space alone
            body["stop_sequences"] = stops
        if schema is not None:
            body["tools"] = [
                {
                    "name": "reply",
                    "description": "Give the reply.",
                    "input_schema": asked_schema(schema, self.asked_grid),
                }
            ]
            body["tool_choice"] = {"type": "tool", "name": "reply"}
        return body

    def _complete(self, body: dict[str, Any], timeout: float) -> Generation:
        told = {"model": body["model"], "max_tokens": body["max_tokens"], "messages": body["messages"]}
        with _faults():
            reply = self._connection.messages.create(**told, extra_body=body, timeout=self._timeout(timeout))
            if getattr(reply, "error", None):
                raise error_in_body(reply.error)
            if not isinstance(getattr(reply, "content", None), list):
                raise garbled(reply)
            return _generation(reply, body)

    def _picture_part(self, media_type: str, data: bytes) -> dict[str, Any]:
        source = {"type": "base64", "media_type": media_type, "data": base64.b64encode(data).decode("ascii")}
        return {"type": "image", "source": source}


def _generation(reply: Any, body: dict[str, Any]) -> Generation:
    """What a reply of the protocol says."""
    if reply.stop_reason == "refusal":
        raise blocked(str(getattr(reply, "stop_details", None) or reply.stop_reason))
    used = next((part for part in reply.content if part.type == "tool_use"), None)
    spoken = "".join(part.text for part in reply.content if part.type == "text")
    cached = reply.usage.cache_read_input_tokens or 0
    return Generation(
        text=spoken if used is None else files.canonical_json(used.input),
        usage=Usage(
            tokens_in=reply.usage.input_tokens + cached + (reply.usage.cache_creation_input_tokens or 0),
            tokens_out=reply.usage.output_tokens,
            tokens_cached=cached,
            images=sum(part["type"] == "image" for turn in body["messages"] for part in turn["content"]),
            calls=1,
        ),
        finish_reason=FINISHED.get(str(reply.stop_reason), str(reply.stop_reason or "stop")),
    )


def _faults() -> AbstractContextManager[None]:
    import anthropic

    return library_faults(anthropic, anthropic.AnthropicError)
