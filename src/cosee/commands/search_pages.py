"""The pages of ``cosee serve``: asking, the endpoint described, pictures of pages, and the report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from fastapi import FastAPI, HTTPException, Query
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from cosee.artifacts.files import DiskFailure, safe_name
from cosee.commands.search_service import SearchService, UnknownDocument
from cosee.commands.thresholds import SERVED_PAGE_DPI
from cosee.imaging.render import RenderError
from cosee.report.ask_page import STATIC, api_page, ask_page, static_file
from cosee.report.pictures import SUFFIX
from cosee.report.site import pages_folder
from cosee.report.thresholds import PICTURE_DPI

RESULTS = "/results/"
"""Where the results folder is seen from the browser, so that links out of the report lead to a run's files."""
SHOWN = ("traces", "predictions")
"""Folders of a run that the report links to; nothing else of a run is shown."""
TYPES = {
    ".html": "text/html", ".css": "text/css", ".js": "text/javascript", f".{SUFFIX}": f"image/{SUFFIX}",
    ".ndjson": "text/plain", ".jsonl": "text/plain", ".csv": "text/csv",
}  # fmt: skip
POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; "
    "form-action 'self'; frame-ancestors 'none'"
)
"""Boxes of the report have their places in style attributes; no script stands in a page."""
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_pages(app: FastAPI, service: SearchService) -> None:
    """Add the pages to the application of ``cosee serve``. They read files, so each has a thread, not the loop."""
    report = service.paths.results / "report"

    @app.get("/", include_in_schema=False)
    def asking() -> HTMLResponse:
        return HTMLResponse(
            ask_page(
                service.dataset,
                [
                    {
                        "doc_id": row.doc_id,
                        "pages": row.pages,
                        "href": _report_page(report, service.dataset, row.doc_id),
                    }
                    for row in service.documents().values()
                    if service.is_indexed(row.doc_id)
                ],
                model=None if service.client.name == "embedded" else service.client.name,
                served=service.is_served,
                report=f"{RESULTS}report/index.html" if (report / "index.html").is_file() else None,
            )
        )

    @app.get("/docs", include_in_schema=False)
    def endpoint() -> HTMLResponse:
        return HTMLResponse(api_page(app.openapi()))

    @app.get("/static/{name}", include_in_schema=False)
    def static(name: str) -> Response:
        if name not in STATIC:
            raise HTTPException(404, "there is no such file")
        return Response(static_file(name), media_type=STATIC[name])

    @app.get(
        "/page",
        response_class=FileResponse,
        responses={
            200: {"content": {"image/png": {}}, "description": "The picture."},
            404: {"description": "The dataset has no such document, or the document no such page."},
        },
    )
    def page(
        doc_id: Annotated[str, Query(min_length=1, max_length=300, description="A document, see /documents.")],
        page: Annotated[int, Query(ge=1, description="Counted from 1.")],
    ) -> FileResponse:
        """A page's picture."""
        return _picture(service, doc_id, page, SERVED_PAGE_DPI)

    @app.get(f"{RESULTS}{{path:path}}", include_in_schema=False)
    def results(path: str) -> Response:
        found = _result(service.paths.results, path)
        if found is not None:
            return FileResponse(found, media_type=TYPES[found.suffix])
        if path in ("report", "report/"):
            return RedirectResponse(f"{RESULTS}report/index.html")
        wanted = _picture_of(service, path)
        if wanted is None:
            raise HTTPException(404, "there is no such file")
        return _picture(service, *wanted, PICTURE_DPI)


def _picture(service: SearchService, doc_id: str, page: int, dpi: int) -> FileResponse:
    try:
        return FileResponse(service.page_picture(doc_id, page, dpi), media_type="image/png")
    except (UnknownDocument, RenderError) as error:
        raise HTTPException(404, str(error)) from error
    except DiskFailure as error:
        raise HTTPException(503, "the picture cannot be kept: the disk is full or broken") from error


def _report_page(report: Path, dataset: str, doc_id: str) -> str | None:
    page = f"documents/{safe_name(dataset)}/{safe_name(doc_id)}.html"
    return f"{RESULTS}report/{page}" if (report / page).is_file() else None


def _result(results: Path, path: str) -> Path | None:
    """A file of the report, or one of a run that it links to; None for all else, and for what a link leads out to."""
    parts = path.split("/")
    if not (parts[0] == "report" or parts[1:2] in ([name] for name in SHOWN)) or Path(path).suffix not in TYPES:
        return None
    if any(part in ("", ".", "..") or part.startswith(".") or "\0" in part for part in parts):
        return None
    try:
        found = (results / path).resolve(strict=True)
        inside = found.is_relative_to(results.resolve(strict=True) / parts[0]) and found.is_file()
    except (OSError, ValueError):
        return None
    return found if inside else None


def _picture_of(service: SearchService, path: str) -> tuple[str, int] | None:
    """The document and page whose picture a report in this place would have at ``path``."""
    folder, _, name = path.removeprefix("report/").rpartition("/")
    number = name.removesuffix(f".{SUFFIX}")
    if not (number.isascii() and number.isdigit() and name.endswith(f".{SUFFIX}")):
        return None
    wanted = f"{folder}/"
    ids = (doc_id for doc_id in service.documents() if pages_folder(service.dataset, doc_id) == wanted)
    return next(((doc_id, int(number)) for doc_id in ids), None)


class SafeHeaders:
    """Tells browsers to ask nobody else, to guess no type, and to show nothing inside another site's page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, with ``HEADERS`` in every reply."""

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await self.app(scope, receive, sending)
