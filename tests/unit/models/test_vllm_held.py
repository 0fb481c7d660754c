"""What vLLM's engine is held to while it draws a typed reply; the engine itself is tried by hand (tests/vllm)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from benchmarks.tiny_qwen3vl import build_tiny_qwen3vl
from PIL import Image

from cosee.agents.baselines.schemas import PageAnswer
from cosee.models.blocks import Message, PageImage
from cosee.models.calls import Generation
from cosee.models.local import vllm_client
from cosee.models.local.vllm_client import VllmClient
from cosee.models.messages import image_block, question_block
from cosee.models.reply_schema import asked_schema
from cosee.models.structured import request

REPLY = """{"explanation": "So.", "quotes": [{"page": 1, "quote": "here", "bbox": [100, 200, 500, 600]}],
"answer": "1", "confidence": 1}"""


class Engine:
    """Stands in for the engine: keeps what it is given."""

    def __init__(self) -> None:
        self.held: list[dict[str, Any] | None] = []

    def reply(self, prompt: dict[str, Any], drawn: dict[str, Any], schema: dict[str, Any] | None) -> Generation:
        self.held.append(schema)
        return Generation(text=REPLY)


def test_the_engine_draws_what_the_prompt_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm_client, "is_installed", lambda: True)
    client = VllmClient(str(build_tiny_qwen3vl(tmp_path / "model")))
    engine = client.__dict__["_engine"] = Engine()
    picture = image_block(PageImage(1, Image.new("RGB", (96, 96), "white")))
    typed = request(client, [Message((picture, question_block("Where?")))], PageAnswer)
    assert client.asked_grid == 1000 and engine.held == [asked_schema(PageAnswer, 1000)]
    (held,) = engine.held
    assert held is not None and held["required"] == list(held["properties"]), "no field may be skipped"
    assert "bbox" in held["properties"]["quotes"]["items"]["required"]
    assert typed.value is not None and typed.value.quotes is not None
    assert typed.value.quotes[0].bbox == [0.1, 0.2, 0.5, 0.6]
