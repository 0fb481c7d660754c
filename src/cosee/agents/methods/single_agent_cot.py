"""single_agent_cot: one reading that reasons."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import PagesMethod


class SingleAgentMethod(PagesMethod):
    """One call that reasons step by step before it answers."""

    strategy: Literal["single_agent_cot"] = Field("single_agent_cot", description="Selects this method.")


@method(
    "single_agent_cot",
    settings=SingleAgentMethod,
    order=60,
    calls="1",
    description="retrieved pages, reasoning step by step",
)
def single_agent_cot(settings: SingleAgentMethod) -> Strategy:
    """Retrieved pages, read once with reasoning."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_pages

    return ReadOnceStrategy(
        settings,
        lambda asked, context: read_pages(asked, context, settings.pages, settings.retrieval),
        reasons=True,
    )
