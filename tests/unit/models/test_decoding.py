"""Drawing tokens: penalties, sampling, ends, and thoughts taken out of a reply."""

from __future__ import annotations

import pytest
import torch

from cosee.models.calls import Sampling
from cosee.models.decoding import Row, presence_processor, strip_thinking

WORDS = ["a", "b", "c", "d", "<end>"]


def row(**sampling):
    settings = Sampling(**{"temperature": 0, "presence_penalty": 0, **sampling})
    return Row(torch.tensor([0]), settings, frozenset({4}), lambda tokens: "".join(WORDS[token] for token in tokens))


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>so</think>\nYes", "Yes"),
        ("the template opened it</think> 12", "12"),
        ("<think>a</think>x<think>b</think>y", "xy"),
        ("<think>never closed", ""),
        ("plain", "plain"),
    ],
)
def test_thoughts_are_taken_out(text, left):
    assert strip_thinking(text) == left


def test_the_best_token_is_taken_at_temperature_zero_and_the_end_token_ends():
    drawn = row()
    assert drawn.take(torch.tensor([0.0, 2.0, 1.0, 0.0, 0.0])) == 1
    assert drawn.take(torch.tensor([0.0, 0.0, 0.0, 0.0, 9.0])) == 4
    assert drawn.finish_reason == "stop" and drawn.text == "b"


def test_the_presence_penalty_is_taken_once_from_what_the_reply_holds():
    # contract: C50
    logits = torch.tensor([0.0, 2.0, 1.0, 0.0, 0.0])
    drawn = row(presence_penalty=1.5)
    assert [drawn.take(logits) for _ in range(3)] == [1, 2, 1]
    assert logits.tolist() == [0.0, 2.0, 1.0, 0.0, 0.0]


def test_the_repetition_penalty_scales_what_prompt_and_reply_hold():
    drawn = row(repetition_penalty=4.0)
    assert drawn.take(torch.tensor([3.0, 1.0, 0.5, 0.0, 0.0])) == 1
    assert row().take(torch.tensor([3.0, 1.0, 0.5, 0.0, 0.0])) == 0


def test_the_processor_of_generate_takes_the_same_penalty():
    scores = torch.zeros(1, 5)
    process = presence_processor(2, 1.5)
    assert process(torch.tensor([[3, 3]]), scores).tolist() == scores.tolist()
    assert process(torch.tensor([[3, 3, 1, 1]]), scores).tolist() == [[0.0, -1.5, 0.0, 0.0, 0.0]]


def test_a_stop_string_is_cut_off_and_a_bound_ends_the_reply():
    drawn = row(stop=["bc"])
    for token in (0, 1, 2):
        logits = torch.zeros(5)
        logits[token] = 1
        drawn.take(logits)
    assert drawn.finish_reason == "stop" and drawn.text == "a"
    bounded = row(max_new_tokens=1)
    bounded.take(torch.tensor([1.0, 0, 0, 0, 0]))
    assert bounded.finish_reason == "length"


def test_draws_repeat_with_their_seed_and_differ_between_samples():
    logits = torch.zeros(5)
    logits[4] = -100

    def draws(**sampling):
        drawn = row(temperature=1.0, top_p=1.0, max_new_tokens=40, **sampling)
        while drawn.finish_reason is None:
            drawn.take(logits)
        return drawn.text

    assert draws(seed=3) == draws(seed=3)
    assert len({draws(seed=3), draws(seed=4), draws(seed=3, sample=1)}) == 3


def test_top_k_and_top_p_cut_the_tail():
    logits = torch.log(torch.tensor([0.6, 0.3, 0.05, 0.04, 0.01]))
    for cut in ({"top_k": 1, "top_p": 1.0}, {"top_k": 5, "top_p": 0.5}):
        drawn = row(temperature=1.0, max_new_tokens=30, **cut)
        while drawn.finish_reason is None:
            drawn.take(logits)
        assert set(drawn.text) == {"a"}
