"""Record and replay: every model call once, in an append-only file, so that a run resumes and repeats for free."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.base import Record, validate
from cosee.artifacts.files import ArtifactError
from cosee.models.base import VLMClient, WrappingClient
from cosee.models.blocks import Message
from cosee.models.calls import Failure, Generation, ModelError, ReplyListener, Sampling, successful

log = logging.getLogger(__name__)
Mode = Literal["record", "replay"]
Replies = Iterator[tuple[int, Generation | Failure]]


class JournalRow(Record):
    """One call: ``key`` is ``call_key``; ``schema_name`` is the typed request's schema, ``address`` where its server
    was."""

    key: str
    model: str
    schema_name: str | None = None
    address: str | None = None
    generation: Generation


def call_key(
    client: VLMClient, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None = None
) -> str:
    """sha256 of all that decides a reply: the entry's name, its settings, model, revision, blocks (text, data,
    pictures), sampling with its seed, and schema. Where the server is decides nothing."""
    return files.sha256_value(
        {
            "entry": client.entry,
            "model": client.name,
            "revision": client.revision,
            "settings": client.settings,
            "messages": [
                {
                    "role": message.role,
                    "blocks": [
                        [block.kind, block.text, block.data, block.image.sha256 if block.image else None]
                        for block in message.blocks
                    ],
                }
                for message in messages
            ],
            "sampling": sampling.model_dump(mode="json"),
            "schema": None if schema is None else [schema.__name__, _schema_sha256(schema)],
        }
    )


@lru_cache(maxsize=256)
def _schema_sha256(schema: type[BaseModel]) -> str:
    return files.sha256_value(schema.model_json_schema())


class JournaledClient(WrappingClient):
    """A client whose calls are recorded in ``path`` and answered from there when they were made before.

    ``replay`` makes no call: a miss raises ModelError. One process writes a journal at a time (the shard's lock sees
    to that); threads may share a client: a call that another thread is making is waited for, not made again.

    Raises:
        ArtifactError: the journal holds a line, other than a torn last one, that is not a row of it.
    """

    def __init__(self, client: VLMClient, path: Path, mode: Mode = "record") -> None:
        super().__init__(client)
        self.path = path
        self.mode: Mode = mode
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._under_way: dict[str, threading.Event] = {}
        self._rows = read_journal(path)
        for elsewhere in sorted({row.address for row in self._rows.values() if row.address} - {self.address}):
            _tell_of_address(self.entry or self.name, elsewhere, self.address)
        if mode == "record":
            _cut_torn_line(path)

    def chat(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Generation:
        """The recorded reply, else one call that is recorded."""
        return self._recorded(messages, sampling, None, lambda: self.client.chat(messages, sampling))

    def chat_typed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None = None
    ) -> Generation:
        """As ``chat``; the schema is part of the key."""
        return self._recorded(messages, sampling, schema, lambda: self.client.chat_typed(messages, schema, sampling))

    def chat_typed_streamed(
        self, messages: Sequence[Message], schema: type[BaseModel], sampling: Sampling | None, listener: ReplyListener
    ) -> Generation:
        """As ``chat_typed``, with which it shares its records; ``listener`` gets no recorded reply."""
        return self._recorded(
            messages, sampling, schema, lambda: self.client.chat_typed_streamed(messages, schema, sampling, listener)
        )

    def as_they_come(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> Replies:
        """Recorded replies; what is missing goes to the client as one batch (an identical call once)."""

        def ask(places: Sequence[int]) -> Replies:
            return self.client.as_they_come([batch[at] for at in places], schema, [samplings[at] for at in places])

        yield from enumerate(self._recorded_many(batch, schema, samplings, ask))

    def _recorded(
        self,
        messages: Sequence[Message],
        sampling: Sampling | None,
        schema: type[BaseModel] | None,
        call: Callable[[], Generation],
    ) -> Generation:
        """The recorded reply to one call, else that which ``call`` brings."""
        (reply,) = self._recorded_many([messages], schema, [sampling], lambda _: iter([(0, call())]))
        return successful(reply)

    def _recorded_many(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
        ask: Callable[[Sequence[int]], Replies],
    ) -> list[Generation | Failure]:
        """Recorded replies; ``ask`` makes the calls at some places of the batch.

        A reply is recorded when it comes, not when the batch has ended. What failed is not recorded, so that it is
        asked again when the run resumes.
        """
        keys = [
            call_key(self.client, messages, sampling or Sampling(), schema)
            for messages, sampling in zip(batch, samplings, strict=True)
        ]
        found: dict[str, Generation | Failure] = {}
        while missing := [key for key in dict.fromkeys(keys) if key not in found]:
            recorded, mine = self._claim(missing)
            found |= recorded
            if mine:
                found |= self._asked(mine, schema, partial(ask, list(map(keys.index, mine))))
            elif not recorded:
                self._await(missing[0])
        return [found[key] for key in keys]

    def _asked(
        self, keys: Sequence[str], schema: type[BaseModel] | None, ask: Callable[[], Replies]
    ) -> dict[str, Generation | Failure]:
        """The replies to calls that this thread has claimed, each recorded."""
        replies: dict[str, Generation | Failure] = {}
        try:
            self._refuse_in_replay()
            for number, reply in ask():
                replies[keys[number]] = reply
                if isinstance(reply, Generation):
                    self._write(self._row(keys[number], schema, reply))
        except ModelError as refusal:
            return {key: replies.get(key, refusal) for key in keys}
        finally:
            self._release(keys)
        return replies

    def _claim(self, keys: Sequence[str]) -> tuple[dict[str, Generation | Failure], list[str]]:
        """The recorded replies among ``keys``, and those that this thread is to ask for; the rest are under way."""
        with self._lock:
            recorded: dict[str, Generation | Failure] = {
                key: self._rows[key].generation for key in keys if key in self._rows
            }
            mine = [key for key in keys if key not in recorded and key not in self._under_way]
            self._under_way |= {key: threading.Event() for key in mine}
        return recorded, mine

    def _await(self, key: str) -> None:
        """Wait until another thread's call has ended, well or not."""
        with self._lock:
            ended = self._under_way.get(key)
        if ended is not None:
            ended.wait()

    def _release(self, keys: Sequence[str]) -> None:
        with self._lock:
            ended = [self._under_way.pop(key) for key in keys]
        for each in ended:
            each.set()

    def _row(self, key: str, schema: type[BaseModel] | None, reply: Generation) -> JournalRow:
        name = schema.__name__ if schema else None
        kept = reply.model_copy(update={"waited": 0.0})
        return JournalRow(key=key, model=self.name, schema_name=name, address=self.address or None, generation=kept)

    def _refuse_in_replay(self) -> None:
        if self.mode == "replay":
            raise ModelError(
                f"{self.name}: this call is not in the journal {self.path.name}, and a replay makes no calls; "
                "the inputs, the prompts or the model differ from the recorded run"
            )

    def _write(self, row: JournalRow) -> None:
        """Put a call on the disk, then among the rows."""
        with self._writing:
            if row.key not in self._rows:
                files.append_jsonl(self.path, row.model_dump(mode="json"))
                self._rows[row.key] = row


@lru_cache(maxsize=256)
def _tell_of_address(model: str, then: str, now: str) -> None:
    """Once a process, however many journals were made there."""
    log.info("%s: replies that were made at %s are used again; its address is %s now", model, then, now or "none")


def read_journal(path: Path) -> dict[str, JournalRow]:
    """The rows by key; an absent journal is empty, and a last line without its line break is not a row yet."""
    if not path.exists():
        return {}
    rows: dict[str, JournalRow] = {}
    for number, line in enumerate(files.read_bytes(path).split(b"\n")[:-1], start=1):
        if line.strip():
            row = validate(JournalRow, _json(line, f"{path}, line {number}"), f"{path}, line {number}")
            rows.setdefault(row.key, row)
    return rows


def _json(line: bytes, where: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise ArtifactError(f"{where}: not valid JSON ({error}); remove the line to make its call again") from error


def _cut_torn_line(path: Path) -> None:
    """Take off what a kill left of an unfinished line, so that the next row starts a line of its own."""
    if path.exists():
        data = files.read_bytes(path)
        if data and not data.endswith(b"\n"):
            files.write_bytes(path, data[: data.rfind(b"\n") + 1])
