"""What the reader without a model is given for each question: the evidence of ``page_rag``, recorded as it is asked."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import BaseModel

from benchmarks.answers import answer_settings
from benchmarks.common import QaSet, progress
from benchmarks.prepare import Prepared
from cosee.agents.baselines.schemas import PageAnswer
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.models.blocks import Message
from cosee.models.calls import Generation, Sampling
from cosee.reader.client import EmbeddedClient
from cosee.reader.passages import Passage
from cosee.reader.reading import Reading
from cosee.stages.answer import AnswerStage

METHOD = "page_rag"


@dataclass(frozen=True, eq=False)
class Recorded:
    """A question with its evidence."""

    question: Question
    passages: list[Passage]
    frequencies: Mapping[str, int] | None


class _Recorder(EmbeddedClient):
    """Abstains from every request and keeps what it was asked with."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: dict[str, Reading] = {}

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        reading = Reading(messages, sampling or Sampling())
        self.kept[reading.question] = reading
        reply = PageAnswer(explanation="", answer=NOT_ANSWERABLE, confidence=0.0, quotes=[])
        return self._generation(messages, reply.model_dump(mode="json"))


def recorded(qa: QaSet, prepared: Mapping[str, Prepared]) -> list[Recorded]:
    """Every question of the documents that could be prepared, in the order of the documents."""
    found: list[Recorded] = []
    settings = answer_settings(METHOD, "embedded")
    for number, (doc_id, each) in enumerate(prepared.items(), start=1):
        progress("recording", number, len(prepared), doc_id)
        if each.failure is not None:
            continue
        client = _Recorder()
        with TemporaryDirectory() as folder:
            doc = dataclasses.replace(each.doc, results=Path(folder))
            AnswerStage(opened={"embedded": client}).run(doc, settings)
        found += [
            Recorded(question, kept.passages, kept.frequencies)
            for question in qa.questions
            if question.doc_id == doc_id and (kept := client.kept.get(question.question)) is not None
        ]
    progress("", 0, 0, "")
    return found
