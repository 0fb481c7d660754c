"""qwen_vl: Qwen3-VL from a folder."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.models.base import VLMClient
from cosee.models.client import Opening, client
from cosee.models.entries import TransformersEntry


class QwenVLEntry(TransformersEntry):
    """Qwen3-VL; pixel bounds default to the processor's own."""

    kind: Literal["qwen_vl"]
    min_pixels: int | None = Field(None, ge=1)
    max_pixels: int | None = Field(None, ge=1)


@client("qwen_vl", entry=QwenVLEntry, description="Qwen3-VL from a folder, through transformers")
def qwen_vl(entry: QwenVLEntry, opening: Opening) -> VLMClient:
    """The model in this process."""
    from cosee.models.local.qwen_vl_wrapper import QwenVLClient

    return QwenVLClient(**entry.model_dump(exclude={"kind", "price", "thinking_tokens"}))
