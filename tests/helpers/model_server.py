"""A small HTTP server that speaks three model protocols well enough for their own client libraries."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from cosee.models.served import probe

MODEL = "tiny-vision"
PROBE = json.dumps(probe.WORDS)
"""What a request says that only looks whether the server works."""
ECHO = "<the key>"
"""A reply that repeats the key that was sent."""


@dataclass(frozen=True)
class Raw:
    """An answer as it stands, where no reply of a protocol will do."""

    body: Any
    status: int = 200
    content_type: str = "application/json"


def refusal(message: str, **fields: Any) -> Raw:
    """A refused request in the form of all three protocols."""
    return Raw(
        {"error": {"message": message, "code": 400, "status": "INVALID_ARGUMENT", **fields}, "type": "error"}, 400
    )


@dataclass
class ModelServer:
    """``replies`` are given in order, the last one for ever; a number is an HTTP status, a ``Raw`` is sent as it is.

    A probe is answered without them, unless ``always`` says what every request is answered with.
    """

    url: str = ""
    replies: list[str | int | dict[str, Any] | Raw] = field(default_factory=lambda: ["42"])
    requests: list[dict[str, Any]] = field(default_factory=list)
    probes: list[dict[str, Any]] = field(default_factory=list)
    """Requests that only look whether the server works."""
    always: Raw | None = None
    models: Raw | None = None
    """The answer to who asks for the list of models; it has one otherwise."""
    refuse: Callable[[dict[str, Any]], Raw | None] | None = None
    """Looks at a request before it is answered."""
    headers: list[dict[str, str]] = field(default_factory=list)
    wait: str | None = None
    """The ``retry-after`` header of failures."""
    refuses: tuple[str, ...] = ()
    """Fields of a request that are answered with status 422."""
    together: threading.Barrier | None = None
    """Requests wait for each other here."""
    most_at_once: int = 0
    heard: threading.Event | None = None
    """A stream goes on behind its first piece once this is set, and breaks off after 10 s without."""
    stop: Callable[[], None] = lambda: None
    """Take the server away, its open connections too."""
    start: Callable[[], None] = lambda: None
    """Bring it back at the same address."""
    open: Callable[[], list[socket.socket]] = list
    """Its connections, the latest last."""
    _now: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def next_reply(self) -> str | int | dict[str, Any] | Raw:
        with self._lock:
            return self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]

    def enter(self, step: int) -> None:
        with self._lock:
            self._now += step
            self.most_at_once = max(self.most_at_once, self._now)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    state: ModelServer

    def log_message(self, *arguments: Any) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if (answer := self.state.always or self.state.models) is not None:
            return self._raw(answer)
        if path.endswith("/models"):
            page = {"first_id": MODEL, "last_id": MODEL, "has_more": False, "object": "list"}
            model = {
                "id": MODEL,
                "object": "model",
                "type": "model",
                "created": 0,
                "owned_by": "tests",
                "created_at": "2026-01-01T00:00:00Z",
                "display_name": MODEL,
            }
            return self._send(200, {"data": [model], "models": [{"name": f"models/{MODEL}"}], **page})
        return self._send(404, {"error": {"message": f"no {path}"}})

    def do_POST(self) -> None:
        state = self.state
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        is_probe = PROBE in json.dumps(body)
        if is_probe:
            state.probes.append(body)
        if (answer := state.always or (state.refuse and state.refuse(body))) is not None:
            if not is_probe:
                state.requests.append(body)
            return self._raw(answer)
        if is_probe:
            return self._answer({"ok": True}, body)
        state.enter(1)
        state.requests.append(body)
        state.headers.append({name.lower(): value for name, value in self.headers.items()})
        if state.together is not None:
            state.together.wait(timeout=20)
        state.enter(-1)  # before the reply: behind it the client may have sent the next request already
        reply = state.next_reply()
        if reply == ECHO:
            reply = f"your key is {self._key()}"
        if isinstance(reply, int):
            # Servers of this world repeat what they were sent; the client must not pass a key on.
            message = f"failed on purpose for {self._key()}"
            return self._send(reply, {"error": {"message": message, "code": reply, "type": "x"}, "type": "error"})
        return self._answer(reply, body)

    def _answer(self, reply: Any, body: dict[str, Any]) -> None:
        if unknown := [name for name in self.state.refuses if name in body]:
            return self._send(422, {"detail": f"Unexpected fields: {unknown}"})
        if isinstance(reply, Raw):
            return self._raw(reply)
        if self.path.endswith("/embeddings"):
            return self._send(200, _embeddings(body["input"]))
        if "generateContent" in self.path:
            return self._send(200, _google(reply))
        if self.path.endswith("/messages"):
            return self._send(200, _anthropic(reply))
        if body.get("stream"):
            return self._stream(str(reply))
        return self._send(200, _openai(reply))

    def _key(self) -> str:
        """The key as its provider's library sends it."""
        names = ("authorization", "x-api-key", "x-goog-api-key")
        return " ".join(self.headers[name] for name in names if name in self.headers)

    def _raw(self, answer: Raw) -> None:
        self._send(answer.status, answer.body, answer.content_type)

    def _send(self, status: int, value: Any, content_type: str = "application/json") -> None:
        data = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", content_type)
        self.send_header("content-length", str(len(data)))
        if status >= 400 and self.state.wait is not None:
            self.send_header("retry-after", self.state.wait)
        self.end_headers()
        self.wfile.write(data)

    def _stream(self, reply: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for number, piece in enumerate(reply.split(" ")):
            if number and self.state.heard is not None and not self.state.heard.wait(10):
                break
            chunk = {
                "id": "c",
                "object": "chat.completion.chunk",
                "created": 0,
                "model": MODEL,
                "choices": [{"index": 0, "delta": {"content": f"{piece} "}, "finish_reason": None}],
            }
            self.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True


def _embeddings(texts: list[str]) -> dict[str, Any]:
    """The vectors of ``small_embedder``, not of unit norm, the last text's first."""
    from benchmarks.small_embedder import small_embedder

    rows = (3 * small_embedder().encode(texts)).tolist()
    data = [{"object": "embedding", "index": place, "embedding": row} for place, row in enumerate(rows)]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return {"object": "list", "model": MODEL, "data": data[::-1], "usage": usage}


def _text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply)


def _openai(reply: Any) -> dict[str, Any]:
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": MODEL,
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": _text(reply)},
                "logprobs": None,
            }
        ],
        "usage": {
            "prompt_tokens": 100,
            "completion_tokens": 3,
            "total_tokens": 103,
            "prompt_tokens_details": {"cached_tokens": 64},
        },
    }


def _anthropic(reply: Any) -> dict[str, Any]:
    if isinstance(reply, dict):
        content: dict[str, Any] = {"type": "tool_use", "id": "t", "name": "reply", "input": reply}
    else:
        content = {"type": "text", "text": reply, "citations": None}
    return {
        "id": "m",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [content],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {
            "input_tokens": 36,
            "output_tokens": 3,
            "cache_read_input_tokens": 64,
            "cache_creation_input_tokens": 0,
        },
    }


def _google(reply: Any) -> dict[str, Any]:
    return {
        "candidates": [
            {
                "content": {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": _text(reply)}]},
                "finishReason": "STOP",
                "index": 0,
            }
        ],
        "usageMetadata": {
            "promptTokenCount": 100,
            "candidatesTokenCount": 3,
            "totalTokenCount": 103,
            "cachedContentTokenCount": 64,
        },
        "modelVersion": MODEL,
    }


class _Server(ThreadingHTTPServer):
    """Ends its open connections with itself, as a process that dies does."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], handler: type[_Handler]) -> None:
        self.open: list[socket.socket] = []
        super().__init__(address, handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.append(request)
        super().process_request(request, client_address)

    def handle_error(self, *_: Any) -> None:
        """A connection that was ended under its handler is no news."""

    def end(self) -> None:
        self.shutdown()
        self.server_close()
        for connection in self.open:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def model_server() -> Iterator[ModelServer]:
    """A running server on a free port of the loopback interface."""
    state = ModelServer()
    handler = type("Handler", (_Handler,), {"state": state})
    running: list[_Server] = []
    address = ("127.0.0.1", 0)

    def start() -> None:
        nonlocal address
        running.append(_Server(address, handler))
        address = running[0].server_address[:2]
        threading.Thread(target=running[0].serve_forever, args=(0.02,), daemon=True).start()

    def stop() -> None:
        running.pop().end()

    start()
    state.url, state.start, state.stop = f"http://127.0.0.1:{address[1]}", start, stop
    state.open = lambda: running[0].open
    try:
        yield state
    finally:
        if running:
            stop()
