"""Clients that take a call from each of many threads: a batch is as many calls, each of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from pydantic import BaseModel

from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Failure, Generation, ModelError, Sampling, ServerFailure


class SideBySide(VLMClient):
    """A client whose batches are calls in threads, ``concurrency`` at a time."""

    def as_they_come(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> Iterator[tuple[int, Generation | Failure]]:
        """As of any client, the quickest reply first; what was answered comes before the failure of the server."""

        def one(messages: Sequence[Message], sampling: Sampling | None) -> Generation | Failure | ServerFailure:
            try:
                return self.reply_to(messages, schema, sampling)
            except (ModelError, ServerFailure) as failure:
                return failure

        pool = ThreadPoolExecutor(max_workers=self.concurrency)
        broken: ServerFailure | None = None
        try:
            places = {
                pool.submit(one, messages, sampling): place
                for place, (messages, sampling) in enumerate(zip(batch, samplings, strict=True))
            }
            for call in as_completed(places):
                reply = call.result()
                if isinstance(reply, ServerFailure):
                    broken = reply
                else:
                    yield places[call], reply
        finally:
            pool.shutdown(cancel_futures=True)
        if broken is not None:
            raise broken
