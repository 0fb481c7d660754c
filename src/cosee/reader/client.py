"""The reader without a model as a client: typed requests are answered by handlers that read their blocks alone.

``replies/`` has a handler for each schema of an agent: a pure function from a ``Reading`` to an instance of it.
Agents therefore run the same code with and without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel

from cosee.agents.baselines.schemas import ChatMessage, PageAnswer, ReasonedAnswer
from cosee.agents.cosee.schemas import ActionReply
from cosee.agents.decision.schemas import Decision, Interpretation, Summary
from cosee.agents.extractor import ExtractedAnswer
from cosee.agents.navigator.schemas import CombineReply, PlanReply, ReasonReply, SplitReply
from cosee.artifacts import files
from cosee.artifacts.results.prediction import Usage
from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.question.instructions import without_instructions
from cosee.reader.reading import Reading
from cosee.reader.replies import baselines, cosee, decision, navigator
from cosee.reader.weights import Weights, fitted
from cosee.text.frequencies import document_frequencies

HANDLERS: dict[type[BaseModel], Callable[[Reading], BaseModel]] = {
    PageAnswer: baselines.read_once, ReasonedAnswer: baselines.read_step_by_step, ChatMessage: baselines.speak,
    ExtractedAnswer: baselines.extract, ActionReply: cosee.act, Decision: decision.decide,
    Interpretation: decision.interpret, Summary: decision.summarize, PlanReply: navigator.plan,
    ReasonReply: navigator.reason, SplitReply: navigator.split, CombineReply: navigator.combine,
}  # fmt: skip
"""From a schema to the function that replies to requests for it."""


class EmbeddedClient(VLMClient):
    """No model: handlers and readings. Sees no images, and takes milliseconds a call."""

    name = "embedded"
    is_model = False
    max_context = 10_000_000
    default_pages = 10

    def __init__(self, weights: Weights | None = None) -> None:
        self.weights = weights or fitted()
        self.revision = f"extractive-{files.sha256_value(asdict(self.weights))[:8]}"

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The ``ReadingAnswer`` as JSON."""
        return self._generation(messages, asdict(Reading(messages, sampling or Sampling(), self.weights).answer()))

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """The reply of the handler of the schema, or of one that it narrows, as JSON. Raises ModelError without any."""
        handler = next((HANDLERS[kind] for kind in schema.__mro__ if kind in HANDLERS), None)
        if handler is None:
            raise ModelError(f"embedded: the reader without a model has no reply to {schema.__name__}; use a model")
        value = handler(Reading(messages, sampling or Sampling(), self.weights))
        return self._generation(messages, value.model_dump(mode="json"))

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """``frequencies``: in how many texts of the document the words of the question stand."""
        return {"frequencies": document_frequencies(without_instructions(question), texts)}

    def _generation(self, messages: Sequence[Message], value: Mapping[str, Any]) -> Generation:
        text = files.canonical_json(value)
        usage = Usage(tokens_in=self.tokenize_prompt_length(messages), tokens_out=(len(text) + 3) // 4, calls=1)
        return Generation(text=text, usage=usage)
