"""What a call of a model takes beside its messages, and what comes back: sampling, replies, failures."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, Protocol, TypeVar

from pydantic import AfterValidator, BaseModel, Field

from cosee.artifacts import files
from cosee.artifacts.base import Record
from cosee.artifacts.files import JobFailure
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.blocks import Message, PageImage
from cosee.models.boxes import Grid

Output = TypeVar("Output", bound=BaseModel)


class ModelError(RuntimeError):
    """A model call that failed; the message says which client, what failed and what to do.

    ``recoverable`` failures (a time-out, a busy server) may succeed when tried again.
    """

    def __init__(self, message: str, *, recoverable: bool = False) -> None:
        super().__init__(message)
        self.recoverable = recoverable


class ServerFailure(JobFailure):
    """The server of a model cannot be used, or went away and did not come back: never the fault of a question.

    It passes every method and leaves the answer stage; the job ends with status 1. Questions that were not answered
    have no row, and answered calls are in the journal, so that the same command goes on.
    """


Failure = ModelError | BudgetExceeded
"""What stands for a reply in a batch where its call failed or was not made."""


ReplyListener = Callable[[str], None]
"""Is given all of a reply's text so far while the model writes it."""


class Sampling(Record):
    """How a reply is drawn; ``sample`` tells repeated draws apart."""

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
    left_out: dict[str, list[str]] = Field(default_factory=dict)
    """What the prompt was sent without, since the server takes no more: the reason -> pages and nodes by name."""
    waited: float = Field(0.0, exclude=True)
    """Seconds until the call could be made: no part of what a question takes, and never written down."""


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
    """What had to be mended to parse the reply (``fence``, ``prose``, ``trailing_comma`` ...), before it why each
    earlier try was refused (``refused:malformed``; ``refused:schema:answer`` for each field at fault), after it the
    fields that it lacks (``left_out:quotes``)."""
    attempts: int = 1


class TypedCaller(Protocol):
    """The calls of a client that typed output is made of; ``VLMClient`` says what they do."""

    @property
    def asked_grid(self) -> Grid | None:
        """The grid of the boxes that it is asked for."""

    @property
    def thinking_tokens(self) -> int:
        """Room for what it thinks, beside the reply's own."""

    def sent_size(self, image: PageImage) -> tuple[int, int]:
        """Width and height of a picture as its model is sent it."""

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One reply that will be parsed as ``schema``."""

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """One for each conversation, in order; a call that fails stands as what it raised."""
