"""Every method through the real Qwen3-VL client with random weights: whatever it babbles, there is a sound row."""

from __future__ import annotations

from typing import Any

import pytest
from helpers.agent_trees import context, question
from helpers.hostile_agents import methods, small_retriever
from helpers.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image

from cosee.agents.method import make_strategy
from cosee.artifacts.results.trace import Budget, Trace
from cosee.models.blocks import PageImage
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.metering import MeteredClient

BUDGET = Budget(calls=8, tokens_out=96, seconds=None)
BLIND = ("chunk_rag", "full_text")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> QwenVLClient:
    return QwenVLClient(str(build_tiny_qwen3vl(tmp_path_factory.mktemp("tiny"))))


@pytest.mark.parametrize("method", methods(), ids=lambda method: method.label)
def test_a_method_ends_in_a_row(method: Any, client: QwenVLClient) -> None:
    # contract: C33, D106
    trace = Trace()
    metered = MeteredClient(client, BUDGET, trace)
    picture = Image.new("RGB", (160, 224), "white")
    ctx = context(metered, trace=trace, retriever=small_retriever(), page_image=lambda page: PageImage(page, picture))
    row = make_strategy(method).answer(question("How many people did the company employ?"), ctx)
    assert (row.reason is None) == (row.status == "ok") and row.method == method.label
    assert row.usage.calls <= 8 and row.usage.tokens_out <= 96
    assert trace.events[-1].type == "complete"
    if method.strategy != "constant":
        assert row.usage.calls >= 1 and row.usage.tokens_in > 100
        assert row.usage.images == 0 or method.strategy not in BLIND
        assert row.model == client.name and row.prompt_ids
