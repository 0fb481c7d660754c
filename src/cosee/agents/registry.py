"""From a method of the configuration to its strategy."""

from __future__ import annotations

from cosee.agents.strategy import Strategy
from cosee.artifacts.settings.methods import MethodBase
from cosee.registry import METHODS


def make_strategy(settings: MethodBase) -> Strategy:
    """The strategy that a method's settings describe."""
    strategy: Strategy = METHODS.get(settings.strategy_name).thing(settings)
    return strategy
