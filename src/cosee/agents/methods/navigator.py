"""navigator: a way through the document's tree."""

from __future__ import annotations

from cosee.agents.method import Strategy, method
from cosee.agents.navigator.settings import NavigatorMethod


@method(
    "navigator",
    settings=NavigatorMethod,
    order=100,
    calls="within the budget",
    description="plans over summaries and headings of the tree, observes text, tables and figures, reasons, plans "
    "again where unsure",
)
def navigator(settings: NavigatorMethod) -> Strategy:
    """Planner, observers and reasoner."""
    from cosee.agents.navigator.strategy import NavigatorStrategy

    return NavigatorStrategy(settings)
