"""A stand-in for a model that sees: an OpenAI-protocol server that recognises the words of every picture it is sent.

``python -m benchmarks.seeing_server --port 8078 --behind http://127.0.0.1:8077/v1``. In the place of each picture it
puts the words on it, a line each with its box in a grid of 1000, and passes the prompt on to the text model behind it.
So what the words alone can tell, a text model sees, and a wrong crop, a turned page, a picture that is too small or a
box in another grid shows at once. Without ``--behind`` there is no model: the line that shares most words with the
question is quoted with its box, which is enough for a test of the whole way from a picture to evidence.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import io
import json
import re
import sys
import threading
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.error import HTTPError, URLError

import numpy as np
import PIL.Image

from cosee.models.vision.engine import OcrEngine
from cosee.models.vision.ocr import find_engine
from cosee.text.tokens import query_weights

NAME, GRID = "seeing", 1000
ENOUGH = 0.3
"""Share of the question's words that the best line must have; else there is no answer."""
DPI = 150
"""What recognition is told of pictures whose resolution nobody knows."""
_QUESTION = re.compile(r"Question: (.+)")
_COPIED_BOX = re.compile(r"(?<![\s:]) \[(?:\d{1,4}, ?){3}\d{1,4}\]")
"""A line's box that the text model has copied into its words: a model that sees has none there."""
_PAGE = re.compile(r'<evidence page="(\d+)"')


@dataclass(frozen=True)
class Line:
    """One line of a picture: its words, and its box in the grid."""

    text: str
    box: tuple[int, int, int, int]


@dataclass
class Seeing:
    """``behind`` is the address of the text model's server, None for none. ``prompts`` are those that came, pictures
    taken out."""

    engine: OcrEngine
    behind: str | None = None
    prompts: list[str] = field(default_factory=list)
    _read: dict[str, tuple[str, list[Line]]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def answer(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request of the protocol."""
        told = self.told(body)
        prompt = "\n".join(part["text"] for part in _parts(told) if part.get("type") == "text")
        self.prompts.append(prompt)
        return self._passed_on(told) if self.behind else self._from_words(body, prompt)

    def told(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The request with each picture's words in its place."""
        messages = []
        for message in body["messages"]:
            parts = [
                {"type": "text", "text": self.described(part)} if part.get("type") == "image_url" else part
                for part in _content(message)
            ]
            messages.append({**message, "content": parts})
        return {**body, "messages": messages}

    def described(self, part: Mapping[str, Any]) -> str:
        """A picture as a text model is told of it: a box stands where the model, having copied a line, goes on."""
        size, lines = self.lines(part)
        words = "\n".join(f"{line.text} {list(line.box)}" for line in lines) or "(no words)"
        return f"A picture of {size} pixels. Its lines of text, each with its box [x0, y0, x1, y1] after it:\n{words}"

    def lines(self, part: Mapping[str, Any]) -> tuple[str, list[Line]]:
        """Width and height of a picture in words, and its lines; each picture is read once.

        Raises:
            ValueError: not a picture in the request itself; nothing is fetched.
        """
        url = str(part["image_url"]["url"])
        if not url.startswith("data:image/"):
            raise ValueError(f"pictures are read from data URLs alone, not from {url[:40]!r}")
        key = hashlib.sha256(url.encode()).hexdigest()
        with self._lock:
            if key not in self._read:
                self._read[key] = self._recognised(base64.b64decode(url.partition(",")[2]))
            return self._read[key]

    def _recognised(self, data: bytes) -> tuple[str, list[Line]]:
        with PIL.Image.open(io.BytesIO(data)) as picture:
            gray = np.asarray(picture.convert("L"))
        height, width = gray.shape
        lines = []
        for found in self.engine.read(gray, DPI, self.engine.languages()):
            lefts, tops, rights, bottoms = zip(*(word.bbox for word in found.words), strict=True)
            box = min(lefts) / width, min(tops) / height, max(rights) / width, max(bottoms) / height
            x0, y0, x1, y1 = (round(edge * GRID) for edge in box)
            lines.append(Line(" ".join(word.text for word in found.words), (x0, y0, x1, y1)))
        return f"{width} x {height}", lines

    def _passed_on(self, told: Mapping[str, Any]) -> dict[str, Any]:
        request = urllib.request.Request(
            f"{self.behind}/chat/completions", json.dumps(told).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=900) as answer:
            reply: dict[str, Any] = json.load(answer)
        for choice in reply.get("choices", []):
            choice["message"]["content"] = _COPIED_BOX.sub("", choice["message"].get("content") or "")
        return reply

    def _from_words(self, body: Mapping[str, Any], prompt: str) -> dict[str, Any]:
        """The line that shares most words with the question, in the form that is asked for."""
        asked = _QUESTION.findall(prompt)
        wanted = query_weights(asked[-1]) if asked else {}
        best: tuple[float, int, Line] | None = None
        for page, part in _pages(body):
            for line in self.lines(part)[1]:
                shared = sum(wanted[word] for word in wanted.keys() & query_weights(line.text).keys())
                if best is None or shared > best[0]:
                    best = shared, page, line
        schema = (body.get("response_format") or {}).get("json_schema", {}).get("schema")
        if best is None or best[0] < ENOUGH * sum(wanted.values()):
            said = {"answer": "Not answerable", "quotes": [], "words": "It is not there.", "confidence": 0.1}
            text = "Not answerable"
        else:
            _, page, line = best
            text = line.text
            said = {
                "answer": text, "quote": text, "page": page, "bbox": list(line.box), "words": text, "confidence": 0.9,
                "action": "HYPOTHESIZE",
            }  # fmt: skip
        content = text if schema is None else json.dumps(filled(schema, {"ok": True, **said}))
        message = {"role": "assistant", "content": content}
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(content) // 4}
        return {
            "id": NAME, "object": "chat.completion", "created": 0, "model": NAME,
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}], "usage": usage,
        }  # fmt: skip


def filled(schema: Mapping[str, Any], said: Mapping[str, Any], name: str = "") -> Any:
    """A value of a schema as the client sends them: fields that are said as they are, other texts ``words``."""
    if name in said:
        return said[name]
    if "anyOf" in schema:
        kinds = schema["anyOf"]
        named = [each for each in kinds if each.get("properties", {}).get("action", {}).get("const") == said["action"]]
        return filled((named or kinds)[0], said)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {field: filled(each, said, field) for field, each in schema.get("properties", {}).items()}
    if kind == "array":
        return [filled(schema["items"], said)] if schema["items"].get("type") == "object" else []
    return {"string": said["words"], "boolean": False}.get(str(kind), 1)


def _content(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _parts(body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for message in body["messages"]:
        yield from _content(message)


def _pages(body: Mapping[str, Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each picture with the page whose evidence follows it; 1 where none does."""
    parts = list(_parts(body))
    for place, part in enumerate(parts):
        if part.get("type") == "image_url":
            after = (_PAGE.search(each.get("text", "")) for each in parts[place + 1 :])
            named = next((found for found in after if found), None)
            yield int(named[1]) if named else 1, part


@contextmanager
def serving(seeing: Seeing, port: int = 0) -> Iterator[str]:
    """Serve on a port of the loopback interface (0: any that is free); its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            return

        def do_GET(self) -> None:
            self._send(200, {"object": "list", "data": [{"id": NAME, "object": "model", "max_model_len": 32_768}]})

        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["Content-Length"]))
            try:
                self._send(200, seeing.answer(json.loads(data)))
            except HTTPError as error:
                self._send(error.code, json.loads(error.read() or b"{}"))
            except URLError as error:
                self._send(503, {"error": {"message": f"the model behind is not there: {error.reason}"}})
            except (ValueError, KeyError, OSError) as error:
                self._send(400, {"error": {"message": f"{type(error).__name__}: {error}"[:300]}})

        def _send(self, status: int, value: Mapping[str, Any]) -> None:
            data = json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=8078)
    parser.add_argument("--behind", help="address of the text model's server, ending in /v1")
    parser.add_argument("--ocr", default="auto", choices=("auto", "tesseract", "rapidocr"))
    options = parser.parse_args(arguments)
    engine = find_engine(options.ocr, "auto", 120.0)
    if engine is None:
        parser.error("no engine for recognition is installed: apt-get install tesseract-ocr, or pip install rapidocr")
    with serving(Seeing(engine, options.behind), options.port) as url:
        print(f"{NAME} ({engine.name}) on {url}/v1", flush=True)
        try:
            threading.Event().wait()
        except KeyboardInterrupt:
            sys.stderr.write("stopped\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
