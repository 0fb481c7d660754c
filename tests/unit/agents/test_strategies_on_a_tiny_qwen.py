"""Every method through the real Qwen3-VL client with random weights: whatever it babbles, there is a sound row."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from helpers import decision
from helpers.agent_trees import context, question
from helpers.hostile_agents import methods, small_retriever
from helpers.navigation import harbour_tree, navigation_context
from PIL import Image

from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import make_strategy
from cosee.agents.navigator.settings import NavigatorMethod
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


def test_the_navigator_shows_it_the_figures(tmp_path: Path, client: QwenVLClient) -> None:
    # contract: D91
    shown: list[int] = []

    def page_image(page: int) -> PageImage:
        shown.append(page)
        return PageImage(page, Image.new("RGB", (160, 96), "white"))

    metered = MeteredClient(client, Budget(calls=12, tokens_out=400, seconds=None))
    ctx = navigation_context(harbour_tree(), tmp_path, metered, page_image=page_image)
    row = make_strategy(NavigatorMethod()).answer(question("How many figures are there?"), ctx)
    assert shown == [3, 2] and row.usage.images == 2, "the figure without a form before the other"
    assert all(1 <= piece.page <= 4 for piece in row.support)


def test_its_decisions_are_followed(client: QwenVLClient, monkeypatch: pytest.MonkeyPatch) -> None:
    # contract: E22, E28
    texts = iter(
        ['{"tool": "colqwen_visual_search", "inputs": {"query": "Heron"}}', '{"tool": "visual_interpretation"}']
    )
    monkeypatch.setattr(client.generator, "_decode", lambda tokens: next(texts, "nothing of use"))
    budget = Budget(calls=8, tokens_out=900, seconds=None)
    ctx = decision.context(MeteredClient(client, budget), budget=budget)
    row = make_strategy(DecisionMethod()).answer(decision.question(), ctx)
    decided = [(event.author, event.data["tool"]) for event in ctx.trace.events if event.type == "decision"]
    assert decided[:2] == [("model", "colqwen_visual_search"), ("model", "visual_interpretation")]
    assert row.status in ("failed", "partial", "ok") and row.usage.images > 0
