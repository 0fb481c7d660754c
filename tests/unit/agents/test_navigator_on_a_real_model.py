"""The navigator through the real Qwen3-VL client, on a tiny model with random weights."""

from __future__ import annotations

import pytest
from helpers.agent_trees import question
from helpers.navigation import harbour_tree, navigation_context
from helpers.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image

from cosee.agents.method import make_strategy
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.artifacts.results.trace import Budget
from cosee.models.blocks import PageImage
from cosee.models.local.qwen_vl_wrapper import QwenVLClient
from cosee.models.metering import MeteredClient


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    return QwenVLClient(str(build_tiny_qwen3vl(tmp_path_factory.mktemp("models") / "tiny")))


@pytest.mark.parametrize("text", ["How many figures are there?", "What does mooring cost and who works in two shifts?"])
def test_whatever_the_model_babbles_there_is_one_sound_row(tmp_path, client, text):
    # contract: C33, D91, D106
    metered = MeteredClient(client, Budget(calls=12, tokens_out=400, seconds=None))
    shown: list[int] = []

    def page_image(page: int) -> PageImage:
        shown.append(page)
        return PageImage(page, Image.new("RGB", (160, 96), "white"))

    ctx = navigation_context(harbour_tree(), tmp_path, metered, page_image=page_image)
    row = make_strategy(NavigatorMethod()).answer(question(text), ctx)
    assert row.status in ("ok", "partial", "failed") and (row.reason is None) == (row.status == "ok")
    assert 1 <= row.usage.calls <= 12 and row.usage.tokens_in > 100 and row.usage.tokens_out <= 400
    assert all(1 <= piece.page <= 4 for piece in row.support)
    assert row.model == client.name and ctx.trace.events[-1].type == "complete"
    if "figures" in text:
        assert shown == [3, 2] and row.usage.images == 2, "the figure without a form before the other"
