"""``qa/questions.jsonl``: questions with their gold answers and evidence pages."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from cosee.artifacts.base import BBox, Record, load_rows
from cosee.artifacts.datasets.names import ASKED
from cosee.artifacts.files import ArtifactError, safe_name

AnswerFormat = Literal["Int", "Float", "Str", "List", "Bool", "None", "FreeText"]

NOT_ANSWERABLE = "Not answerable"
"""The one spelling of an abstention, as MMLongBench-Doc has it."""


class PublishedGold(Record):
    """A question and its gold as first published, before a correction."""

    question: str
    answer: str | list[str]
    answer_format: AnswerFormat
    evidence_pages: list[int] = Field(default_factory=list)


class EvidenceBox(Record):
    """A place that shows the answer: a 1-based page, and a box in 0..1 of the page as seen."""

    page: int = Field(ge=1)
    bbox: BBox


class Question(Record):
    """One question about one document, several, or all. ``evidence_pages`` are 1-based physical pages."""

    question_id: str
    doc_id: str = ""
    """The document; empty for a question over ``doc_ids``, or where there are none either, over every document of the
    datasets of its run."""
    doc_ids: list[str] = Field(default_factory=list)
    """Documents that it is about; one of another dataset of the run as ``<dataset>/<doc_id>``."""
    question: str
    answer: str | list[str] | None = None
    """Gold; None when there is none (the question is answered but not scored)."""
    answer_alt: list[str | list[str]] = Field(default_factory=list)
    answer_format: AnswerFormat | None = None
    evidence_pages: list[int] = Field(default_factory=list)
    evidence_documents: list[str] = Field(default_factory=list)
    """Of a question over several documents: the document of each of ``evidence_pages``."""
    evidence_mode: Literal["all", "any"] = "all"
    evidence_boxes: list[EvidenceBox] = Field(default_factory=list)
    """Gold places, where they are known; see the measure ``box_f1``."""
    evidence_sources: list[str] = Field(default_factory=list)
    page_window: tuple[int, int] | None = None
    """First and last page, 1-based, of what the benchmark itself shows a system, where that is not the whole document.
    Recorded, not enforced: methods read the document."""
    original: PublishedGold | None = None
    """The gold before published corrections, equal to the present one where none touched it; scores are then given
    against both. None where there are no corrections."""
    task_type: str | None = None
    requires_visual: bool | None = None
    source_dataset: str = "unnamed"
    language: str | None = None
    split: str | None = None

    @model_validator(mode="after")
    def _scope(self) -> Question:
        if self.doc_id and self.doc_ids:
            raise ValueError("give doc_id for one document or doc_ids for several, not both")
        if len(set(self.doc_ids)) < len(self.doc_ids):
            raise ValueError(f"doc_ids {self.doc_ids} name a document twice")
        for name in (*self.doc_ids, *self.evidence_documents):
            if not {"", ".", ".."}.isdisjoint(name.split("/")):
                raise ValueError(f"{name!r} names no document; give its doc_id, or <dataset>/<doc_id>")
        if len(self.doc_ids) == 1 and "/" not in self.doc_ids[0]:
            self.doc_id, self.doc_ids = self.doc_ids[0], []
        if self.evidence_documents and (self.doc_id or len(self.evidence_documents) != len(self.evidence_pages)):
            raise ValueError("evidence_documents names the document of each of evidence_pages, where there are several")
        return self

    @property
    def source_key(self) -> str:
        """``source_dataset`` in small letters without ``-``, ``_`` and spaces, as scorers know their benchmarks."""
        return self.source_dataset.lower().translate({ord(each): None for each in "-_ "})

    @property
    def place(self) -> str:
        """Where what is made of the question is kept: its document, or for one over several a folder of its own."""
        return self.doc_id or f"{ASKED}/{safe_name(self.question_id)}"

    @property
    def gold_pages(self) -> list[tuple[str, int]]:
        """Document and page of its evidence; no document is named where it is that of the question."""
        documents = self.evidence_documents or [""] * len(self.evidence_pages)
        return list(zip(documents, self.evidence_pages, strict=True))

    def before_corrections(self) -> Question:
        """The question with its original gold; itself where there are no corrections."""
        return self if self.original is None else self.model_copy(update=dict(self.original))

    @property
    def unanswerable(self) -> bool:
        """Whether the gold answer is an abstention."""
        return self.answer_format == "None"


def load_questions(path: Path) -> list[Question]:
    """A dataset's questions by ``question_id``; an absent file means none.

    Raises:
        ArtifactError: a line is faulty (file and line are named), or a ``question_id`` occurs twice.
    """
    if not path.exists():
        return []
    questions = sorted(load_rows(Question, path), key=lambda question: question.question_id)
    for first, second in zip(questions, questions[1:], strict=False):
        if first.question_id == second.question_id:
            raise ArtifactError(f"{path}: question_id {first.question_id!r} occurs twice")
    return questions
