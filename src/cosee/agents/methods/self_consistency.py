"""self_consistency: several readings that reason."""

from __future__ import annotations

from cosee.agents.baselines.settings import SelfConsistencyMethod
from cosee.agents.method import Strategy, method


@method(
    "self_consistency",
    settings=SelfConsistencyMethod,
    order=70,
    calls="`samples`",
    description="the same, sampled; the majority of the answers",
)
def self_consistency(settings: SelfConsistencyMethod) -> Strategy:
    """Sampled readings and their majority."""
    from cosee.agents.baselines.self_consistency import SelfConsistencyStrategy

    return SelfConsistencyStrategy(settings)
