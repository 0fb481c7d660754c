"""embedded: the reader without a model."""

from __future__ import annotations

from typing import Literal

from cosee.models.base import VLMClient
from cosee.models.calls import ModelError
from cosee.models.client import Opening, client
from cosee.models.entries import Entry


class EmbeddedEntry(Entry):
    """The reader without a model."""

    kind: Literal["embedded"]


@client("embedded", entry=EmbeddedEntry, description="no model: rules on text and tables, a baseline")
def embedded(entry: EmbeddedEntry, opening: Opening) -> VLMClient:
    """The reader that the caller hands over. Raises ModelError where it hands over none."""
    if opening.without_model is None:
        raise ModelError(f"{opening.name!r} is the reader without a model, which cannot do this; name a model")
    return opening.without_model()
