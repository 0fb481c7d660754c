"""A server of the OpenAI protocol that holds no model but a model of service: slots, times to read and to write with a
long tail, replies that fit the schema that is asked for, and faults on demand.

``python -m benchmarks.serving_server SETTINGS``, a JSON object of ``Service``'s fields. It writes its port to standard
output, and what it saw to ``report`` whenever that changes.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

MODEL = "served"
FAULTS = ("error_500", "busy_429", "torn", "web_page", "empty", "not_json", "stalls")
_QUESTION = re.compile(rb"Question: ((?:[^\\\"]|\\[^n])+)")
_PAGE = re.compile(rb'page=\\"(\d+)\\"')
_IMAGE = b'"image_url":{'


@dataclass
class Service:
    """``seconds`` is the mean of a reply: reading takes tokens over ``read_rate``, writing what is left, log-normal."""

    report: str
    slots: int = 32
    seconds: float = 1.0
    sigma: float = 0.5
    read_rate: float = 20_000.0
    image_tokens: int = 500
    fault: str = ""
    every: int = 10
    """Every so many requests meet ``fault``, once for each prompt."""
    dies_after: int = 0
    """Replies after which the socket is closed and every connection broken; 0 never."""
    returns_after: float | None = None
    """Seconds until the socket is there again; None: never."""
    port: int = 0
    seed: int = 0
    """Of the times; replies hang on their prompts alone."""
    choices: dict[str, list[str]] = field(default_factory=dict)
    """Field of a schema -> texts that replies choose from."""


@dataclass
class Seen:
    """What the server saw; moments in seconds since its first request."""

    requests: int = 0
    answered: int = 0
    asked_again: int = 0
    """Requests whose very body had been answered before."""
    faults: int = 0
    service: list[tuple[str, float, float]] = field(default_factory=list)
    """(question, when a slot was taken, when its reply was sent) of each answered request."""


class Server:
    """One service on a port of the loopback interface."""

    def __init__(self, service: Service) -> None:
        self.service, self.seen = service, Seen()
        self.slots = asyncio.Semaphore(service.slots)
        self.bodies: Counter[str] = Counter()
        self.met: set[str] = set()
        self.connections: set[asyncio.StreamWriter] = set()
        self.started: float | None = None
        self.died = False
        self.listener: asyncio.Server | None = None

    async def run(self) -> None:
        """Serve until the process that asked for it ends."""
        parent = os.getppid()
        await self._listen(self.service.port)
        assert self.listener is not None
        self.service.port = self.listener.sockets[0].getsockname()[1]
        print(self.service.port, flush=True)
        while os.getppid() == parent:
            await asyncio.sleep(0.2)
            if self.died and self.listener is not None:
                await self._die()
            text = json.dumps(asdict(self.seen))
            await asyncio.to_thread(_replace, Path(self.service.report), text)

    async def _listen(self, port: int) -> None:
        self.listener = await asyncio.start_server(self._connection, "127.0.0.1", port, limit=1 << 26, backlog=512)

    async def _die(self) -> None:
        assert self.listener is not None
        self.listener.close()
        self.listener = None
        for writer in list(self.connections):
            writer.transport.abort()
        if self.service.returns_after is not None:
            asyncio.get_running_loop().call_later(
                self.service.returns_after, lambda: asyncio.ensure_future(self._return())
            )

    async def _return(self) -> None:
        self.died, self.service.dies_after = False, 0
        await self._listen(self.service.port)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections.add(writer)
        try:
            while not self.died:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"(?i)content-length: *(\d+)", head)
                body = await reader.readexactly(int(length.group(1))) if length else b""
                reply: bytes | None
                if head.startswith(b"GET"):
                    reply = _http(200, json.dumps({"object": "list", "data": [_card()]}).encode())
                else:
                    reply = await self._reply(body)
                if reply is None:
                    return
                writer.write(reply)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            self.connections.discard(writer)
            writer.close()

    async def _reply(self, body: bytes) -> bytes | None:
        seen, digest = self.seen, hashlib.sha256(body).hexdigest()
        asks = _QUESTION.search(body) is not None  # else it is a look whether the server works
        if asks:
            self.started = self.started or time.monotonic()
            seen.requests += 1
            seen.asked_again += self.bodies[digest] > 0
        if asks and self.service.fault and seen.requests % self.service.every == 0 and digest not in self.met:
            self.met.add(digest)
            seen.faults += 1
            return await self._faulty()
        async with self.slots:
            begun = time.monotonic()
            chance = random.Random(digest)
            images = body.count(_IMAGE)
            tokens = len(re.sub(rb"data:image[^\"]*", b"", body)) // 4 + images * self.service.image_tokens
            reading = min(tokens / self.service.read_rate, self.service.seconds * 0.7)
            luck = random.Random(f"{digest} {self.service.seed}")
            tail = luck.lognormvariate(-(self.service.sigma**2) / 2, self.service.sigma)
            await asyncio.sleep(reading + (self.service.seconds - reading) * tail)
            if self.died:
                return None
            reply = _http(200, json.dumps(self._completion(body, tokens, chance)).encode())
        if not asks:
            return reply
        question = _QUESTION.findall(body)[-1].decode("utf-8", "replace")
        seen.service.append(
            (question, *(round(when - (self.started or when), 4) for when in (begun, time.monotonic())))
        )
        seen.answered += 1
        self.bodies[digest] += 1
        self.died = 0 < self.service.dies_after <= seen.answered
        return reply

    async def _faulty(self) -> bytes | None:
        fault = self.service.fault
        if fault == "error_500":
            return _http(500, b'{"error":{"message":"out of order"}}')
        if fault == "busy_429":
            return _http(429, b'{"error":{"message":"too many"}}', "retry-after: 2\r\n")
        if fault == "web_page":
            return _http(200, b"<html><body>Sign in</body></html>", kind="text/html")
        if fault in ("empty", "not_json"):
            return _http(200, json.dumps(_chat("" if fault == "empty" else "I cannot say.", 10, 3)).encode())
        if fault == "stalls":
            await asyncio.sleep(3_600)
        return None  # torn: the connection ends without a reply

    def _completion(self, body: bytes, tokens: int, chance: random.Random) -> dict[str, Any]:
        pages = [each.decode() for each in _PAGE.findall(body)]
        choices = {**self.service.choices, **({"page": pages} if pages else {})}
        asked = json.loads(body).get("response_format", {}).get("json_schema", {}).get("schema")
        if asked is None:
            return _chat("The report says so.", tokens, 6)
        text = json.dumps(fitting(asked, chance, choices))
        return _chat(text, tokens, len(text) // 4)


def fitting(
    schema: Mapping[str, Any], chance: random.Random, choices: Mapping[str, list[str]], name: str = "", depth: int = 0
) -> Any:
    """A value that is valid for a JSON schema as pydantic writes them; ``name`` is the field that it is for."""

    def inner(each: Mapping[str, Any], name: str = "") -> Any:
        return fitting({**each, "$defs": schema.get("$defs", {})}, chance, choices, name, depth + 1)

    if "$ref" in schema:
        return inner(schema["$defs"][schema["$ref"].rpartition("/")[2]], name)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice([each for each in schema["enum"] if each in choices.get(name, ())] or schema["enum"])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return inner(options[0 if depth < 6 else -1], name)
    kind = schema.get("type", "object")
    if kind == "object":
        return {field: inner(each, field) for field, each in schema.get("properties", {}).items()}
    if kind == "array":
        count = max(schema.get("minItems", 0), 1 if depth < 6 else 0)
        return [inner(schema.get("items", {"type": "string"}), name) for _ in range(count)]
    if kind == "integer" and name in choices:
        return int(chance.choice(choices[name]))
    if kind in ("number", "integer"):
        low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
        high = schema.get("maximum", schema.get("exclusiveMaximum", low + 1))
        return round(chance.uniform(low, high), 2) if kind == "number" else int(low) + 1
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    words = chance.choice(choices[name]) if name in choices else f"{name or 'text'} {chance.randrange(100)}"
    return words.ljust(schema.get("minLength", 0), ".")[: schema.get("maxLength", 400)]


def _chat(text: str, tokens_in: int, tokens_out: int) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "id": "c", "object": "chat.completion", "created": 0, "model": MODEL,
        "choices": [{"index": 0, "finish_reason": "stop", "message": message, "logprobs": None}],
        "usage": {
            "prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out,
        },
    }  # fmt: skip


def _card() -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 0, "owned_by": "benchmarks", "max_model_len": 131_072}


def _http(status: int, body: bytes, headers: str = "", kind: str = "application/json") -> bytes:
    head = f"HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n{headers}\r\n"
    return head.encode() + body


def _replace(path: Path, text: str) -> None:
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text, encoding="utf-8")
    temporary.replace(path)


if __name__ == "__main__":
    asyncio.run(Server(Service(**json.loads(sys.argv[1]))).run())
