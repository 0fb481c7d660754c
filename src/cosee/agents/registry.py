"""From a method of the configuration to its strategy, and from their schemas to the embedded reader's handlers."""

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
from cosee.models.embedded import HandlerRegistry


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


def embedded_registry() -> HandlerRegistry:
    """Every strategy's handlers for the reader without a model."""
    from cosee.agents.baselines.offline import REGISTRY as BASELINES
    from cosee.agents.cosee.offline import REGISTRY as COSEE
    from cosee.agents.decision.offline import REGISTRY as DECISION
    from cosee.agents.extractor import REGISTRY as EXTRACTOR
    from cosee.agents.navigator.offline import REGISTRY as NAVIGATOR

    registry = HandlerRegistry()
    for handlers in (BASELINES, COSEE, DECISION, EXTRACTOR, NAVIGATOR):
        registry.include(handlers)
    return registry
