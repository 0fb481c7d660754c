"""full_text: the words of the document, without a search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import WholeDocumentMethod


class FullTextMethod(WholeDocumentMethod):
    """The text of the whole document, cut where the room ends, read once without pictures."""

    MODULES = frozenset(("ocr",))

    strategy: Literal["full_text"] = Field("full_text", description="Selects this method.")


@method(
    "full_text",
    settings=FullTextMethod,
    order=30,
    calls="1",
    description="the text of the whole document, cut where the room ends",
)
def full_text(settings: FullTextMethod) -> Strategy:
    """The text, read once."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_from_the_start

    return ReadOnceStrategy(
        settings, lambda asked, context: read_from_the_start(asked, context, settings.context_tokens, pictures=False)
    )
