"""From a method of the configuration to its strategy."""

from __future__ import annotations

from cosee.agents.strategy import Strategy
from cosee.artifacts.settings.methods import (
    ChatMethod,
    ConstantMethod,
    CoSeeMethod,
    DecisionMethod,
    Method,
    NavigatorMethod,
    SelfConsistencyMethod,
)


def make_strategy(method: Method) -> Strategy:
    """The strategy that a method's settings describe."""
    if isinstance(method, CoSeeMethod):
        from cosee.agents.cosee.strategy import CoSeeStrategy

        return CoSeeStrategy(method)
    if isinstance(method, NavigatorMethod):
        from cosee.agents.navigator.strategy import NavigatorStrategy

        return NavigatorStrategy(method)
    if isinstance(method, DecisionMethod):
        from cosee.agents.decision.strategy import DecisionStrategy

        return DecisionStrategy(method)
    if isinstance(method, SelfConsistencyMethod):
        from cosee.agents.baselines.self_consistency import SelfConsistencyStrategy

        return SelfConsistencyStrategy(method)
    if isinstance(method, ChatMethod):
        from cosee.agents.baselines.chat import ChatStrategy

        return ChatStrategy(method)
    from cosee.agents.baselines.read_once import ConstantStrategy, ReadOnceStrategy

    return ConstantStrategy(method) if isinstance(method, ConstantMethod) else ReadOnceStrategy(method)
