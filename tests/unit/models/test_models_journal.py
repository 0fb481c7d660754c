"""The journal: one call a key, replay without calls, and survival of a kill."""

from __future__ import annotations

import json

import pytest
from PIL import Image

from cosee.artifacts.base import Record
from cosee.artifacts.files import ArtifactError
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import ModelError, Sampling
from cosee.models.journal import JournaledClient, call_key
from cosee.models.messages import board_block, image_block, page_text_block, question_block
from cosee.models.scripted import ScriptedClient
from cosee.reader.embedded import EmbeddedClient, HandlerRegistry


class Answer(Record):
    answer: str


def ask(text, *more):
    return [Message((question_block(text), *more))]


def test_a_call_is_made_once_and_replayed_without_any(tmp_path):
    path = tmp_path / "journal.jsonl"
    inner = ScriptedClient(["one", "two"])
    client = JournaledClient(inner, path)
    first = client.chat(ask("a"))
    assert client.chat(ask("a")) == first
    assert client.chat(ask("b")).text == "two"
    assert (len(inner.received), client.hits) == (2, 1)
    again = JournaledClient(ScriptedClient([]), path)
    assert again.chat(ask("a")) == first
    replay = JournaledClient(ScriptedClient([]), path, mode="replay")
    assert replay.chat(ask("b")).text == "two"
    with pytest.raises(ModelError, match="not in the journal"):
        replay.chat(ask("c"))


def test_a_key_is_never_written_twice(tmp_path):
    path = tmp_path / "journal.jsonl"
    client = JournaledClient(ScriptedClient(["one"]), path)
    other = JournaledClient(ScriptedClient(["one"]), path)
    client.chat(ask("a"))
    client.chat(ask("a"))
    assert [reply.text for reply in client.chat_many([ask("a"), ask("a")])] == ["one", "one"]
    assert len(path.read_text().splitlines()) == 1
    assert other.chat(ask("a")).text == "one"


class OneByOne(ScriptedClient):
    """Its replies of a batch come one by one, the last question's first; killed before the second question's."""

    def as_they_come(self, batch, schema, samplings):
        for place in reversed(range(len(batch))):
            if place == 1:
                raise KeyboardInterrupt
            yield place, self.chat(batch[place], samplings[place])


def test_a_batch_that_is_cut_short_keeps_the_replies_that_came(tmp_path):
    path = tmp_path / "journal.jsonl"
    batch = [ask("a"), ask("b"), ask("c"), ask("d")]
    with pytest.raises(KeyboardInterrupt):
        JournaledClient(OneByOne(["to d", "to c"]), path).chat_many(batch)
    again = ScriptedClient(["to a", "to b"])
    assert [reply.text for reply in JournaledClient(again, path).chat_many(batch)] == ["to a", "to b", "to c", "to d"]
    assert len(again.received) == 2


def test_a_call_of_a_batch_that_fails_costs_the_others_nothing(tmp_path):
    class Failing(ScriptedClient):
        def as_they_come(self, batch, schema, samplings):
            yield 0, ModelError("refused")
            yield 1, self.chat(batch[1], samplings[1])

    path = tmp_path / "journal.jsonl"
    with pytest.raises(ModelError, match="refused"):
        JournaledClient(Failing(["to b"]), path).chat_many([ask("a"), ask("b")])
    assert JournaledClient(ScriptedClient([]), path, mode="replay").chat(ask("b")).text == "to b"


def test_a_torn_last_line_is_ignored_and_the_next_row_starts_clean(tmp_path):
    path = tmp_path / "journal.jsonl"
    JournaledClient(ScriptedClient(["one"]), path).chat(ask("a"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:40])
    client = JournaledClient(ScriptedClient(["two"]), path)
    assert client.chat(ask("a")).text == "one"
    assert client.chat(ask("b")).text == "two"
    assert len([json.loads(line) for line in path.read_text().splitlines()]) == 2


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path):
    path = tmp_path / "journal.jsonl"
    client = JournaledClient(ScriptedClient(["one", "two"]), path)
    client.chat(ask("a"))
    client.chat(ask("b"))
    path.write_text("{broken\n" + path.read_text())
    with pytest.raises(ArtifactError, match="line 1"):
        JournaledClient(ScriptedClient([]), path)


def test_everything_that_decides_a_reply_is_in_the_key():
    client, sampling = ScriptedClient([]), Sampling()
    white = image_block(PageImage(1, Image.new("RGB", (4, 4), "white")))
    black = image_block(PageImage(1, Image.new("RGB", (4, 4), "black")))
    other = ScriptedClient([])
    other.revision = "2"
    keys = [
        call_key(client, ask("a"), sampling),
        call_key(client, ask("b"), sampling),
        call_key(other, ask("a"), sampling),
        call_key(client, ask("a"), Sampling(seed=1)),
        call_key(client, ask("a"), Sampling(sample=1)),
        call_key(client, ask("a"), sampling, Answer),
        call_key(client, ask("a", white), sampling),
        call_key(client, ask("a", black), sampling),
        call_key(client, ask("a", board_block("x", [{"id": 1}])), sampling),
        call_key(client, ask("a", board_block("x", [{"id": 2}])), sampling),
        call_key(client, ask("a", page_text_block(1, None, "x")), sampling),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == call_key(ScriptedClient([]), ask("a"), Sampling())


def test_typed_requests_of_the_embedded_reader_are_journaled_too(tmp_path):
    registry, calls = HandlerRegistry(), []

    @registry.register(Answer)
    def handler(reading):
        calls.append(reading.question)
        return Answer(answer=reading.question.upper())

    path = tmp_path / "journal.jsonl"
    client = JournaledClient(EmbeddedClient(registry), path)
    assert client.request(ask("a"), Answer).value == Answer(answer="A")
    assert client.request(ask("a"), Answer).value == Answer(answer="A")
    assert calls == ["a"]
    replay = JournaledClient(EmbeddedClient(HandlerRegistry()), path, mode="replay")
    assert replay.request(ask("a"), Answer).value == Answer(answer="A")


def test_a_failed_call_is_not_recorded(tmp_path):
    path = tmp_path / "journal.jsonl"
    client = JournaledClient(ScriptedClient([ModelError("busy", recoverable=True), "one"]), path)
    with pytest.raises(ModelError):
        client.chat(ask("a"))
    assert not path.exists()
    assert client.chat(ask("a")).text == "one"


def test_streamed_replies_are_recorded_whole(tmp_path):
    path = tmp_path / "journal.jsonl"
    client = JournaledClient(ScriptedClient(["one"]), path)
    assert "".join(client.stream(ask("a"))) == "one"
    assert "".join(JournaledClient(ScriptedClient([]), path, mode="replay").stream(ask("a"))) == "one"
