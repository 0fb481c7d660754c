"""scripted: replies that were written down."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.models.base import VLMClient
from cosee.models.client import Opening, client
from cosee.models.entries import Entry


class ScriptedEntry(Entry):
    """Fixed replies in order, for trying things out."""

    kind: Literal["scripted"]
    replies: list[str] = Field(min_length=1)
    repeat_last: bool = True


@client("scripted", entry=ScriptedEntry, description="fixed replies in order, for trying things out")
def scripted(entry: ScriptedEntry, opening: Opening) -> VLMClient:
    """A client that says what it was told to."""
    from cosee.models.scripted import ScriptedClient

    return ScriptedClient(entry.replies, repeat_last=entry.repeat_last)
