"""A model server that counts what it is sent with a tokenizer of its own, and replies with any JSON that fits."""

from __future__ import annotations

import base64
import io
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from helpers.model_server import MODEL, PROBE, ModelServer, Raw, model_server
from PIL import Image

PATCH = 32
"""Pixels of a picture's side that make a token, as Qwen3-VL cuts pictures."""


@dataclass
class Counted:
    """What was sent, apart from probes."""

    server: ModelServer
    count: Callable[[str], int]
    """Tokens of a text."""
    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    images: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def reset(self) -> None:
        self.calls = self.tokens_in = self.tokens_out = self.images = 0

    def reply(self, body: dict[str, Any]) -> Raw:
        """The reply of the protocol with its usage."""
        parts = [part for message in body["messages"] for part in message["content"]]
        texts = [part["text"] for part in parts if part["type"] == "text"]
        pictures = [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]
        form = body.get("response_format", {}).get("json_schema", {})
        said = json.dumps(fitting(form.get("schema", {}), form.get("schema", {})))
        read = sum(map(self.count, texts)) + sum(map(picture_tokens, pictures))
        written = self.count(said)
        with self._lock:
            self.calls += 1
            self.tokens_in += read
            self.tokens_out += written
            self.images += len(pictures)
        message = {"role": "assistant", "content": said}
        usage = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        choice = {"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}
        return Raw({"id": "c", "object": "chat.completion", "created": 0, "model": MODEL, "choices": [choice],
                    "usage": usage})  # fmt: skip


def picture_tokens(url: str) -> int:
    picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2])))
    return round(picture.width / PATCH) * round(picture.height / PATCH)


def fitting(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The plainest value that a JSON schema allows: the first choice, no items, a short text."""
    if "$ref" in schema:
        return fitting(root["$defs"][schema["$ref"].rpartition("/")[2]], root)
    for choice in ("anyOf", "oneOf", "allOf"):
        if choice in schema:
            return fitting(schema[choice][0], root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: fitting(each, root) for name, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [fitting(schema.get("items", {}), root)] * schema.get("minItems", 0)
    return {"integer": schema.get("minimum", 1), "number": 0.5, "boolean": False, "null": None}.get(kind, "42")


@contextmanager
def counting_server(count: Callable[[str], int] = lambda text: len(text) // 4) -> Iterator[Counted]:
    """A running server."""
    with model_server() as server:
        counted = Counted(server, count)
        server.refuse = lambda body: None if PROBE in json.dumps(body) else counted.reply(body)
        yield counted
