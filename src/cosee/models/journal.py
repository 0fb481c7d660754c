"""Record and replay: every model call once, in an append-only file, so that a run resumes and repeats for free."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from cosee.artifacts import files
from cosee.artifacts.base import Record, validate
from cosee.artifacts.files import ArtifactError
from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Failure, Generation, ModelError, Sampling, successful

Mode = Literal["record", "replay"]


class JournalRow(Record):
    """One call: ``key`` is ``call_key``; ``schema_name`` is the typed request's schema."""

    key: str
    model: str
    schema_name: str | None = None
    generation: Generation


def call_key(
    client: VLMClient, messages: Sequence[Message], sampling: Sampling, schema: type[BaseModel] | None = None
) -> str:
    """sha256 of all that decides a reply: model, revision, blocks (text, data, pictures), sampling and schema."""
    return files.sha256_value(
        {
            "model": client.name,
            "revision": client.revision,
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
            "schema": None if schema is None else [schema.__name__, schema.model_json_schema()],
        }
    )


class JournaledClient(VLMClient):
    """A client whose calls are recorded in ``path`` and answered from there when they were made before.

    ``replay`` makes no call: a miss raises ModelError. One process writes a journal at a time (the shard's lock sees
    to that); threads may share a client.

    Raises:
        ArtifactError: the journal holds a line, other than a torn last one, that is not a row of it.
    """

    def __init__(self, client: VLMClient, path: Path, mode: Mode = "record") -> None:
        self.client = client
        self.path = path
        self.mode: Mode = mode
        self.name, self.revision = client.name, client.revision
        self.sees_images, self.max_context, self.box_grid = client.sees_images, client.max_context, client.box_grid
        self.default_pages = client.default_pages
        self.hits = 0
        self._lock = threading.Lock()
        self._rows = read_journal(path)
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

    def chat_typed_many(
        self, batch: Sequence[Sequence[Message]], schema: type[BaseModel], samplings: Sequence[Sampling | None]
    ) -> list[Generation | Failure]:
        """Recorded replies; what is missing goes to the client as one batch (an identical call once).

        A reply is recorded when it comes, not when the batch has ended. What failed is not recorded, so that it is
        asked again when the run resumes.
        """
        return self._recorded_many(batch, schema, samplings)

    def chat_many(self, batch: Sequence[Sequence[Message]], sampling: Sampling | None = None) -> list[Generation]:
        """As ``chat_typed_many``; raises what the first call that failed raised, the others being recorded."""
        return [successful(reply) for reply in self._recorded_many(batch, None, [sampling] * len(batch))]

    def _recorded_many(
        self,
        batch: Sequence[Sequence[Message]],
        schema: type[BaseModel] | None,
        samplings: Sequence[Sampling | None],
    ) -> list[Generation | Failure]:
        keys = [
            call_key(self.client, messages, sampling or Sampling(), schema)
            for messages, sampling in zip(batch, samplings, strict=True)
        ]
        missing: dict[str, int] = {}
        for place, key in enumerate(keys):
            if key not in self._rows:
                missing.setdefault(key, place)
        self.hits += sum(key in self._rows for key in keys)
        failures: dict[str, Failure] = {}
        if missing:
            try:
                self._refuse_in_replay()
            except ModelError as refusal:
                failures = dict.fromkeys(missing, refusal)
            else:
                asked = list(missing)
                places = list(missing.values())
                name = schema.__name__ if schema else None
                replies = self.client.as_they_come(
                    [batch[place] for place in places], schema, [samplings[place] for place in places]
                )
                for number, reply in replies:
                    if isinstance(reply, Generation):
                        row = JournalRow(key=asked[number], model=self.name, schema_name=name, generation=reply)
                        self._write(row)
                    else:
                        failures[asked[number]] = reply
        return [failures[key] if key in failures else self._rows[key].generation for key in keys]

    def stream(self, messages: Sequence[Message], sampling: Sampling | None = None) -> Iterator[str]:
        """A recorded reply in one piece; a new one as it comes, recorded when it is complete."""
        key = call_key(self.client, messages, sampling or Sampling())
        if key in self._rows or self.mode == "replay":
            yield self.chat(messages, sampling).text
            return
        pieces: list[str] = []
        for piece in self.client.stream(messages, sampling):
            pieces.append(piece)
            yield piece
        text = "".join(pieces)
        generation = Generation(text=text)
        generation.usage.calls = 1
        generation.usage.tokens_in = self.client.tokenize_prompt_length(messages)
        generation.usage.tokens_out = (len(text) + 3) // 4
        self._write(JournalRow(key=key, model=self.name, generation=generation))

    def told_of_document(self, question: str, texts: Sequence[str]) -> Mapping[str, Any]:
        """That of the client."""
        return self.client.told_of_document(question, texts)

    def tokenize_prompt_length(self, messages: Sequence[Message]) -> int:
        """That of the client."""
        return self.client.tokenize_prompt_length(messages)

    def _recorded(
        self,
        messages: Sequence[Message],
        sampling: Sampling | None,
        schema: type[BaseModel] | None,
        call: Callable[[], Generation],
    ) -> Generation:
        key = call_key(self.client, messages, sampling or Sampling(), schema)
        row = self._rows.get(key)
        if row is not None:
            self.hits += 1
            return row.generation
        self._refuse_in_replay()
        row = JournalRow(key=key, model=self.name, schema_name=schema.__name__ if schema else None, generation=call())
        self._write(row)
        return self._rows[key].generation

    def _refuse_in_replay(self) -> None:
        if self.mode == "replay":
            raise ModelError(
                f"{self.name}: this call is not in the journal {self.path.name}, and a replay makes no calls; "
                "the inputs, the prompts or the model differ from the recorded run"
            )

    def _write(self, row: JournalRow) -> None:
        with self._lock:
            if row.key not in self._rows:
                files.append_jsonl(self.path, row.model_dump(mode="json"))
                self._rows[row.key] = row


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
