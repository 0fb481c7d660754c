"""The reader without a model as a client: typed requests are answered by handlers that read the blocks alone.

``replies/`` has a handler for each schema of an agent: a pure function from a ``Reading`` to an instance of it.
Agents therefore run the same code with and without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.results.prediction import Usage
from cosee.models.base import VLMClient
from cosee.models.blocks import Block, BlockKind, Message
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.question.instructions import without_instructions
from cosee.reader.answer import find_places, read
from cosee.reader.evidence import Place
from cosee.reader.passages import Passage, ReadingAnswer, passages_of_text, unique
from cosee.reader.weights import Weights, fitted
from cosee.text.frequencies import document_frequencies


@dataclass(frozen=True)
class Reading:
    """The blocks of one request, as handlers see them; what a request has not is empty."""

    messages: Sequence[Message]
    sampling: Sampling
    weights: Weights = field(default_factory=fitted)

    @property
    def blocks(self) -> list[Block]:
        """Every block in order."""
        return [block for message in self.messages for block in message.blocks]

    def data(self, kind: BlockKind, name: str, default: Any) -> Any:
        """A value in the data of the first block of a kind."""
        return next((block.data.get(name, default) for block in self.blocks if block.kind == kind), default)

    @property
    def question(self) -> str:
        """The question's text."""
        return str(self.data("question", "question", ""))

    @property
    def board(self) -> list[dict[str, Any]]:
        """The shared board's cells."""
        return list(self.data("board", "cells", []))

    @property
    def role(self) -> str:
        """The role's short name."""
        return str(self.data("role", "role", ""))

    @property
    def history(self) -> list[dict[str, Any]]:
        """Earlier turns of the conversation."""
        return list(self.data("history", "turns", []))

    @cached_property
    def page_numbers(self) -> list[int]:
        """1-based pages in the request, pictures included, in order, each once."""
        shown = [block.data["page"] for block in self.blocks if block.kind in ("page_text", "image", "node", "table")]
        return list(dict.fromkeys(int(page) for page in shown))

    @cached_property
    def passages(self) -> list[Passage]:
        """The evidence as the readings see it: every node once, and the text of pages without nodes."""
        found: list[Passage] = []
        for block in self.blocks:
            if block.kind == "page_text":
                nodes = [Passage.from_data(node, block.data.get("rank")) for node in block.data["nodes"]]
                found.extend(nodes or passages_of_text(block.data["page"], block.data["text"]))
            elif block.kind in ("node", "table"):
                found.append(Passage.from_data(block.data))
        return unique(found)

    @property
    def frequencies(self) -> Mapping[str, int] | None:
        """See ``Rarity``; None where no page's data tells."""
        found: Mapping[str, int] | None = self.data("page_text", "frequencies", None)
        return found

    @cached_property
    def instructions(self) -> dict[str, Any]:
        """Data of every instruction block in one mapping (``prompt_id`` is the last one's)."""
        merged: dict[str, Any] = {}
        for block in self.blocks:
            if block.kind == "instruction" and not str(block.data.get("prompt_id", "")).startswith("json_"):
                merged |= block.data
        return merged

    @cached_property
    def places(self) -> list[Place]:
        """The places of the evidence that share words with the question, best first."""
        return [each.place for each in find_places(self.question, self.passages, self.frequencies, self.weights)[1]]

    def answer(self, pages: Collection[int] = ()) -> ReadingAnswer:
        """The reader's answer over the evidence, or over what of it is on ``pages`` where anything is."""
        chosen = [passage for passage in self.passages if passage.page in pages]
        return read(self.question, chosen or self.passages, self.frequencies, self.weights)


Handlers = Mapping[type[BaseModel], Callable[[Reading], BaseModel]]
"""From a schema to the function that replies to requests for it."""


class EmbeddedClient(VLMClient):
    """No model: handlers and readings. Sees no images, and takes milliseconds a call."""

    name = "embedded"
    is_model = False
    max_context = 10_000_000
    default_pages = 10

    def __init__(self, handlers: Handlers | None = None, weights: Weights | None = None) -> None:
        self.handlers, self.weights = handlers or {}, weights or fitted()
        self.revision = f"extractive-{files.sha256_value(asdict(self.weights))[:8]}"

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The ``ReadingAnswer`` as JSON."""
        return self._generation(messages, asdict(Reading(messages, sampling or Sampling(), self.weights).answer()))

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """The reply of the handler of the schema, or of one that it narrows, as JSON. Raises ModelError without any."""
        handler = next((self.handlers[kind] for kind in schema.__mro__ if kind in self.handlers), None)
        if handler is None:
            known = ", ".join(sorted(known.__name__ for known in self.handlers)) or "none"
            raise ModelError(
                f"embedded: no handler is registered for {schema.__name__} (there are {known}); use a model"
            )
        value = handler(Reading(messages, sampling or Sampling(), self.weights))
        return self._generation(messages, value.model_dump(mode="json"))

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """``frequencies``: in how many texts of the document the words of the question stand."""
        return {"frequencies": document_frequencies(without_instructions(question), texts)}

    def _generation(self, messages: Sequence[Message], value: Mapping[str, Any]) -> Generation:
        text = files.canonical_json(value)
        usage = Usage(tokens_in=self.tokenize_prompt_length(messages), tokens_out=(len(text) + 3) // 4, calls=1)
        return Generation(text=text, usage=usage)
