"""Which tools there are, in the order in which a model is told of them; rules run in this order too."""

from __future__ import annotations

from cosee.agents.decision.tool import Services, Tool
from cosee.agents.decision.tools.answer import TextResponse
from cosee.agents.decision.tools.calculate import Calculate
from cosee.agents.decision.tools.document import ListFigures, OpenNode, ReadTable
from cosee.agents.decision.tools.search import ColQwenVisualSearch, FastVectorSearch
from cosee.agents.decision.tools.summary import Summarize
from cosee.agents.decision.tools.visual import VisualInterpretation

TOOLS: tuple[type[Tool], ...] = (
    FastVectorSearch, ColQwenVisualSearch, VisualInterpretation, OpenNode, ReadTable, ListFigures, Calculate,
    TextResponse, Summarize,
)  # fmt: skip


def make_tools(services: Services) -> list[Tool]:
    """Every tool, for one question."""
    return [kind(services) for kind in TOOLS]
