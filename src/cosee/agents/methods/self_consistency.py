"""self_consistency: several readings that reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from cosee.agents.method import method
from cosee.artifacts.settings.methods import PagesMethod

if TYPE_CHECKING:
    from cosee.agents.strategy import Strategy


class SelfConsistencyMethod(PagesMethod):
    """Several sampled calls that reason step by step, and the majority of their answers (seed 001 section 7)."""

    strategy: Literal["self_consistency"] = Field("self_consistency", description="Selects this method.")
    samples: int = Field(3, ge=1, le=40, description="Calls a question (N).")


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
