"""direct: the document itself, without a search."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import WholeDocumentMethod
from cosee.artifacts.settings.modules import READING


class DirectMethod(WholeDocumentMethod):
    """As many pages as fit, with their pictures, in document order, read once."""

    MODULES = READING

    strategy: Literal["direct"] = Field("direct", description="Selects this method.")


@method(
    "direct",
    settings=DirectMethod,
    order=20,
    calls="1",
    description="as many pages as fit, in document order",
)
def direct(settings: DirectMethod) -> Strategy:
    """Pages with their pictures, read once."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_from_the_start

    return ReadOnceStrategy(
        settings, lambda asked, context: read_from_the_start(asked, context, settings.context_tokens, pictures=True)
    )
