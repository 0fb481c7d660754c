"""Every strategy on a small real chat model, whose replies are malformed, half right or cut off."""

from __future__ import annotations

import importlib.util

import pytest
from helpers.agent_trees import context, question
from helpers.hostile_agents import methods, small_retriever

from cosee.agents.method import make_strategy
from cosee.artifacts.results.trace import Budget, Trace
from cosee.models.local.hf_text import HfTextClient
from cosee.models.metering import MeteredClient
from cosee.models.weights import find

BUDGET = Budget(calls=4, tokens_out=240, seconds=None)


@pytest.fixture(scope="module")
def client():
    folder = find("smollm2")
    if folder is None or importlib.util.find_spec("gguf") is None:
        pytest.skip("needs gguf and: python -m cosee.models.weights --fetch smollm2")
    (weights,) = folder.glob("*.gguf")
    return HfTextClient(str(folder), dtype="float32", gguf_file=weights.name, max_context=4096)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("method", methods(), ids=lambda method: method.label)
def test_a_strategy_ends_in_a_row_whatever_the_model_writes(client, method):
    # contract: C33, D106
    trace = Trace()
    metered = MeteredClient(client, BUDGET, trace)
    ctx = context(metered, trace=trace, retriever=small_retriever())  # its page_image fails: no picture is asked for
    row = make_strategy(method).answer(question("How many people did the company employ?"), ctx)
    assert row.status in ("ok", "partial", "failed")
    assert (row.reason is None) == (row.status == "ok")
    assert row.usage.calls <= 4 and row.usage.tokens_out <= 240 and row.usage.images == 0
    if method.strategy != "constant":
        assert row.usage.calls >= 1 and row.usage.tokens_in > 100
    assert all(piece.quote_verified or piece.node_id for piece in row.support)
    assert trace.events[-1].type == "complete"
