"""The meter: what is counted, and that no call crosses a bound."""

from __future__ import annotations

import pytest
from PIL import Image

from cosee.artifacts.base import Record
from cosee.artifacts.price import Price
from cosee.artifacts.results.prediction import Usage
from cosee.artifacts.results.trace import Budget, BudgetExceeded, Trace
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Sampling
from cosee.models.messages import image_block, question_block, role_block
from cosee.models.metering import MeteredClient
from cosee.models.picture_size import QWEN3_VL
from cosee.models.purse import Purse
from cosee.models.scripted import ScriptedClient
from cosee.models.structured import request

PICTURE = image_block(PageImage(1, Image.new("RGB", (4, 4))))
NO_BOUNDS = Budget(calls=None, seconds=None)


class Answer(Record):
    answer: str


def ask(text="Why?", *more):
    return [Message((*more, question_block(text)))]


def metered(budget, replies=("reply",), **options):
    return MeteredClient(ScriptedClient(list(replies), repeat_last=True), budget, **options)


def test_usage_is_added_up_and_each_call_is_traced():
    # contract: C53
    trace = Trace()
    client = metered(NO_BOUNDS, trace=trace)
    client.step = 2
    client.chat(ask("Why?", PICTURE, role_block("You scan.", "scanner")))
    client.chat(ask())
    assert (client.usage.calls, client.usage.images) == (2, 1)
    assert client.usage.tokens_in > QWEN3_VL.tokens(*PICTURE.image.size)
    assert client.usage.tokens_out == 4
    assert [event.type for event in trace.events] == ["call", "call"]
    assert (trace.events[0].author, trace.events[0].step) == ("scanner", 2)
    assert trace.events[0].data["usage"]["images"] == 1
    assert "seconds" not in str(trace.events[0].model_dump())


def test_the_call_after_the_last_allowed_one_is_not_made():
    # contract: C54
    client = metered(Budget(calls=2))
    client.chat(ask())
    client.chat(ask())
    with pytest.raises(BudgetExceeded, match="calls"):
        client.chat(ask())
    assert len(client.client.received) == 2
    inner = ScriptedClient(["x"], repeat_last=True)
    for _ in range(50):
        inner.chat(ask())


@pytest.mark.parametrize(
    ("budget", "bound"),
    [(Budget(images=0), "images"), (Budget(tokens_in=5), "tokens_in"), (Budget(tokens_out=0), "tokens_out")],
)
def test_a_call_that_would_cross_a_bound_is_not_made(budget, bound):
    client = metered(budget)
    with pytest.raises(BudgetExceeded) as caught:
        client.chat(ask("Why?", PICTURE))
    assert caught.value.bound == bound
    assert client.client.received == []


def test_reply_tokens_are_bounded_by_what_is_left():
    client = metered(Budget(tokens_out=10))
    client.chat(ask(), Sampling(max_new_tokens=64))
    client.chat(ask(), Sampling(max_new_tokens=64))
    assert [sampling.max_new_tokens for sampling in client.client.samplings] == [10, 8]


def test_seconds_run_out():
    now = iter([0.0, 1.0, 5.0])
    client = metered(Budget(seconds=4.0), clock=lambda: next(now))
    client.chat(ask())
    with pytest.raises(BudgetExceeded, match="seconds"):
        client.chat(ask())


def test_retries_of_a_typed_request_count_and_stop_at_the_budget():
    client = metered(Budget(calls=2), ["no"])
    with pytest.raises(BudgetExceeded):
        request(client, ask(), Answer)
    assert client.usage.calls == 2


def test_a_batch_that_does_not_fit_is_not_sent():
    client = metered(Budget(calls=2))
    with pytest.raises(BudgetExceeded):
        client.chat_many([ask(), ask(), ask()])
    assert client.client.received == []
    assert len(client.chat_many([ask(), ask()])) == 2
    assert client.usage.calls == 2


def test_the_fallback_is_asked_after_the_retries_and_counts_into_the_same_budget():
    # contract: P21, P22
    trace = Trace()
    fallback = ScriptedClient(['{"answer": "from the other"}'])
    client = metered(NO_BOUNDS, replies=["no JSON"], trace=trace, fallback=fallback)
    reply = client.request(ask(), Answer)
    assert reply.value == Answer(answer="from the other") and reply.attempts == 5 and "fallback" in reply.repairs
    assert client.usage.calls == 5
    calls = [event for event in trace.events if event.type == "call"]
    assert [event.data.get("fallback") for event in calls] == [None] * 4 + ["scripted"]
    assert trace.events[-1].data["repairs"] == ["refused:no_json"] * 4 + ["fallback"]
    bounded = metered(Budget(calls=4), replies=["no JSON"], fallback=ScriptedClient(['{"answer": "x"}']))
    with pytest.raises(BudgetExceeded):
        bounded.request(ask(), Answer)


def test_no_reply_is_bought_where_reading_the_prompt_takes_all_that_is_left():
    written, price = Usage(tokens_in=1), Price(tokens_in=1.0, tokens_out=2.0)
    with pytest.raises(BudgetExceeded, match="run_budget"):
        Purse(money=price.of(1, 1_001, 0), price=price).admit(written, 1, 1_000, 50)
    free = Price(tokens_in=1.0)
    assert Purse(money=free.of(1, 1_001, 0), price=free).admit(written, 1, 1_000, 50) == 50


def test_what_a_call_waited_is_no_part_of_the_seconds():
    clock = iter([0.0, 1.0, 100.0, 101.0, 102.0])

    class Waiting(ScriptedClient):
        def chat(self, messages, sampling=None):
            return super().chat(messages, sampling).model_copy(update={"waited": 98.0})

    client = MeteredClient(Waiting(["reply"]), Budget(seconds=3.5), clock=lambda: next(clock))
    client.chat(ask())
    client.client = ScriptedClient(["reply"], repeat_last=True)
    client.chat(ask())
    assert client.waited == 98.0
    client.chat(ask())
    with pytest.raises(BudgetExceeded, match="seconds"):
        client.chat(ask())
