"""cosee: role agents over a shared board, and its presets."""

from __future__ import annotations

from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.method import Strategy, method


@method(
    "cosee",
    settings=CoSeeMethod,
    order=90,
    calls="up to 6",
    description="three role agents over a shared board of located notes, two rounds",
)
@method(
    "cosee_base",
    settings=CoSeeMethod,
    order=91,
    calls="up to 6",
    description="the same as `cosee`",
)
@method(
    "cosee_light",
    settings=CoSeeMethod,
    order=92,
    calls="up to 4",
    description="`cosee` with two agents",
)
@method(
    "cosee_expanded",
    settings=CoSeeMethod,
    order=93,
    calls="up to 9",
    description="`cosee` with three rounds",
)
def cosee(settings: CoSeeMethod) -> Strategy:
    """Rounds of agents over one board."""
    from cosee.agents.cosee.strategy import CoSeeStrategy

    return CoSeeStrategy(settings)
