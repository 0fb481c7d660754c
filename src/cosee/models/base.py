"""The one interface to a model: blocks in, text or typed output out.

A message is a list of blocks. A block has a kind, its rendered text and its structured data, so that the same
message serves a vision-language model (images and text), a text-only model (text) and the embedded reader (data).
Evidence is always delimited and escaped as data: build blocks with the functions of ``messages.py``.
"""

from __future__ import annotations

import io
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, Field

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.imaging.picture_file import picture_size, read_picture

if TYPE_CHECKING:
    from PIL.Image import Image

BlockKind = Literal["image", "question", "page_text", "node", "table", "board", "role", "instruction", "history"]
Output = TypeVar("Output", bound=BaseModel)


class ModelError(RuntimeError):
    """A model call that failed; the message says which client, what failed and what to do.

    ``recoverable`` failures (a time-out, a busy server) may succeed when tried again.
    """

    def __init__(self, message: str, *, recoverable: bool = False) -> None:
        super().__init__(message)
        self.recoverable = recoverable


Failure = ModelError | BudgetExceeded
"""What stands for a reply in a batch where its call failed or was not made."""


class PageImage:
    """A page's picture, loaded when it is needed. ``page`` is 1-based.

    ``name`` is where it is, or will be once it is loaded, below the cache of page pictures.
    """

    def __init__(self, page: int, source: Path | Callable[[], Path] | Image, name: str = "") -> None:
        self.page = page
        self.name = name
        self._source = source

    @cached_property
    def path(self) -> Path | None:
        """The picture's file, rendered on first use; None for a picture that only lives in memory."""
        if isinstance(self._source, Path):
            return self._source
        return self._source() if callable(self._source) else None

    def load(self) -> Image:
        """The picture as an RGB ``PIL.Image``. Raises OSError for a file that is no usable picture."""
        if self.path is not None:
            return read_picture(self.path).convert("RGB")
        assert not isinstance(self._source, Path) and not callable(self._source)
        return self._source.convert("RGB")

    @cached_property
    def size(self) -> tuple[int, int]:
        """Width and height in pixels; a file is not decoded for it."""
        return self.load().size if self.path is None else picture_size(self.path)

    @cached_property
    def sha256(self) -> str:
        """Hash of the file's bytes, or of the picture as PNG."""
        if self.path is not None:
            return files.sha256_file(self.path)
        buffer = io.BytesIO()
        self.load().save(buffer, "PNG")
        return files.sha256_bytes(buffer.getvalue())


@dataclass(frozen=True)
class Block:
    """One part of a message. ``data`` by kind:

    - ``question``: ``{"question": str}``
    - ``page_text``: ``{"page": int, "page_label": str | None, "text": str, "nodes": [node data, ...]}``
    - ``node``: node data, see ``evidence.NodeData``
    - ``table``: node data with ``rows`` and ``header_rows``
    - ``board``: ``{"cells": [cell, ...]}``; ``role``: ``{"role": str}``; ``history``: ``{"turns": [...]}``
    - ``instruction``: ``{"prompt_id": str}``; ``image``: ``{"page": int}``

    Data is JSON: it goes into journal keys.
    """

    kind: BlockKind
    text: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    image: PageImage | None = None


@dataclass(frozen=True)
class Message:
    """One turn."""

    blocks: tuple[Block, ...]
    role: Literal["system", "user", "assistant"] = "user"

    def first(self, kind: BlockKind) -> Block | None:
        """The first block of a kind."""
        return next((block for block in self.blocks if block.kind == kind), None)

    def of(self, *kinds: BlockKind) -> list[Block]:
        """Blocks of the given kinds in order."""
        return [block for block in self.blocks if block.kind in kinds]


def estimate_tokens(messages: Sequence[Message]) -> int:
    """A rough prompt length without a tokenizer: four characters a token, 1,000 tokens an image."""
    blocks = [block for message in messages for block in message.blocks]
    return sum(1_000 if block.kind == "image" else (len(block.text) + 3) // 4 for block in blocks)


class Sampling(Record):
    """How a reply is drawn; the defaults are those of seed 001 section 2. ``sample`` tells repeated draws apart."""

    max_new_tokens: int = Field(64, ge=1)
    temperature: float = Field(0.2, ge=0)
    top_p: float = Field(0.8, gt=0, le=1)
    top_k: int = Field(20, ge=0)
    repetition_penalty: float = 1.0
    presence_penalty: float = 1.5
    seed: int = 0
    sample: int = 0
    stop: list[str] = Field(default_factory=list)

    @property
    def served_seed(self) -> int:
        """One number for seed and sample that a server takes: the draws of two seeds have none in common."""
        return (self.seed * 1_000 + self.sample) % (1 << 31)


class Generation(Record):
    """A reply and what it cost."""

    text: Annotated[str, AfterValidator(files.with_whole_characters)]
    usage: Usage = Field(default_factory=Usage)
    finish_reason: str = "stop"


def successful(reply: Generation | Failure) -> Generation:
    """The reply; raises the failure that stands in its place."""
    if isinstance(reply, Generation):
        return reply
    raise reply


@dataclass(frozen=True)
class TypedReply(Generic[Output]):
    """What ``request`` gives: ``value`` is None when every try failed, and ``error`` says why."""

    value: Output | None
    text: str
    usage: Usage
    error: str | None = None
    repairs: tuple[str, ...] = ()
    """What had to be mended to parse the reply (``fence``, ``prose``, ``trailing_comma`` ...)."""
    attempts: int = 1


class VLMClient(ABC):
    """A model, local, served, scripted or none. Subclasses implement ``chat``; the rest has defaults.

    ``name`` and ``revision`` go into predictions and journal keys. ``box_grid`` is the range of the boxes that the
    model answers in (1000 for Qwen3-VL, 1 for none), converted where answers are read.
    """

    name: str = "unnamed"
    revision: str = ""
    sees_images: bool = False
    max_context: int = 32_768
    default_pages: int = 5
    """Pages that a method which names no number gives to this client."""
    box_grid: float = 1.0
    fallback: VLMClient | None = None
    """Asked by ``request`` where this client gave no usable reply."""

    @abstractmethod
    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One reply to ``messages``."""

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """One reply for each conversation, in order."""
        return [self.chat(messages, sampling) for messages in batch]

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply that will be parsed as ``schema``; a client that can be held to a schema overrides this.

        Callers use ``request``, which parses and retries. Wrappers (journal, meter) see every call of a typed
        request here, and every other call in ``chat``.
        """
        return self.chat(messages, sampling)

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """``chat_typed`` of each conversation with its sampling, in order; a call that fails stands as what it raised.

        A client that can run several prompts at once overrides this.
        """
        replies: list[Generation | Failure] = []
        for messages, sampling in zip(batch, samplings, strict=True):
            try:
                replies.append(self.chat_typed(messages, schema, sampling))
            except (ModelError, BudgetExceeded) as failure:
                replies.append(failure)
        return replies

    def as_they_come(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> Iterator[tuple[int, Generation | Failure]]:
        """(place in the batch, its reply) of ``chat_typed_many``, or of ``chat_many`` without a schema.

        A client whose calls end one by one overrides this, so that each reply can be recorded when it is there.
        """
        if schema is None:
            yield from enumerate(self.chat_many(batch, samplings[0]))
        else:
            yield from enumerate(self.chat_typed_many(batch, schema, samplings))

    def stream(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Iterator[str]:
        """The reply in pieces; one piece by default."""
        yield self.chat(messages, sampling).text

    def request(
        self, messages: Sequence[Message], schema: type[Output], sampling: Sampling | None = None
    ) -> TypedReply[Output]:
        """Typed output: the reply parsed and checked against ``schema``. Never raises for what the model wrote."""
        from cosee.models.structured import request

        return request(self, messages, schema, sampling, fallback=self.fallback)

    def request_many(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[Output],
        samplings: Sequence[Sampling | None] | None = None,
    ) -> list[TypedReply[Output] | Failure]:
        """``request`` of each conversation, those of one try sent as a batch; what one would raise stands in its place.

        ``samplings`` has one entry for each conversation; without it all take the defaults.
        """
        from cosee.models.structured import request_many

        return request_many(self, batch, schema, samplings or [None] * len(batch), fallback=self.fallback)

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """What this client wants in the data of each page's block, read from a document's texts: nothing, for a model.

        The data of a block is no part of a prompt. The reader without a model, which sees the chosen pages alone, is
        told here which names of the question stand nowhere in the document.
        """
        return {}

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """Tokens of a prompt; an estimate (four characters a token, 1,000 an image) where there is no tokenizer."""
        return estimate_tokens(messages)

    def within_context(self, prompt_tokens: int, sampling: Sampling | None) -> Sampling:
        """The sampling, its reply cut to what a prompt leaves of the context.

        Raises:
            ModelError: nothing is left.
        """
        sampling = sampling or Sampling()
        left = self.max_context - prompt_tokens
        if left < 1:
            raise ModelError(
                f"{self.name}: a prompt of {prompt_tokens} tokens does not fit the context of {self.max_context}; "
                "give fewer pages or smaller page pictures"
            )
        return sampling.model_copy(update={"max_new_tokens": min(left, sampling.max_new_tokens)})

    def build_messages(
        self,
        images: Sequence[Image],
        question: str,
        board_text: str | None = None,
        role_prompt: str | None = None,
    ) -> list[dict[str, Any]]:
        """Seed 001 section 2: the chat structure of one user turn, as ``apply_chat_template`` takes it."""
        from cosee.models.messages import seed_message, to_chat

        return to_chat([seed_message(images, question, board_text, role_prompt)])

    def generate(
        self,
        images: Sequence[Image],
        question: str,
        board_text: str | None = None,
        role_prompt: str | None = None,
        max_new_tokens: int = 64,
        temperature: float = 0.2,
        top_p: float = 0.8,
        top_k: int = 20,
        repetition_penalty: float = 1.0,
        presence_penalty: float = 1.5,
        return_full_text: bool = False,
        **gen_kwargs: Any,
    ) -> str:
        """Seed 001 section 2: one multimodal call, the assistant's text. ``gen_kwargs`` may hold Sampling fields.

        ``return_full_text`` puts the rendered prompt before the reply.

        Raises:
            TypeError: ``gen_kwargs`` holds an argument that this client does not know.
        """
        from cosee.models.messages import seed_message

        message = seed_message(images, question, board_text, role_prompt)
        known = {name: gen_kwargs.pop(name) for name in list(gen_kwargs) if name in Sampling.model_fields}
        sampling = Sampling(
            max_new_tokens=max_new_tokens,
            temperature=temperature,
            top_p=top_p,
            top_k=top_k,
            repetition_penalty=repetition_penalty,
            presence_penalty=presence_penalty,
            **known,
        )
        reply = self._reply_with([message], sampling, gen_kwargs) if gen_kwargs else self.chat([message], sampling).text
        return self._prompt_text(message) + reply if return_full_text else reply

    def _reply_with(self, messages: Sequence[Message], sampling: Sampling, arguments: Mapping[str, Any]) -> str:
        """One reply with arguments that are no Sampling fields; a client that knows such overrides this."""
        raise TypeError(f"{self.name}: generate() knows no argument {sorted(arguments)[0]!r}")

    def _prompt_text(self, message: Message) -> str:
        """A prompt as text, up to where the reply begins."""
        prompt = "\n".join(block.text for block in message.blocks if block.text)
        return f"user\n{prompt}\nassistant\n"
