"""Counting what a question costs, and stopping before a bound is crossed."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from typing import Any

from pydantic import BaseModel

from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import Budget, BudgetExceeded, Trace
from cosee.models.base import VLMClient, WrappingClient
from cosee.models.blocks import Message, blocks_of, pictures_of
from cosee.models.calls import Failure, Generation, Output, ReplyListener, Sampling, TypedReply
from cosee.models.purse import Purse
from cosee.models.structured import add_usage


class MeteredClient(WrappingClient):
    """A client for one question: adds up ``usage``, keeps to ``budget``, writes a ``call`` event for each call.

    A call that would cross a bound is not made: BudgetExceeded is raised. Prompt tokens are known before the call;
    reply tokens are bounded by lowering ``max_new_tokens`` to what is left. Recorded replies count like new ones, so
    that a resumed run goes the same way. ``purse`` is what is left of the run's budget. Seconds run from the client's
    creation, those left out in which a call waited for its turn or its server, and are never written down. Calls of
    the ``fallback`` count into the same budget.
    """

    def __init__(
        self,
        client: VLMClient,
        budget: Budget,
        trace: Trace | None = None,
        *,
        fallback: VLMClient | None = None,
        purse: Purse | None = None,
        clock: Callable[[], float] | None = None,
        _owner: MeteredClient | None = None,
    ) -> None:
        super().__init__(client)
        # What methods fill with evidence: thoughts need their room as well.
        self.max_context -= client.thinking_tokens
        self.budget = budget
        self.purse = purse
        self.trace = trace
        self._owner = _owner or self
        self._is_fallback = _owner is not None
        self._usage = Usage()
        self._waited = 0.0
        self._read: set[int] = set()
        self._left_out: set[int] = set()
        self.step = 0
        """The round that ``call`` events carry; strategies may set it."""
        if fallback is not None:
            self.fallback = MeteredClient(fallback, budget, trace, purse=purse, clock=clock, _owner=self)
        self._clock = clock or time.monotonic
        self._start = self._clock()

    @property
    def usage(self) -> Usage:
        """What the question has cost so far, the fallback's calls included."""
        return self._owner._usage

    @property
    def images_left(self) -> int | None:
        """What the budget leaves of the pictures."""
        return None if self.budget.images is None else max(0, self.budget.images - self.usage.images)

    @property
    def waited(self) -> float:
        """Seconds in which calls waited for their turn or their server."""
        return self._owner._waited

    @property
    def pages_left_out(self) -> set[int]:
        """Pages (1-based) that were left out of every prompt that held them, since a server takes no more."""
        return self._owner._left_out - self._owner._read

    def leaving(self, *, calls: int, tokens_out: int) -> MeteredClient:
        """A client on the same meter that leaves so much of the budget for calls of this one."""
        frugal = copy.copy(self)
        less = {"calls": calls, "tokens_out": tokens_out}
        bounds = {name: getattr(self.budget, name) for name in less}
        frugal.budget = self.budget.model_copy(
            update={name: bound - less[name] for name, bound in bounds.items() if bound is not None}
        )
        if isinstance(self.fallback, MeteredClient):
            frugal.fallback = self.fallback.leaving(**less)
        return frugal

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """One metered call.

        Raises:
            BudgetExceeded: the call would cross a bound.
        """
        sampling = self._admit(messages, sampling)
        return self._counted(messages, self.client.chat(messages, sampling), None)

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """One metered call of a typed request; raises as ``chat``.

        Where somebody watches the trace, ``reply`` events show what the model writes as it comes.
        """
        sampling = self._admit(messages, sampling)
        if self.trace is not None and self.trace.is_watched:
            reply = self.client.chat_typed_streamed(
                messages, schema, sampling, self._reply_events(self.trace, messages)
            )
        else:
            reply = self.client.chat_typed(messages, schema, sampling)
        return self._counted(messages, reply, schema)

    def _reply_events(self, trace: Trace, messages: Sequence[Message]) -> ReplyListener:
        """Puts what is new of a reply into the trace; ``again`` says that the reply begins anew."""
        author, step, before = _author(messages), self._owner.step, ""

        def listener(text: str) -> None:
            nonlocal before
            goes_on = text.startswith(before)
            piece, before = text[len(before) if goes_on else 0 :], text
            if piece:
                trace.show("reply", step=step, author=author, content=piece, **({} if goes_on else {"again": True}))

        return listener

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """The calls of a batch that fit the budget, from the first on; BudgetExceeded stands for each of the others.

        Reply tokens that are left are shared out evenly among the calls that are made.
        """
        admitted, refusal = self._admit_many(batch, samplings)
        count = len(admitted)
        replies = self.client.chat_typed_many(batch[:count], schema, admitted) if admitted else []
        self._leave_out_waiting([reply for reply in replies if isinstance(reply, Generation)])
        counted: list[Generation | Failure] = [
            self._count(messages, reply, schema) if isinstance(reply, Generation) else reply
            for messages, reply in zip(batch, replies, strict=False)
        ]
        return counted + [refusal or BudgetExceeded("calls")] * (len(batch) - count)

    def _admit_many(
        self, batch: Sequence[Sequence[Message]], samplings: Sequence[Sampling | None]
    ) -> tuple[list[Sampling], BudgetExceeded | None]:
        """The samplings of the longest beginning of a batch that fits the budget, and what the next call exceeds."""
        refusal: BudgetExceeded | None = None
        for count in range(len(batch), 0, -1):
            together = [message for messages in batch[:count] for message in messages]
            try:
                return [self._admit(together, sampling, calls=count) for sampling in samplings[:count]], refusal
            except BudgetExceeded as exceeded:
                refusal = exceeded
        return [], refusal

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """The batch, where all of it fits the budget; raises as ``chat`` before any of it is sent."""
        together = [message for messages in batch for message in messages]
        sampling = self._admit(together, sampling, calls=len(batch))
        replies = self.client.chat_many(batch, sampling)
        self._leave_out_waiting(replies)
        return [self._count(messages, reply, None) for messages, reply in zip(batch, replies, strict=True)]

    def request(
        self, messages: Sequence[Message], schema: type[Output], sampling: Sampling | None = None
    ) -> TypedReply[Output]:
        """A metered typed request; a ``status`` event tells of a reply that was refused, mended or not complete."""
        return self._noted(super().request(messages, schema, sampling), messages, schema)

    def request_many(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[Output],
        samplings: Sequence[Sampling | None] | None = None,
    ) -> list[TypedReply[Output] | Failure]:
        """``request`` for each conversation."""
        replies = super().request_many(batch, schema, samplings)
        return [
            self._noted(reply, messages, schema) if isinstance(reply, TypedReply) else reply
            for reply, messages in zip(replies, batch, strict=True)
        ]

    def _noted(
        self, reply: TypedReply[Output], messages: Sequence[Message], schema: type[Output]
    ) -> TypedReply[Output]:
        if self.trace is not None and reply.repairs:
            self.trace.add(
                "status",
                step=self._owner.step,
                author=_author(messages),
                message="a reply was not as asked",
                schema=schema.__name__,
                repairs=list(reply.repairs),
                attempts=reply.attempts,
            )
        return reply

    def _admit(self, messages: Sequence[Message], sampling: Sampling | None, calls: int = 1) -> Sampling:
        """Raise BudgetExceeded where the call would cross a bound; return the sampling that keeps to it."""
        budget, used = self.budget, self.usage
        sampling = sampling or Sampling()
        wanted = Usage(calls=calls, images=len(pictures_of(messages)) if self.sees_images else 0)
        if budget.tokens_in is not None:
            wanted.tokens_in = self.client.tokenize_prompt_length(messages)
        for bound in ("calls", "images", "tokens_in"):
            limit = getattr(budget, bound)
            if limit is not None and getattr(used, bound) + getattr(wanted, bound) > limit:
                raise BudgetExceeded(bound)
        taken = self._clock() - self._owner._start - self._owner._waited
        if budget.seconds is not None and taken >= budget.seconds:
            raise BudgetExceeded("seconds")
        if self.purse is not None:
            read = wanted.tokens_in or self.client.tokenize_prompt_length(messages)
            most = self.purse.admit(used, calls, read, sampling.max_new_tokens)
            sampling = sampling.model_copy(update={"max_new_tokens": most})
        if budget.tokens_out is None:
            return sampling
        left = (budget.tokens_out - used.tokens_out) // calls
        if left < 1:
            raise BudgetExceeded("tokens_out")
        return sampling.model_copy(update={"max_new_tokens": min(left, sampling.max_new_tokens)})

    def _leave_out_waiting(self, together: Sequence[Generation]) -> None:
        """Take the time that calls which were made together waited out of the seconds."""
        self._owner._waited += max((reply.waited for reply in together), default=0.0)

    def _counted(
        self, messages: Sequence[Message], generation: Generation, schema: type[BaseModel] | None
    ) -> Generation:
        self._leave_out_waiting([generation])
        return self._count(messages, generation, schema)

    def _count(self, messages: Sequence[Message], generation: Generation, schema: type[BaseModel] | None) -> Generation:
        usage = generation.usage.model_copy(update={"calls": 1})
        if self.sees_images and not usage.images:
            usage.images = len(pictures_of(messages))
        self._owner._usage = add_usage(self.usage, usage)
        gone = {name for names in generation.left_out.values() for name in names}
        for page in {block.data.get("page") for block in blocks_of(messages)}:
            if isinstance(page, int):
                (self._owner._left_out if f"page {page}" in gone else self._owner._read).add(page)
        if self.trace is not None:
            data: dict[str, Any] = {"usage": usage.model_dump(), "finish_reason": generation.finish_reason}
            if self._is_fallback:
                data["fallback"] = self.name
            if schema is not None:
                data["schema"] = schema.__name__
            for why, names in generation.left_out.items():
                self.trace.add("status", step=self._owner.step, message=f"left out: {why}", left_out=names)
            self.trace.add("call", step=self._owner.step, author=_author(messages), **data)
        return generation


def _author(messages: Sequence[Message]) -> str | None:
    """The role on whose behalf the call is made."""
    roles = (block.data.get("role") for block in blocks_of(messages) if block.kind == "role")
    return next((str(role) for role in roles if role), None)
