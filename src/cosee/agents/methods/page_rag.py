"""page_rag: retrieval of pages, and one reading."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import PagesMethod


class PageRagMethod(PagesMethod):
    """Retrieve pages, read them once, answer."""

    strategy: Literal["page_rag"] = Field("page_rag", description="Selects this method.")


@method(
    "page_rag",
    settings=PageRagMethod,
    order=40,
    calls="1",
    description="retrieved pages (`retrieval: fused`, `sparse` or `dense`)",
)
def page_rag(settings: PageRagMethod) -> Strategy:
    """Retrieved pages, read once."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_pages

    return ReadOnceStrategy(
        settings,
        lambda asked, context: read_pages(asked, context, settings.pages, settings.retrieval),
    )
