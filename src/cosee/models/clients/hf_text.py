"""hf_text: a causal language model from a folder."""

from __future__ import annotations

from typing import Literal

from cosee.models.base import VLMClient
from cosee.models.client import Opening, client
from cosee.models.entries import TransformersEntry


class HfTextEntry(TransformersEntry):
    """A causal language model that reads text only; ``gguf_file`` names a file in the folder."""

    kind: Literal["hf_text"]
    gguf_file: str | None = None


@client("hf_text", entry=HfTextEntry, description="a language model from a folder that reads text only")
def hf_text(entry: HfTextEntry, opening: Opening) -> VLMClient:
    """The model in this process."""
    from cosee.models.local.hf_text import HfTextClient

    return HfTextClient(**entry.model_dump(exclude={"kind", "price", "thinking_tokens"}))
