"""The decision agent on the real Qwen3-VL path: a tiny model that is shown pages, and decisions in its mouth."""

from __future__ import annotations

import pytest
from helpers.decision import context, question
from helpers.tiny_qwen3vl import build_tiny_qwen3vl

from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.method import make_strategy
from cosee.artifacts.results.trace import Budget
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.metering import MeteredClient


@pytest.mark.timeout(600)
def test_decisions_of_a_vision_language_model_are_followed(tmp_path, monkeypatch):
    # contract: E22, E28
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
