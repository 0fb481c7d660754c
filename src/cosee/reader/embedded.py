"""The reader without a model: typed requests are answered by handlers that read the blocks and nothing else.

Each strategy registers a handler beside each of its schemas. A handler is a pure function from a ``Reading`` to an
instance of the schema; ``Reading.answer()`` and the modules of ``skills/`` do the work. Agents therefore run the same
code with and without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.results.prediction import Usage
from cosee.models.base import VLMClient
from cosee.models.blocks import Block, BlockKind, Message
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.reader.skills.nodes import Passage, ReadingAnswer, passages_of_text, unique
from cosee.reader.skills.question import analyse

Schema = TypeVar("Schema", bound=BaseModel)
REVISION = "skills-4"


class ReaderReply(Record):
    """What ``chat`` of the embedded client answers, as JSON: the default reading of the evidence."""

    answer: str
    answer_long: str
    confidence: float
    abstained: bool
    support_nodes: list[str]


@dataclass(frozen=True)
class Reading:
    """The blocks of one request, as handlers see them."""

    messages: Sequence[Message]
    sampling: Sampling

    @cached_property
    def blocks(self) -> list[Block]:
        """Every block in order."""
        return [block for message in self.messages for block in message.blocks]

    def first(self, kind: BlockKind) -> Block | None:
        """The first block of a kind."""
        return next((block for block in self.blocks if block.kind == kind), None)

    @cached_property
    def question(self) -> str:
        """The question's text; empty where there is none."""
        block = self.first("question")
        return str(block.data.get("question", "")) if block else ""

    @cached_property
    def pages(self) -> list[dict[str, Any]]:
        """Data of the ``page_text`` blocks."""
        return [dict(block.data) for block in self.blocks if block.kind == "page_text"]

    @cached_property
    def page_numbers(self) -> list[int]:
        """1-based pages in the request, pictures included, in order, each once."""
        shown = [block.data["page"] for block in self.blocks if block.kind in ("page_text", "image", "node", "table")]
        return list(dict.fromkeys(int(page) for page in shown))

    @cached_property
    def nodes(self) -> list[dict[str, Any]]:
        """Node and table data in order, those inside page texts included; a node may stand twice."""
        found: list[dict[str, Any]] = []
        for block in self.blocks:
            if block.kind == "page_text":
                found.extend(dict(node) for node in block.data["nodes"])
            elif block.kind in ("node", "table"):
                found.append(dict(block.data))
        return found

    @cached_property
    def passages(self) -> list[Passage]:
        """The evidence as the skills read it: every node once, and the text of pages without nodes."""
        found: list[Passage] = []
        for block in self.blocks:
            if block.kind == "page_text":
                data = block.data
                found.extend(
                    [Passage.from_data(node, data.get("rank")) for node in data["nodes"]]
                    or passages_of_text(data["page"], data["page_label"], data["text"])
                )
            elif block.kind in ("node", "table"):
                found.append(Passage.from_data(block.data))
        return unique(found)

    @cached_property
    def absent(self) -> list[str] | None:
        """Names of the question that stand nowhere in the document; None where no page's data tells."""
        told = [block.data["absent"] for block in self.blocks if block.kind == "page_text" and "absent" in block.data]
        return list(told[0]) if told else None

    @cached_property
    def board(self) -> list[dict[str, Any]]:
        """The shared board's cells; empty where there is no board."""
        block = self.first("board")
        return [dict(cell) for cell in block.data.get("cells", [])] if block else []

    @cached_property
    def role(self) -> str:
        """The role's short name; empty where there is none."""
        block = self.first("role")
        return str(block.data.get("role", "")) if block else ""

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        """Earlier turns of the conversation."""
        block = self.first("history")
        return [dict(turn) for turn in block.data.get("turns", [])] if block else []

    @cached_property
    def instructions(self) -> dict[str, Any]:
        """Data of every instruction block in one mapping (``prompt_id`` is the last one's)."""
        merged: dict[str, Any] = {}
        for block in self.blocks:
            if block.kind == "instruction" and not str(block.data.get("prompt_id", "")).startswith("json_"):
                merged |= block.data
        return merged

    @cached_property
    def step(self) -> int:
        """The round or step that an instruction block gives as data ``step``; else 0."""
        return int(self.instructions.get("step", 0))

    def answer(self) -> ReadingAnswer:
        """The answer of the embedded reader to the question over the evidence."""
        from cosee.reader.skills.answer import read

        return read(self.question, self.passages, self.absent)


Handler = Callable[[Reading], BaseModel]


class HandlerRegistry:
    """From a schema to the function that answers it."""

    def __init__(self) -> None:
        self._handlers: dict[type[BaseModel], Handler] = {}

    def register(self, schema: type[Schema]) -> Callable[[Callable[[Reading], Schema]], Callable[[Reading], Schema]]:
        """Decorator: the function answers requests for ``schema``. A schema has one handler."""

        def add(handler: Callable[[Reading], Schema]) -> Callable[[Reading], Schema]:
            if schema in self._handlers:
                raise ValueError(f"{schema.__name__} has a handler already")
            self._handlers[schema] = handler
            return handler

        return add

    def include(self, other: HandlerRegistry) -> None:
        """Take over the handlers of another registry."""
        for schema, handler in other._handlers.items():
            self.register(schema)(handler)

    def handler(self, schema: type[BaseModel]) -> Handler:
        """The handler of a schema, or of the one that it narrows; ModelError names it where there is none."""
        for kind in schema.__mro__:
            if kind in self._handlers:
                return self._handlers[kind]
        known = ", ".join(sorted(known.__name__ for known in self._handlers)) or "none"
        raise ModelError(
            f"embedded: no handler is registered for {schema.__name__} (registered: {known}); "
            "register one beside the schema, or use a model"
        )


class EmbeddedClient(VLMClient):
    """No model: handlers and text skills. Sees no images, and takes milliseconds a call."""

    name = "embedded"
    revision = REVISION
    max_context = 10_000_000
    default_pages = 10

    def __init__(self, registry: HandlerRegistry | None = None) -> None:
        self.registry = registry or HandlerRegistry()

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The default reading of the evidence, as the JSON of ``ReaderReply``."""
        found = Reading(messages, sampling or Sampling()).answer()
        reply = ReaderReply(
            answer=found.answer,
            answer_long=found.answer_long,
            confidence=found.confidence,
            abstained=found.abstained,
            support_nodes=list(dict.fromkeys(quote.node_id for quote in found.quotes if quote.node_id)),
        )
        return self._generation(messages, reply)

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """The handler's instance as JSON.

        Raises:
            ModelError: no handler is registered for the schema.
        """
        value = self.registry.handler(schema)(Reading(messages, sampling or Sampling()))
        return self._generation(messages, value)

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """``absent``: the names and numbers of the question that stand nowhere in the document."""
        from cosee.reader.skills.gaps import absent_keys

        return {"absent": absent_keys(analyse(question), texts)}

    def _generation(self, messages: Sequence[Message], value: BaseModel) -> Generation:
        text = files.canonical_json(value.model_dump(mode="json"))
        usage = Usage(tokens_in=self.tokenize_prompt_length(messages), tokens_out=(len(text) + 3) // 4, calls=1)
        return Generation(text=text, usage=usage)
