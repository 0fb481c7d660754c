"""Typed requests as a batch: what holds for one holds for each, and calls go out together."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image

from cosee.artifacts.base import Record
from cosee.artifacts.results.trace import Budget, BudgetExceeded, Trace
from cosee.models.base import VLMClient
from cosee.models.blocks import Message
from cosee.models.calls import Generation, ModelError, Sampling, TypedReply
from cosee.models.journal import JournaledClient
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.messages import evidence_message, picture_message, question_block, role_block
from cosee.models.metering import MeteredClient
from cosee.models.scripted import ScriptedClient


class Answer(Record):
    answer: str


def ask(text: str) -> list[Message]:
    return [Message((question_block(text), role_block("You read.", text)))]


def good(text: str) -> str:
    return json.dumps({"answer": text})


class Together(VLMClient):
    """Keeps the batches that it was given; replies by the question's text, one reply a try."""

    name = "together"

    def __init__(self, **replies: list) -> None:
        self.replies = replies
        self.batches: list[list[str]] = []
        self.samplings: list[list[Sampling | None]] = []

    def chat(self, messages, sampling=None):
        raise AssertionError("typed requests only")

    def as_they_come(self, batch, schema, samplings):
        names = [messages[0].first("question").data["question"] for messages in batch]
        self.batches.append(names)
        self.samplings.append(list(samplings))
        made = [self.replies[name].pop(0) for name in names]
        yield from enumerate(reply if isinstance(reply, Exception) else Generation(text=reply) for reply in made)

    def chat_typed(self, messages, schema, sampling=None):
        (reply,) = self.chat_typed_many([messages], schema, [sampling])
        if isinstance(reply, Exception):
            raise reply
        return reply


def test_each_is_corrected_by_itself_and_open_ones_go_out_together():
    # contract: C33
    client = Together(a=[good("1")], b=["no", good("2")], c=["{", "", good("3")], d=["no"] * 4)
    replies = client.request_many([ask(name) for name in "abcd"], Answer)
    assert client.batches == [["a", "b", "c", "d"], ["b", "c", "d"], ["c", "d"], ["d"]]
    assert [reply.value.answer if reply.value else None for reply in replies] == ["1", "2", "3", None]
    assert [reply.attempts for reply in replies] == [1, 2, 3, 4] and replies[3].error.startswith("no_json")


def test_a_failure_stands_in_its_place_and_the_others_have_their_replies():
    busy = ModelError("busy", recoverable=True)
    client = Together(a=[ModelError("broken")], b=[good("2")], c=[busy, good("3")])
    replies = client.request_many([ask(name) for name in "abc"], Answer)
    assert isinstance(replies[0], ModelError) and [each.value.answer for each in replies[1:]] == ["2", "3"]
    assert client.batches == [["a", "b", "c"], ["c"]]


def test_a_fallback_is_asked_for_those_that_have_nothing_usable():
    client = Together(a=[good("1")], b=["no"] * 4, c=[ModelError("broken")])
    client.fallback = Together(b=[good("2")], c=[good("3")])
    replies = client.request_many([ask(name) for name in "abc"], Answer)
    assert [each.value.answer for each in replies] == ["1", "2", "3"] and client.fallback.batches == [["b", "c"]]
    assert ["fallback" in each.repairs for each in replies] == [False, True, True]
    assert [each.attempts for each in replies] == [1, 5, 2]


def test_samplings_go_with_their_conversations():
    # contract: C44
    client = Together(a=[good("1")], b=["no", good("2")])
    own = [Sampling(temperature=0.1, presence_penalty=0.0), Sampling(temperature=0.9, presence_penalty=0.5)]
    client.request_many([ask("a"), ask("b")], Answer, own)
    assert client.samplings == [own, own[1:]]


def test_a_batch_is_recorded_call_by_call_and_replayed(tmp_path):
    # contract: C54
    inner = Together(a=[good("1")], b=["no", good("2")], c=[ModelError("broken"), good("3")])
    path = tmp_path / "journal.jsonl"
    first = JournaledClient(inner, path).request_many([ask("a"), ask("b"), ask("a"), ask("c")], Answer)
    assert inner.batches == [["a", "b", "c"], ["b"]], "an identical call is made once"
    assert [isinstance(each, TypedReply) for each in first] == [True, True, True, False]
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    assert [row["generation"]["text"] for row in rows] == [good("1"), "no", good("2")], "a failure is not recorded"
    replay = JournaledClient(Together(), path, "replay")
    again = replay.request_many([ask("b"), ask("a"), ask("x")], Answer)
    assert [each.value.answer for each in again[:2]] == ["2", "1"] and "not in the journal" in str(again[2])
    one_by_one = JournaledClient(Together(), path, "replay").request(ask("b"), Answer)
    assert one_by_one.value.answer == "2", "a batch and single calls share their keys"
    resumed = JournaledClient(inner, path).request_many([ask("a"), ask("c")], Answer)
    assert [each.value.answer for each in resumed] == ["1", "3"]


def test_a_budget_admits_the_first_calls_and_refuses_the_rest():
    # contract: C54
    trace = Trace()
    inner = Together(a=[good("1")], b=["no"], c=[good("3")])
    client = MeteredClient(inner, Budget(calls=2, tokens_out=100), trace)
    replies = client.request_many([ask(name) for name in "abc"], Answer, [Sampling(max_new_tokens=90)] * 3)
    assert inner.batches == [["a", "b"]] and client.usage.calls == 2
    assert replies[0].value.answer == "1"
    assert [isinstance(each, BudgetExceeded) for each in replies] == [False, True, True]
    assert [sampling.max_new_tokens for sampling in inner.samplings[0]] == [50, 50], "what is left is shared out"
    assert [event.author for event in trace.events] == ["a", "b"]
    none_left = MeteredClient(Together(), Budget(calls=0)).request_many([ask("a"), ask("b")], Answer)
    assert [each.bound for each in none_left] == ["calls", "calls"]


def test_clients_without_batches_are_asked_one_after_the_other():
    client = ScriptedClient([good("1"), ModelError("broken"), good("3")])
    replies = client.request_many([ask(name) for name in "abc"], Answer)
    assert [each.value.answer if isinstance(each, TypedReply) else str(each) for each in replies] == [
        "1", "broken", "3",
    ]  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    client = QwenVLClient(str(build_tiny_qwen3vl(tmp_path_factory.mktemp("tiny"), context=2_048)))
    client.generator._end_tokens = frozenset()
    return client


def test_a_batch_on_a_real_model_gives_what_single_calls_give(tiny, monkeypatch):
    page = Image.new("RGB", (160, 96), "navy")
    message = picture_message([page], "What is shown in this figure?")
    batch = [
        [Message((*message.blocks, role_block(role, role)))] for role in ("Scan every page.", "Read.", "Check it all.")
    ]
    samplings = [Sampling(max_new_tokens=count, temperature=heat) for count, heat in ((8, 0.0), (5, 0.9), (8, 0.0))]
    sizes: list[int] = []
    steps = tiny.generator.steps
    monkeypatch.setattr(
        tiny.generator, "steps", lambda prompts, draws: (sizes.append(len(prompts)), steps(prompts, draws))[1]
    )
    together = tiny.chat_typed_many(batch, Answer, samplings)
    assert sizes == [3], "they run as one batch"
    alone = [tiny.chat_typed(messages, Answer, each) for messages, each in zip(batch, samplings, strict=True)]
    assert [reply.text for reply in together] == [reply.text for reply in alone]
    assert [reply.usage.tokens_out for reply in together] == [8, 5, 8]
    too_long = [evidence_message("word " * 3_000)]
    mixed = tiny.chat_typed_many([batch[0], too_long], Answer, samplings[:2])
    assert mixed[0].text == alone[0].text and "does not fit the context" in str(mixed[1])


def test_calls_of_other_threads_are_the_next_batch(tiny, monkeypatch):
    """Calls that come while the model is busy run together, at most ``concurrency`` of them, whatever they ask."""
    batch = [ask(f"Question {number}: " + "word " * 9 * number) for number in range(6)]
    alone = [tiny.chat(messages, Sampling(temperature=0, max_new_tokens=5)).text for messages in batch]
    sizes: list[int] = []
    steps = tiny.generator.steps
    monkeypatch.setattr(
        tiny.generator, "steps", lambda prompts, draws: (sizes.append(len(prompts)), steps(prompts, draws))[1]
    )
    with ThreadPoolExecutor(len(batch)) as threads:
        with tiny._lock:  # as the thread has it whose batch the model computes
            replies = threads.map(lambda each: tiny.chat(each, Sampling(temperature=0, max_new_tokens=5)).text, batch)
            while len(tiny._waiting) < len(batch):
                time.sleep(0.001)
        assert list(replies) == alone
    assert sizes == [tiny.concurrency, len(batch) - tiny.concurrency] and len(set(alone)) > 1


def test_a_fault_of_the_model_reaches_every_call_of_its_batch(tiny, monkeypatch):
    def broken(prompts, draws):
        raise RuntimeError("the card fell off")

    monkeypatch.setattr(tiny.generator, "steps", broken)
    with ThreadPoolExecutor(3) as threads:
        calls = [threads.submit(tiny.chat, ask(name)) for name in "abc"]
        assert [str(call.exception(timeout=60)) for call in calls] == ["the card fell off"] * 3
