"""``qa/import_report.json``: what an import into a dataset did, and everything that it could not take as it was."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, field_validator

from cosee.artifacts.base import Artifact, Record

ProblemKind = Literal[
    "missing_document", "left_out_document", "unasked_document", "unreadable_document", "missing_page", "missing_ocr",
    "duplicate_question", "duplicate_id", "removed_question", "gold_type", "gold_pages", "unused_correction",
]  # fmt: skip
"""``left_out_document``: not a plain file inside the folder. ``missing_page``: a blank page stands for it.
``removed_question``: taken out by published corrections. ``gold_type``: the gold answer contradicts its format."""


def readable(name: str) -> str:
    """A file's name as text: bytes of it that are no UTF-8 are written as ``\\udcff``."""
    return name.encode("utf-8", "backslashreplace").decode("utf-8")


class Problem(Record):
    """Something that was not taken as the source has it, or that a reader of the scores should know."""

    kind: ProblemKind
    where: str
    """Row, line, file or page of the source that it is about."""
    message: str

    @field_validator("where", "message")
    @classmethod
    def _readable(cls, value: str) -> str:
        return readable(value)

    def __str__(self) -> str:
        return f"{self.where}: {self.message}"


class ImportReport(Artifact):
    """What an import did. Nothing in ``problems`` is an error: the dataset can be used."""

    schema_name: ClassVar[str] = "cosee.import_report"

    dataset: str
    source: str
    """``folder``, ``qa-folder`` or the name of the benchmark."""
    split: str | None = None
    documents: dict[str, str]
    """Document, as the source names it, -> doc_id."""
    questions: int
    text_source: str | None = None
    """Where the invisible text over page images comes from; None where documents have only text of their own."""
    problems: list[Problem] = Field(default_factory=list)

    def of_kind(self, kind: ProblemKind) -> list[Problem]:
        """The problems of one kind."""
        return [problem for problem in self.problems if problem.kind == kind]
