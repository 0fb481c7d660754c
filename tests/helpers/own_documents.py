"""Documents of our own as PDFs, read by every stage, and questions put to them as ``cosee ask`` puts them."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pymupdf
from helpers.make_pdf import grid

from cosee.agents.methods.page_rag import PageRagMethod
from cosee.artifacts.base import load_rows, save_rows
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import Budget
from cosee.artifacts.settings.answer import AnswerSettings, RetrievalSettings
from cosee.artifacts.settings.index import IndexSettings
from cosee.artifacts.settings.parsing import AdaptSettings, BuildSettings, EnhanceSettings
from cosee.pipeline.stage import DocFolder
from cosee.stages.adapt import AdaptStage
from cosee.stages.answer import AnswerStage
from cosee.stages.build import BuildStage
from cosee.stages.enhance import EnhanceStage
from cosee.stages.index import IndexStage

NEW_PAGE = "=="


class Writer:
    """Writes parts one below the other: ``# heading``, ``| a | b`` rows of a table, ``[x] label`` boxes of a form side
    by side, ``^ note`` at the foot, everything else a paragraph; ``==`` begins a page."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self._begin()

    def _begin(self) -> None:
        self.page, self.y, self.foot = self.document.new_page(width=595, height=842), 72.0, 780.0

    def write(self, parts: Sequence[str]) -> None:
        table: list[list[str]] = []
        for part in [*parts, ""]:
            if part.startswith("|"):
                table.append([cell.strip() for cell in part.strip("|").split("|")])
                continue
            if table:
                grid(self.page, 72, self.y, table, width=110)
                self.y, table = self.y + 18 * len(table) + 24, []
            if part == NEW_PAGE:
                self._begin()
            elif part.startswith("# "):
                self._text(part[2:], 15, "hebo", 60, after=8)
            elif part.startswith("^ "):
                self.page.insert_text((72, self.foot), part[2:], fontsize=7.5, fontname="helv")
                self.foot += 10
            elif "[x]" in part or "[ ]" in part:
                self._boxes(part)
            elif part:
                self._text(part, 10, "helv", 92, after=10)

    def _text(self, text: str, size: float, font: str, width: int, after: float) -> None:
        for line in textwrap.wrap(text, width):
            self.page.insert_text((72, self.y), line, fontsize=size, fontname=font)
            self.y += 1.3 * size
        self.y += after

    def _boxes(self, part: str) -> None:
        """A label, and boxes of a form behind it, each before its words."""
        x = 72.0
        for piece in part.replace("[x]", "\n[x]").replace("[ ]", "\n[ ]").splitlines():
            box, words = piece[:3], piece[3:].strip()
            if box in ("[x]", "[ ]"):
                widget = pymupdf.Widget()
                widget.field_type, widget.field_name = (
                    pymupdf.PDF_WIDGET_TYPE_CHECKBOX,
                    f"box{self.page.number}{self.y}{x}",
                )
                widget.rect, widget.field_value = pymupdf.Rect(x, self.y - 9, x + 10, self.y + 1), box == "[x]"
                self.page.add_widget(widget)
                x += 13
            else:
                words = piece.strip()
            self.page.insert_text((x, self.y), words, fontsize=10, fontname="helv")
            x += pymupdf.get_text_length(words, fontsize=10) + 14
        self.y += 20


def document(root: Path, name: str, *parts: str) -> DocFolder:
    """The document with these parts, read, built and indexed without vectors."""
    folder = DocFolder("own", name, root / "data/own" / name, root / "indexes/own" / name, root / "results/run")
    folder.data.mkdir(parents=True)
    writer = Writer()
    writer.write(parts)
    writer.document.save(folder.data / "full.pdf", no_new_id=True)
    AdaptStage().run(folder, AdaptSettings(ocr="none"))
    EnhanceStage().run(folder, EnhanceSettings())
    BuildStage().run(folder, BuildSettings())
    IndexStage().run(folder, IndexSettings(embedder="none"))
    return folder


def ask(folder: DocFolder, *questions: str) -> list[Prediction]:
    """The rows of ``page_rag`` without a model, in the order of the questions."""
    rows = [Question(question_id=f"q{n}", doc_id=folder.doc_id, question=text) for n, text in enumerate(questions)]
    save_rows(folder.questions, rows)
    values: dict[str, Any] = {"run": "run", "method": PageRagMethod(), "model": "embedded", "seed": 0}
    settings = AnswerSettings.model_validate({**values, "retrieval": RetrievalSettings(), "budget": Budget()})
    AnswerStage(folder.data / "models.yaml").run(folder, settings)
    assert folder.results is not None
    return load_rows(Prediction, folder.results / "answers" / "page_rag" / "own" / f"{folder.doc_id}.jsonl")
