"""Behind ``cosee serve``: questions about the documents of one dataset, each a stream of frames, so many at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from cosee.agents.decision.settings import DecisionMethod
from cosee.artifacts import files
from cosee.artifacts.datasets.documents import DocumentRow, current, load_sheet
from cosee.artifacts.files import ArtifactError, DiskFailure, JobFailure
from cosee.artifacts.results.trace import Trace, TraceEvent
from cosee.artifacts.settings.answer import RunSettings
from cosee.commands.thresholds import CONVERSATION_LOCKS, KEPT_TURNS, OPEN_DOCUMENTS
from cosee.imaging.page_workers import PageWorkers
from cosee.pipeline.paths import Paths
from cosee.pipeline.stage import DocFolder

if TYPE_CHECKING:
    from cosee.agents.context import Context
    from cosee.agents.decision.tree_data import TreeData
    from cosee.artifacts.datasets.questions import Question
    from cosee.artifacts.documents.doctree import DocTree
    from cosee.models.base import VLMClient
    from cosee.models.blocks import PageImage
    from cosee.retrieval.retriever import Retriever

log = logging.getLogger(__name__)

INDEX_FIRST = "run: snakemake --cores all --until index"


class UnknownDocument(LookupError):
    """The dataset has no such document, or it has not been indexed."""


class Busy(RuntimeError):
    """So many questions wait already that another one is refused."""


@dataclass(frozen=True)
class Limits:
    """What one service takes on."""

    concurrency: int = 4
    """Questions answered at a time."""
    waiting: int = 200
    """Questions that may wait; more are refused."""
    seconds: float = 300.0
    """For one answer, from when it is begun."""
    body_bytes: int = 65_536
    body_seconds: float = 10.0


@dataclass
class SearchService:
    """Answers questions with the decision agent. ``client`` is shared by all of them."""

    paths: Paths
    dataset: str
    run: RunSettings
    method: DecisionMethod
    client: VLMClient
    conversations: Path
    """Folder of the conversations that go on; nobody but the service writes there."""
    limits: Limits = Limits()
    is_served: bool = False
    """The model is behind a server."""
    _tasks: set[asyncio.Task[None]] = field(default_factory=set, init=False)
    _locks: dict[Path, asyncio.Lock] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        self._slots = asyncio.Semaphore(self.limits.concurrency)
        self._open = lru_cache(maxsize=OPEN_DOCUMENTS)(self._read)
        self._workers = PageWorkers()

    def documents(self) -> dict[str, DocumentRow]:
        """The dataset's documents by id, as its sheet has them now."""
        sheet = self.paths.sheet(self.dataset)
        return _documents(sheet, sheet.stat().st_mtime_ns if sheet.exists() else 0)

    def stream(self, doc_id: str, text: str, conversation_id: str | None) -> AsyncIterator[str]:
        """The frames of one answer as NDJSON lines; closing the stream cancels the work.

        Raises:
            UnknownDocument: the dataset has no indexed document of this id.
            Busy: too many questions wait.
        """
        doc = self.folder(doc_id)
        if self.active >= self.limits.concurrency + self.limits.waiting:
            raise Busy(f"{self.active} questions wait or are being answered")
        loop = asyncio.get_running_loop()
        frames: asyncio.Queue[TraceEvent | None] = asyncio.Queue()

        def emit(event: TraceEvent | None) -> None:
            loop.call_soon_threadsafe(frames.put_nowait, event)

        task = loop.create_task(self._work(doc, text.strip(), conversation_id, emit))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return _lines(frames, task)

    @property
    def active(self) -> int:
        """Questions that wait or are being answered."""
        return len(self._tasks)

    async def _work(
        self, doc: DocFolder, text: str, conversation_id: str | None, emit: Callable[[TraceEvent | None], None]
    ) -> None:
        """One answer, whatever happens to it: its last frame is ``complete``."""
        trace = Trace(emit)
        try:
            async with self._lock(doc, conversation_id), self._slots, asyncio.timeout(self.limits.seconds):
                await self._answer(doc, text, conversation_id, trace)
        except TimeoutError:
            _give_up(trace, f"no answer within {self.limits.seconds:g} seconds", "Ask for less, or raise the limit")
        except (Exception, JobFailure) as error:  # the client is told, the log has the rest, and the service goes on
            log.exception("%s: a question failed", doc.doc_id)
            _give_up(trace, f"{type(error).__name__}: the question could not be answered", "")
        finally:
            emit(None)

    async def _answer(self, doc: DocFolder, text: str, conversation_id: str | None, trace: Trace) -> None:
        from cosee.agents.decision.strategy import DecisionStrategy, new_state
        from cosee.artifacts.datasets.questions import Question

        context = await self.context(doc, trace)
        question = Question(question_id=f"q-{files.sha256_value(text)[:12]}", doc_id=doc.doc_id, question=text)
        place = self._conversation(doc, conversation_id)
        state = self._state(place, question, new_state(question, context))
        await DecisionStrategy(self.method).converse(question, context, state)
        if place is not None:
            state.conversation_history = state.conversation_history[-2 * KEPT_TURNS :]
            try:
                state.save(place)
            except (OSError, DiskFailure):  # the answer has been given; the conversation will begin anew
                log.exception("%s cannot be written", place)

    async def context(self, doc: DocFolder, trace: Trace) -> Context:
        """What a question about a document may use, its tree and index from memory where they are there."""
        from cosee.agents.context import Context
        from cosee.agents.decision.tool import in_thread
        from cosee.models.metering import MeteredClient
        from cosee.runs.place_reading import PlaceReader
        from cosee.runs.shown_pages import page_image

        tree, retriever = await in_thread(self._open, doc, _age(doc))
        cache = self.paths.results / ".cache" / "pages"

        def picture(page: int) -> PageImage:
            return page_image(doc.data / "full.pdf", tree, page, cache, self._workers)

        return Context(
            dataset=self.dataset,
            tree=tree,
            retriever=retriever,
            client=MeteredClient(self.client, self.run.budget, trace, fallback=self.client.fallback),
            budget=self.run.budget,
            trace=trace,
            page_image=picture,
            read_place=PlaceReader(self.run.place_ocr, tree.pages, picture) if self.client.sees_images else None,
            seed=self.run.seed,
            extractor=self.run.extractor,
        )

    def folder(self, doc_id: str) -> DocFolder:
        """The folders of a document of the sheet; nothing else of ``doc_id`` ever becomes part of a path.

        Raises:
            UnknownDocument: the dataset has no indexed document of this id.
        """
        if doc_id not in self.documents():
            raise UnknownDocument(
                f"dataset {self.dataset!r} has no document {doc_id!r}; the list of documents has its names"
            )
        doc = self.paths.folder(self.dataset, doc_id)
        if doc.data.is_symlink() or doc.index.is_symlink():
            raise UnknownDocument(f"document {doc_id!r} is a link out of the dataset")
        if not (doc.data / "doctree.mm.json").exists() or not (doc.index / "id_maps.json").exists():
            raise UnknownDocument(f"document {doc_id!r} has not been indexed; {INDEX_FIRST}")
        return doc

    def is_indexed(self, doc_id: str) -> bool:
        """Whether a document of this id can be asked about."""
        try:
            return bool(self.folder(doc_id))
        except UnknownDocument:
            return False

    def page_picture(self, doc_id: str, page: int, dpi: int) -> Path:
        """The picture of a page (1-based), a PNG, rendered in a process of its own when it is not there yet.

        Raises:
            UnknownDocument: there is no such document or page.
            RenderError: the page cannot be rendered.
            DiskFailure: the picture cannot be written.
        """
        doc = self.folder(doc_id)
        pages = self.documents()[doc_id].pages
        if not 1 <= page <= pages:
            raise UnknownDocument(f"document {doc_id!r} has no page {page}; pages are 1 to {pages}")
        return self._workers.page(doc.data / "full.pdf", page, dpi, self.paths.results / ".cache" / "pages")

    def _read(self, doc: DocFolder, _age: int) -> tuple[DocTree, Retriever]:
        from cosee.artifacts.documents.doctree import DocTree
        from cosee.retrieval.retriever import Retriever

        tree = DocTree.load(doc.data / "doctree.mm.json")
        retriever = Retriever.load(tree, doc.index, self.run.retrieval)
        return retriever.tree, retriever

    def _conversation(self, doc: DocFolder, conversation_id: str | None) -> Path | None:
        """Where a conversation is kept: by document, under a name that only holds letters and digits."""
        if conversation_id is None:
            return None
        return self.conversations / self.dataset / files.safe_name(doc.doc_id) / f"{conversation_id}.json"

    def _state(self, place: Path | None, question: Question, fresh: TreeData) -> TreeData:
        """The state of the conversation's next turn; a fresh one where there was none, or its file is unusable."""
        from cosee.agents.decision.tree_data import TreeData

        if place is None or not place.exists():
            return fresh
        try:
            return TreeData.load(place).next_turn(question.question)
        except ArtifactError as error:
            log.warning("%s; the conversation begins anew", error)
            return fresh

    def _lock(self, doc: DocFolder, conversation_id: str | None) -> asyncio.Lock:
        """Turns of one conversation come one after the other."""
        place = self._conversation(doc, conversation_id)
        if place is None:
            return asyncio.Lock()
        if len(self._locks) > CONVERSATION_LOCKS:
            self._locks = {each: lock for each, lock in self._locks.items() if lock.locked()}
        return self._locks.setdefault(place, asyncio.Lock())


async def _lines(frames: asyncio.Queue[TraceEvent | None], task: asyncio.Task[None]) -> AsyncIterator[str]:
    try:
        while (event := await frames.get()) is not None:
            yield files.canonical_json(event.model_dump(mode="json", exclude_none=True)) + "\n"
    finally:
        task.cancel()


def _give_up(trace: Trace, message: str, suggestion: str) -> None:
    trace.add("error", message=message, recoverable=True, suggestion=suggestion)
    trace.add("complete", message="", status="failed", exit_reason="error")


@lru_cache(maxsize=2)
def _documents(sheet: Path, _mtime_ns: int) -> dict[str, DocumentRow]:
    return current(load_sheet(sheet))


def _age(doc: DocFolder) -> int:
    """Changes when the document is parsed or indexed again."""
    parts = (doc.data / "doctree.mm.json", doc.index / "id_maps.json")
    return sum(path.stat().st_mtime_ns for path in parts)
