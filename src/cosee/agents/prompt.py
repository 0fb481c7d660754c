"""A prompt as a constant: text with an id, whose hash tells which wording made a prediction."""

from __future__ import annotations

from dataclasses import dataclass

from cosee.artifacts.files import sha256_bytes


@dataclass(frozen=True)
class Prompt:
    """``id`` names the prompt; ``ref`` is what predictions record."""

    id: str
    text: str

    @property
    def ref(self) -> str:
        """``<id>@<sha256[:12]>`` of the text."""
        return f"{self.id}@{sha256_bytes(self.text.encode())[:12]}"
