"""The decision agent on the real Qwen3-VL path: a tiny model with random weights, whose replies are never usable."""

from __future__ import annotations

import pytest
from helpers.decision import call, context, question
from helpers.tiny_qwen3vl import build_tiny_qwen3vl

from cosee.agents.registry import make_strategy
from cosee.artifacts.settings.methods import DecisionMethod
from cosee.artifacts.trace import Budget
from cosee.models.metering import MeteredClient
from cosee.models.qwen_vl_wrapper import QwenVLClient
from cosee.models.structured import parse


@pytest.mark.timeout(600)
def test_a_tiny_vision_language_model_ends_in_a_valid_row(tmp_path):
    # contract: E28, E15
    client = QwenVLClient(str(build_tiny_qwen3vl(tmp_path / "tiny")), device="cpu", max_pixels=4096)
    budget = Budget(calls=9, tokens_out=300, seconds=None)
    ctx = context(MeteredClient(client, budget), budget=budget)
    row = make_strategy(DecisionMethod()).answer(question(), ctx)
    assert row.status in ("failed", "partial", "ok") and row.usage.calls <= 9 and row.usage.tokens_out <= 300
    assert row.retrieved_pages[0] == 5, "the fixed order searched"
    assert ctx.trace.events[-1].type == "complete"
    assert row.usage.images > 0, "pages were shown beside their text"


@pytest.mark.timeout(600)
def test_its_decisions_are_followed_where_they_are_usable(tmp_path, monkeypatch):
    from cosee.agents.decision.schemas import Decision

    client = QwenVLClient(str(build_tiny_qwen3vl(tmp_path / "tiny")), device="cpu", max_pixels=4096)
    texts = iter(
        ['{"tool": "colqwen_visual_search", "inputs": {"query": "Heron"}}', '{"tool": "visual_interpretation"}']
    )
    monkeypatch.setattr(client.generator, "_decode", lambda tokens: next(texts, "nothing of use"))
    budget = Budget(calls=8, tokens_out=900, seconds=None)
    ctx = context(MeteredClient(client, budget), budget=budget)
    row = make_strategy(DecisionMethod()).answer(question(), ctx)
    decided = [(event.author, event.data["tool"]) for event in ctx.trace.events if event.type == "decision"]
    assert decided[:2] == [("model", "colqwen_visual_search"), ("model", "visual_interpretation")]
    assert row.status in ("failed", "partial", "ok") and row.usage.images > 0
    assert parse('{"tool": "x"}', Decision).value == Decision(**{**call("x"), "reasoning": "", "inputs": {}})
