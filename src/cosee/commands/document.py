"""``cosee.read``: one PDF from Python and from notebooks, by the code and in the folder of ``cosee ask``."""

from __future__ import annotations

import asyncio
import base64
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TypeVar

from cosee.artifacts import files
from cosee.artifacts.base import load_rows
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import TraceEvent, load_trace
from cosee.artifacts.settings.answer import RetrievalSettings
from cosee.commands import ask as asking
from cosee.commands.thresholds import NOTEBOOK_CHARACTERS, NOTEBOOK_DPI, NOTEBOOK_HEADINGS, NOTEBOOK_PAGES
from cosee.imaging.page_boxes import Mark, draw_marks
from cosee.imaging.render import render_page_isolated
from cosee.pipeline.config import Config
from cosee.text.counts import counted

Made = TypeVar("Made")
EVIDENCE = "evidence"


@dataclass(frozen=True)
class Page:
    """One page; in a notebook it is its picture, with the boxes that it was asked for with."""

    document: Document
    number: int
    """Counted from 1."""
    marks: tuple[Mark, ...]

    @property
    def text(self) -> str:
        """Its readable text, one node a line."""
        return self.document.tree.page_text(self.number - 1)

    @property
    def nodes(self) -> list[Node]:
        """Its readable nodes in reading order."""
        return self.document.tree.readable_on(self.number - 1)

    def png(self) -> bytes:
        """The picture. Raises RenderError where the page cannot be rendered."""
        with tempfile.TemporaryDirectory() as scratch:
            picture = render_page_isolated(self.document.file, self.number, NOTEBOOK_DPI, Path(scratch))
            out = Path(scratch) / "marked.png"
            draw_marks(picture, self.marks, out, f"{self.document.pdf.name}, page {self.number}")
            return files.read_bytes(out)

    def _repr_png_(self) -> bytes:
        return self.png()


@dataclass(frozen=True)
class Hit:
    """One place that a search found."""

    page: int
    """Counted from 1."""
    score: float
    node: Node

    @property
    def text(self) -> str:
        """The node's text."""
        return self.node.text or self.node.title or ""


class Hits(list[Hit]):
    """What a search found, best first; in a notebook a table with the pictures of its pages."""

    def __init__(self, document: Document, query: str, hits: Sequence[Hit]) -> None:
        super().__init__(hits)
        self.document, self.query = document, query

    def __repr__(self) -> str:
        lines = [f"page {hit.page} {hit.node.id} ({hit.score:.2f}): {_cut(hit.text)}" for hit in self]
        return "\n".join([f"{len(self)} places for {self.query!r}", *lines])

    def _repr_html_(self) -> str:
        rows = [(f"page {hit.page}", hit.node.type, f"{hit.score:.2f}", _cut(hit.text)) for hit in self]
        marks = [(hit.page, Mark(region.bbox, hit.node.type)) for hit in self for region in hit.node.regions
                 if region.page_idx + 1 == hit.page]  # fmt: skip
        return f"<p>{escape(repr(self.query))}</p>{_table(rows)}{_pictures(self.document, marks)}"


@dataclass(frozen=True)
class Answer:
    """An answer with its evidence; in a notebook with the pictures of the pages that it stands on."""

    document: Document
    question: str
    prediction: Prediction
    """Everything that is known of it, as a row of ``predictions/``."""
    trace_file: Path

    @property
    def text(self) -> str:
        """The short answer."""
        return self.prediction.answer

    @property
    def pages(self) -> list[int]:
        """The pages of its evidence, counted from 1."""
        return sorted({support.page for support in self.prediction.support})

    @property
    def trace(self) -> list[TraceEvent]:
        """How it was found."""
        return load_trace(self.trace_file)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        pages = ", ".join(map(str, self.pages)) or "none"
        return f"{self.text!r} (pages {pages}; {self.prediction.method}; {self.prediction.exit_reason})"

    def _repr_html_(self) -> str:
        prediction = self.prediction
        rows = [(f"page {support.page}", support.node_id or "", support.quote) for support in prediction.support]
        marks = [(each.page, Mark(each.bbox, EVIDENCE)) for each in prediction.support if each.bbox is not None]
        said = f"<p>{escape(self.question)}<br><b>{escape(self.text or 'no answer')}</b>"
        told = f"<br>{escape(prediction.method)}, {escape(prediction.model or 'no model')}</p>"
        return said + told + _table(rows) + _pictures(self.document, marks)


class Document:
    """One PDF: its tree, its pages, searches and answers. ``read`` makes one."""

    def __init__(self, pdf: Path, settings: Config, model: str | None = None) -> None:
        self.pdf, self._settings, self._model = pdf, settings, model
        self._workspace = asking.workspace_of(pdf)

    @property
    def folder(self) -> Path:
        """Where its artifacts are: ``doctree.mm.json`` and what it was made from."""
        return self._workspace.paths.folder(asking.DATASET, asking.DOC_ID).data

    @property
    def file(self) -> Path:
        """The PDF that was read."""
        return self.folder / "full.pdf"

    @cached_property
    def tree(self) -> DocTree:
        """The document as a tree of typed nodes.

        Raises:
            ArtifactError: the file cannot be read; the message says why and what to do.
        """
        with asking.work_on(self._workspace, self._settings):
            for stage, section in asking.document_stages(self._settings):
                asking.run_stage(stage, section, self._workspace, self._settings, quiet=False)
        return DocTree.load(self.folder / "doctree.mm.json")

    @property
    def pages(self) -> list[Page]:
        """Its pages, each with the boxes of its nodes."""
        return [self.page(number) for number in range(1, len(self.tree.pages) + 1)]

    def page(self, number: int) -> Page:
        """A page (from 1) with the box of every node. Raises ArtifactError where there is no such page."""
        pages = len(self.tree.pages)
        if not 1 <= number <= pages:
            raise ArtifactError(f"{self.pdf}: has no page {number}; pages are 1 to {pages}")
        nodes = [self.tree.node(node_id) for node_id in self.tree.page_nodes.get(number - 1, [])]
        marks = [
            Mark(region.bbox, node.type, str(place))
            for place, node in enumerate(nodes, 1)
            for region in node.regions
            if region.page_idx == number - 1
        ]
        return Page(self, number, tuple(marks))

    def search(self, text: str, limit: int = 10) -> Hits:
        """The best places for some words, by the same search as the answers'. Raises ArtifactError."""
        from cosee.retrieval.retriever import Retriever

        question, tree = asking.question_of(text), self.tree
        with asking.work_on(self._workspace, self._settings, question):
            for stage, section in asking.search_stages(self._settings):
                asking.run_stage(stage, section, self._workspace, self._settings, quiet=False)
            index = self._workspace.paths.folder(asking.DATASET, asking.DOC_ID).index
            runs = list(self._settings.runs.values())
            retriever = Retriever.load(tree, index, runs[0].retrieval if runs else RetrievalSettings())
            ranking = retriever.search(question.question, question_id=question.question_id)
        found = [Hit(hit.page, hit.score, tree.node(hit.node_id)) for hit in ranking.hits]
        return Hits(self, text, [hit for hit in found if hit.node.readable][:limit])

    def ask(self, question: str, *, method: str = "cosee", model: str | None = None) -> Answer:
        """One method's answer, as ``cosee ask`` gives it; a question that was asked before is not asked again.

        Raises:
            ArtifactError: the document or the question cannot be used.
            ConfigError: the method or the model is wrong.
        """
        found = _outside_loop(
            lambda: asking.answered(self.pdf, question, self._settings, method=method, model=model or self._model)
        )
        return Answer(self, question, found.answer, found.trace)

    def answers(self) -> list[tuple[str, Prediction]]:
        """Every question that this document was ever asked, here or by ``cosee ask``, with its answers."""
        found = []
        for path in sorted(self._workspace.root.glob(f"results/*/answers/*/{asking.DATASET}/{asking.DOC_ID}.jsonl")):
            for row in load_rows(Prediction, path):
                method = path.parent.parent.name
                trace = path.parents[3] / "traces" / method / asking.DATASET
                found.append((_asked(trace / f"{files.safe_name(row.question_id)}.ndjson"), row))
        return found

    def __repr__(self) -> str:
        return f"Document({str(self.pdf)!r})"

    def _repr_html_(self) -> str:
        tree = self.tree
        sections = [node for node in tree.of_type("section") if node.readable]
        rows = [
            ("&emsp;" * (node.level - 1), f"page {node.page_idx + 1}", _cut(node.title or ""))
            for node in sections[:NOTEBOOK_HEADINGS]
        ]
        title = escape(tree.title or self.pdf.name)
        outline = "".join(f"<li>{indent}{escape(title)} ({page})</li>" for indent, page, title in rows)
        more = f"<li>... {len(sections) - NOTEBOOK_HEADINGS} more</li>" if len(sections) > NOTEBOOK_HEADINGS else ""
        found = {"page": len(tree.pages), "section": len(sections)}
        found |= {"table": len(tree.of_type("table")), "figure": len(tree.of_type("image"))}
        told = ", ".join(counted(number, name) for name, number in found.items())
        picture = _picture(self.page(1)) if tree.pages else ""
        return f"<p><b>{title}</b><br>{told}</p><ul style='list-style:none'>{outline}{more}</ul>{picture}"


def read(path: str | Path, *, config: str | Path | None = None, model: str | None = None) -> Document:
    """Open a PDF: read into a tree, searched and asked when that is first wanted, and kept in the cache folder.

    ``config`` names a configuration file whose settings and methods are used, ``model`` a model of
    ``config/models.yaml``; without them what is built in, which needs no model.

    Raises:
        ArtifactError: there is no such file.
        ConfigError: the configuration is wrong.
    """
    return Document(Path(path), asking.settings_of(Path(config) if config is not None else None), model)


def _asked(trace: Path) -> str:
    """The words of a question by its trace, which begins with them; nothing where there is none."""
    if not trace.is_file():
        return ""
    first = next(iter(load_trace(trace)), None)
    return (first.message or "") if first is not None and first.type == "start" else ""


def _outside_loop(function: Callable[[], Made]) -> Made:
    """Run something that may start an event loop of its own: in a thread where one runs here, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return function()
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(function).result()


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= NOTEBOOK_CHARACTERS else line[: NOTEBOOK_CHARACTERS - 2] + " …"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) for row in rows]
    return "<table>" + "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"


def _pictures(document: Document, marks: Sequence[tuple[int, Mark]]) -> str:
    pages = list(dict.fromkeys(page for page, _ in marks))[:NOTEBOOK_PAGES]
    return "".join(_picture(Page(document, page, tuple(mark for at, mark in marks if at == page))) for page in pages)


def _picture(page: Page) -> str:
    data = base64.b64encode(page.png()).decode()
    return f"<img style='max-width:32rem' alt='page {page.number}' src='data:image/png;base64,{data}'>"
