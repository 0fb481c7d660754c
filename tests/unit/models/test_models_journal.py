"""The journal: one call a key, replay without calls, and survival of a kill."""

from __future__ import annotations

import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from PIL import Image

from cosee.artifacts.base import Record
from cosee.artifacts.files import ArtifactError
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Generation, ModelError, Sampling
from cosee.models.journal import JournaledClient, call_key
from cosee.models.messages import board_block, image_block, page_text_block, question_block
from cosee.models.scripted import ScriptedClient
from cosee.reader.client import HANDLERS, EmbeddedClient


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
    assert len(inner.received) == 2
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
    other, renamed, moved = ScriptedClient([]), ScriptedClient([]), ScriptedClient([])
    other.revision, renamed.entry, moved.address = "2", "another", "http://127.0.0.1:8001/v1"
    keys = [
        call_key(renamed, ask("a"), sampling),
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
    assert keys[1] == call_key(ScriptedClient([]), ask("a"), Sampling()) == call_key(moved, ask("a"), sampling)


def test_typed_requests_of_the_embedded_reader_are_journaled_too(tmp_path, monkeypatch):
    calls = []

    def handler(reading):
        calls.append(reading.question)
        return Answer(answer=reading.question.upper())

    path = tmp_path / "journal.jsonl"
    monkeypatch.setitem(HANDLERS, Answer, handler)
    client = JournaledClient(EmbeddedClient(), path)
    assert client.request(ask("a"), Answer).value == Answer(answer="A")
    assert client.request(ask("a"), Answer).value == Answer(answer="A")
    assert calls == ["a"]
    replay = JournaledClient(EmbeddedClient(), path, mode="replay")
    assert replay.request(ask("a"), Answer).value == Answer(answer="A")


def test_a_failed_call_is_not_recorded(tmp_path):
    path = tmp_path / "journal.jsonl"
    client = JournaledClient(ScriptedClient([ModelError("busy", recoverable=True), "one"]), path)
    with pytest.raises(ModelError):
        client.chat(ask("a"))
    assert not path.exists()
    assert client.chat(ask("a")).text == "one"


def test_a_journal_made_at_another_address_is_used_and_says_so(tmp_path, caplog):
    path = tmp_path / "journal.jsonl"
    here, there = ScriptedClient(["one"]), ScriptedClient([])
    here.address, there.address = "http://127.0.0.1:8001/v1", "http://node7:8002/v1"
    JournaledClient(here, path).chat(ask("a"))
    with caplog.at_level(logging.INFO):
        for _ in range(2):
            assert JournaledClient(there, path).chat(ask("a")).text == "one"
    (line,) = [record.getMessage() for record in caplog.records]
    assert here.address in line and there.address in line


class Slow(ScriptedClient):
    """Replies when every thread that should wait for it does, or after a second; the first call of each may fail."""

    def __init__(self, fails=False):
        super().__init__(["reply"], repeat_last=True)
        self.fails, self.calls, self.lock = fails, 0, threading.Lock()
        self.others = threading.Event()

    def chat(self, messages, sampling=None):
        with self.lock:
            self.calls += 1
            number = self.calls
        if number == 1:
            self.others.wait(1)
            if self.fails:
                raise ModelError("busy")
        return Generation(text=f"reply {number}")


@pytest.mark.parametrize("fails", [False, True])
def test_threads_that_ask_the_same_make_one_call(tmp_path, fails):
    inner = Slow(fails)
    client = JournaledClient(inner, tmp_path / "journal.jsonl")

    def one(number):
        if number == 7:
            inner.others.set()
        try:
            if number % 2:
                return client.chat(ask("a")).text
            return client.chat_many([ask("a"), ask("a")])[0].text
        except ModelError:
            return "failed"

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(one, range(8)))
    assert inner.calls == 1 + fails and sorted(set(texts)) == (["failed", "reply 2"] if fails else ["reply 1"])
    assert len((tmp_path / "journal.jsonl").read_text().splitlines()) == 1
