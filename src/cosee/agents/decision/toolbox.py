"""The tools of one question."""

from __future__ import annotations

from cosee.agents.decision.tool import Services, Tool
from cosee.registry import TOOLS


def make_tools(services: Services) -> list[Tool]:
    """Every tool, in the order in which a model is told of them; rules run in this order too."""
    return [entry.thing(services) for entry in TOOLS.entries()]
