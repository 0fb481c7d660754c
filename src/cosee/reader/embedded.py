"""The reader without a model as a client: typed requests are answered by handlers that read the blocks and nothing else.

``replies/`` registers a handler for each schema of an agent: a pure function from a ``Reading`` to an instance of it.
Agents therefore run the same code with and without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.results.prediction import Usage
from cosee.models.base import VLMClient
from cosee.models.blocks import Block, BlockKind, Message
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.reader.answer import look, read
from cosee.reader.evidence import Place, document_frequencies
from cosee.reader.passages import Passage, ReadingAnswer, passages_of_text, unique
from cosee.reader.weights import Weights, fitted

Schema = TypeVar("Schema", bound=BaseModel)


class ReaderReply(Record):
    """What ``chat`` of the embedded client answers, as JSON: the reading of the evidence."""

    answer: str
    answer_long: str
    confidence: float
    abstained: bool
    support_nodes: list[str]


@dataclass(frozen=True)
class Reading:
    """The blocks of one request, as handlers see them; what a request has not is empty."""

    messages: Sequence[Message]
    sampling: Sampling
    weights: Weights = field(default_factory=fitted)

    @cached_property
    def blocks(self) -> list[Block]:
        """Every block in order."""
        return [block for message in self.messages for block in message.blocks]

    def data(self, kind: BlockKind) -> Mapping[str, Any]:
        """The data of the first block of a kind."""
        return next((block.data for block in self.blocks if block.kind == kind), {})

    @cached_property
    def question(self) -> str:
        """The question's text."""
        return str(self.data("question").get("question", ""))

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
        """The evidence as the readings see it: every node once, and the text of pages without nodes."""
        found: list[Passage] = []
        for block in self.blocks:
            if block.kind == "page_text":
                data = block.data
                nodes = [Passage.from_data(node, data.get("rank")) for node in data["nodes"]]
                found.extend(nodes or passages_of_text(data["page"], data["text"]))
            elif block.kind in ("node", "table"):
                found.append(Passage.from_data(block.data))
        return unique(found)

    @cached_property
    def frequencies(self) -> Mapping[str, int] | None:
        """See ``Rarity``; None where no page's data tells."""
        told = (block.data.get("frequencies") for block in self.blocks if block.kind == "page_text")
        return next((dict(each) for each in told if each is not None), None)

    @cached_property
    def board(self) -> list[dict[str, Any]]:
        """The shared board's cells."""
        return [dict(cell) for cell in self.data("board").get("cells", [])]

    @cached_property
    def role(self) -> str:
        """The role's short name."""
        return str(self.data("role").get("role", ""))

    @cached_property
    def history(self) -> list[dict[str, Any]]:
        """Earlier turns of the conversation."""
        return [dict(turn) for turn in self.data("history").get("turns", [])]

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
        return [each.place for each in look(self.question, self.passages, self.frequencies, self.weights)[1]]

    def answer(self, pages: Collection[int] = ()) -> ReadingAnswer:
        """The reader's answer over the evidence, or over what of it is on ``pages`` where anything is."""
        chosen = [passage for passage in self.passages if passage.page in pages]
        return read(self.question, chosen or self.passages, self.frequencies, self.weights)


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
    """No model: handlers and readings. Sees no images, and takes milliseconds a call."""

    name = "embedded"
    is_model = False
    max_context = 10_000_000
    default_pages = 10

    def __init__(self, registry: HandlerRegistry | None = None, weights: Weights | None = None) -> None:
        self.registry, self.weights = registry or HandlerRegistry(), weights or fitted()
        self.revision = f"extractive-{files.sha256_value(asdict(self.weights))[:8]}"

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The reading of the evidence, as the JSON of ``ReaderReply``."""
        found = Reading(messages, sampling or Sampling(), self.weights).answer()
        nodes = list(dict.fromkeys(quote.node_id for quote in found.quotes if quote.node_id))
        told = (found.answer, found.answer_long, found.confidence, found.abstained, nodes)
        return self._generation(messages, ReaderReply(**dict(zip(ReaderReply.model_fields, told, strict=True))))

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """The handler's instance as JSON. Raises ModelError where no handler is registered for the schema."""
        value = self.registry.handler(schema)(Reading(messages, sampling or Sampling(), self.weights))
        return self._generation(messages, value)

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """``frequencies``: in how many texts of the document the words of the question stand."""
        return {"frequencies": document_frequencies(question, texts)}

    def _generation(self, messages: Sequence[Message], value: BaseModel) -> Generation:
        text = files.canonical_json(value.model_dump(mode="json"))
        usage = Usage(tokens_in=self.tokenize_prompt_length(messages), tokens_out=(len(text) + 3) // 4, calls=1)
        return Generation(text=text, usage=usage)
