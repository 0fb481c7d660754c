"""The report's pictures of pages, rendered outside the process that holds the runs and trees of the whole report."""

from __future__ import annotations

import json
import logging
import multiprocessing
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Self

from cosee.artifacts.files import DiskFailure
from cosee.imaging.render import RenderError
from cosee.pipeline.isolation import Limits, run_isolated
from cosee.pipeline.locks import die_with_parent
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import StageResult
from cosee.report.pictures import picture_path, render_picture
from cosee.report.views import PageFile
from cosee.runs.thresholds import RENDER_MEMORY_MB, RENDER_SECONDS

logger = logging.getLogger(__name__)

Page = tuple[str, str, int]
"""(dataset, doc_id, 1-based page)"""


class RendererDied(Exception):
    """The process that renders was ended from outside; the same command goes on with what it has left to do."""


class PageRenderer:
    """A context that renders pages in a process forked on entering it, which forks one for each document.

    Enter it before anything large is loaded: forking a process that holds ten thousand trees takes longer than
    rendering a page. A file that hangs or kills its process costs its own pages only.
    """

    def __init__(self, paths: Paths, workers: int = 1) -> None:
        self._paths = paths
        self._cache = paths.results / ".cache" / "pages"
        self._workers = workers

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("fork")
        self._connection, theirs = context.Pipe()
        self._process = context.Process(target=self._serve, args=(theirs, self._connection))
        self._process.start()
        theirs.close()
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self._process.join()

    def render(self, wanted: Sequence[Page]) -> dict[Page, PageFile]:
        """Each page's picture; a page that cannot be rendered gets a note. To be called once.

        Raises:
            DiskFailure: a picture could not be written.
            RendererDied: the process that renders was killed.
        """
        places = {page: self._place(page) for page in wanted}
        missing = [page for page, place in places.items() if place is not None and not place.is_file()]
        if missing:
            self._have_rendered(missing)
        return {
            page: PageFile(place) if place and place.is_file() else PageFile(None, "This page could not be rendered.")
            for page, place in places.items()
        }

    def _place(self, page: Page) -> Path | None:
        dataset, doc_id, number = page
        pdf = self._paths.folder(dataset, doc_id).data / "full.pdf"
        return picture_path(pdf, number, self._cache) if pdf.is_file() else None

    def _have_rendered(self, pages: Sequence[Page]) -> None:
        try:
            self._connection.send_bytes(json.dumps(pages).encode())
            answer = json.loads(self._connection.recv_bytes())
        except (EOFError, OSError) as error:
            raise RendererDied("the process that renders pages was ended; run the same command again") from error
        if "disk" in answer:
            raise DiskFailure(answer["disk"])
        for dataset, doc_id, message in answer["failures"]:
            logger.warning("%s/%s: pages not rendered: %s", dataset, doc_id, message)

    def _serve(self, connection: Connection, others: Connection) -> None:
        """The renderer's process: one list of pages, one answer."""
        die_with_parent()
        others.close()
        try:
            pages = json.loads(connection.recv_bytes())
        except EOFError:
            return  # nothing to render
        answer: dict[str, Any]
        try:
            answer = {"failures": self._rendered(pages)}
        except DiskFailure as broken:
            answer = {"disk": str(broken)}
        connection.send_bytes(json.dumps(answer).encode())

    def _rendered(self, pages: Sequence[Page]) -> list[tuple[str, str, str]]:
        # Loaded once here, not again in each document's process.
        import numpy  # noqa: F401
        import PIL.WebPImagePlugin
        import pymupdf  # noqa: F401

        PIL.Image.preinit()
        by_document: dict[tuple[str, str], list[int]] = {}
        for dataset, doc_id, number in pages:
            by_document.setdefault((dataset, doc_id), []).append(number)
        tasks = [(key, self._task(key, numbers)) for key, numbers in by_document.items()]
        return [
            (*outcome.key, outcome.failure.message)
            for outcome in run_isolated(
                tasks, Limits(seconds=RENDER_SECONDS, memory_mb=RENDER_MEMORY_MB), self._workers
            )
            if outcome.failure is not None
        ]

    def _task(self, document: tuple[str, str], numbers: Sequence[int]) -> Callable[[], StageResult]:
        pdf = self._paths.folder(*document).data / "full.pdf"

        def task() -> StageResult:
            for number in numbers:
                try:
                    render_picture(pdf, number, self._cache)
                except RenderError as error:
                    logger.warning("%s", error)
            return StageResult([])

        return task
