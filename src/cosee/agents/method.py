"""What a method is, and how one is added: settings and a function that makes its strategy, in ``agents/methods``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from cosee.artifacts.settings.methods import MethodBase
from cosee.registry import METHODS, Registry

if TYPE_CHECKING:
    from cosee.agents.context import Context
    from cosee.artifacts.datasets.questions import Question
    from cosee.artifacts.results.prediction import Prediction

Maker = TypeVar("Maker")


class Strategy(Protocol):
    """A way to answer. ``name`` is the method's name in results.

    One object serves the questions of a document, with a model behind a server several at a time: what belongs to one
    question is kept in no attribute of it.
    """

    name: str

    def answer(self, question: Question, context: Context) -> Prediction:
        """Answer one question; fills everything of the prediction but ``config_hash``.

        Raises:
            BudgetExceeded: only where it has nothing to say; a strategy answers with what it has.
        """
        ...


def method(
    name: str,
    *,
    settings: type[MethodBase],
    description: str,
    calls: str,
    version: str = "1",
    citation: str = "",
    order: int = 1000,
    uses: Sequence[Registry] = (),
) -> Callable[[Maker], Maker]:
    """Register a function from ``settings`` to a ``Strategy`` as the method ``name``.

    ``description`` and ``calls`` of the model a question stand in the README. ``uses`` are the kinds all of whose
    things its answers depend on.
    """
    about = {"calls": calls, "uses": tuple(uses)}
    return METHODS.register(
        name, description=description, version=version, citation=citation, settings=settings, order=order, about=about
    )


def make_strategy(settings: MethodBase) -> Strategy:
    """The strategy that a method's settings describe."""
    strategy: Strategy = METHODS.get(settings.strategy_name).thing(settings)
    return strategy
