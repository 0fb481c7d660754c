"""From a method of the configuration to its strategy, and from their schemas to the embedded reader's handlers."""

from __future__ import annotations

from cosee.agents.strategy import Strategy
from cosee.artifacts.settings.answer import CoSeeMethod, Method, NavigatorMethod, PageRagMethod
from cosee.models.embedded import HandlerRegistry


def make_strategy(method: Method) -> Strategy:
    """The strategy that a method's settings describe."""
    if isinstance(method, CoSeeMethod):
        from cosee.agents.cosee.strategy import CoSeeStrategy

        return CoSeeStrategy(method)
    if isinstance(method, NavigatorMethod):
        from cosee.agents.navigator.strategy import NavigatorStrategy

        return NavigatorStrategy(method)
    from cosee.agents.baselines import ConstantStrategy, PageRagStrategy

    return PageRagStrategy(method) if isinstance(method, PageRagMethod) else ConstantStrategy(method)


def embedded_registry() -> HandlerRegistry:
    """Every strategy's handlers for the reader without a model."""
    from cosee.agents.baselines_offline import REGISTRY as BASELINES
    from cosee.agents.cosee.offline import REGISTRY as COSEE
    from cosee.agents.navigator.offline import REGISTRY as NAVIGATOR

    registry = HandlerRegistry()
    registry.include(BASELINES)
    registry.include(COSEE)
    registry.include(NAVIGATOR)
    return registry
