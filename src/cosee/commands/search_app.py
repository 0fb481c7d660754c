"""The web application of ``cosee serve``; needs FastAPI."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.responses import JSONResponse, StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cosee.commands.search_pages import SafeHeaders, add_pages
from cosee.commands.search_service import Busy, SearchService, UnknownDocument

NDJSON = "application/x-ndjson"
FRAMES = """Answers one question about one document. The reply streams one JSON object a line, each with a `type`:

- `decision`: the next tool, its inputs and why; `status`: what is being done
- `result`: what a tool found, `objects` and `metadata`
- `reply`: a piece of what the model writes, as it comes, where its server streams; with `again` it begins anew
- `token`: a piece of the answer; all of them joined are the answer
- `error`: what failed, whether it is `recoverable`, and a `suggestion`
- `complete`: always the last: the answer as `message`, its `status`, `confidence` and `support` with pages and quotes

`start`, `retrieval` and `call` lines tell the question, what a search found, and what a model call cost.
Closing the connection cancels the work."""


class SearchRequest(BaseModel):
    """One question about one document."""

    model_config = ConfigDict(extra="forbid")

    doc_id: str = Field(min_length=1, max_length=300, description="A document of the dataset, see /documents.")
    question: str = Field(min_length=1, max_length=4_000, pattern=r"\S", description="The question.")
    conversation_id: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_-]{1,64}$",
        description="A name that you choose: questions with the same one share history and what was found.",
    )


class DocumentEntry(BaseModel):
    """A document that can be asked about."""

    doc_id: str
    pages: int


def make_app(service: SearchService, hosts: Sequence[str]) -> FastAPI:
    """The application. Requests whose ``Host`` is not in ``hosts`` are refused (``*`` lets all in)."""
    app = FastAPI(
        title="CoSee",
        description=f"Questions about the documents of dataset {service.dataset!r}.",
        docs_url=None,  # FastAPI's own pages fetch scripts from elsewhere
        redoc_url=None,
    )
    app.add_middleware(SafeHeaders)
    app.add_middleware(BodyLimit, most=service.limits.body_bytes, seconds=service.limits.body_seconds)
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(hosts))

    @app.get("/documents")
    async def documents() -> list[DocumentEntry]:
        """The documents that can be asked about."""
        return [DocumentEntry(doc_id=row.doc_id, pages=row.pages) for row in service.documents().values()]

    @app.post(
        "/agentic_search",
        description=FRAMES,
        response_class=StreamingResponse,
        responses={
            200: {"content": {NDJSON: {}}, "description": "Frames, one JSON object a line."},
            404: {"description": "The dataset has no such document, or it has not been indexed."},
            408: {"description": "The body did not arrive in time."},
            413: {"description": "The body is too large."},
            503: {"description": "Too many questions wait already."},
        },
    )
    async def agentic_search(request: SearchRequest) -> StreamingResponse:
        try:
            lines = service.stream(request.doc_id, request.question, request.conversation_id)
        except UnknownDocument as error:
            raise HTTPException(404, str(error)) from error
        except Busy as error:
            raise HTTPException(503, str(error), headers={"Retry-After": "5"}) from error
        return StreamingResponse(lines, media_type=NDJSON, headers={"Cache-Control": "no-store"})

    add_pages(app, service)
    return app


class BodyLimit:
    """Reads a request's body before anything else does: at most ``most`` bytes, within ``seconds``."""

    def __init__(self, app: ASGIApp, most: int, seconds: float) -> None:
        self.app, self.most, self.seconds = app, most, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request with its body; 413 or 408 for one that is too large or too slow."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            async with asyncio.timeout(self.seconds):
                body = await self._body(scope, receive)
        except TimeoutError:
            await _refusal(408, "the body did not arrive in time")(scope, receive, send)
            return
        if body is None:
            await _refusal(413, f"the body is larger than {self.most} bytes")(scope, receive, send)
            return
        read: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            return read.pop() if read else await receive()

        await self.app(scope, replay, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | None:
        """The whole body, or None where it is too large; what the client says of its length is believed first."""
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(value.isdigit() and int(value) > self.most for value in lengths):
            return None
        parts, size, more = [], 0, True
        while more:
            message: Any = await receive()
            if message["type"] == "http.disconnect":
                break
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self.most:
                return None
            more = message.get("more_body", False)
        return b"".join(parts)


def _refusal(status: int, detail: str) -> JSONResponse:
    return JSONResponse({"detail": detail}, status_code=status, headers={"Connection": "close"})
