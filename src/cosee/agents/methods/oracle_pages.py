"""oracle_pages: the ceiling of retrieval."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import PagesMethod
from cosee.artifacts.settings.modules import READING


class OraclePagesMethod(PagesMethod):
    """Read the gold pages once: the ceiling of retrieval, for analysis only. Questions without gold pages are given
    retrieved ones."""

    MODULES = READING

    strategy: Literal["oracle_pages"] = Field("oracle_pages", description="Selects this method.")


@method(
    "oracle_pages",
    settings=OraclePagesMethod,
    order=120,
    calls="1",
    description="the gold pages: a ceiling, flagged in every row, for analysis only",
)
def oracle_pages(settings: OraclePagesMethod) -> Strategy:
    """The gold pages, read once."""
    from cosee.agents.baselines.read_once import ReadOnceStrategy
    from cosee.agents.reading import read_gold_pages

    return ReadOnceStrategy(
        settings, lambda asked, context: read_gold_pages(asked, context, settings.pages), uses_gold=True
    )
