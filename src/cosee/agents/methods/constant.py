"""constant: the floor that every other method must clear."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.agents.method import Strategy, method
from cosee.artifacts.settings.methods import MethodBase


class ConstantMethod(MethodBase):
    """Always 'Not answerable'."""

    strategy: Literal["constant"] = Field("constant", description="Selects this method.")


@method(
    "constant",
    settings=ConstantMethod,
    order=10,
    calls="0",
    description='always "Not answerable"',
)
def constant(settings: ConstantMethod) -> Strategy:
    """Always abstains."""
    from cosee.agents.baselines.read_once import ConstantStrategy

    return ConstantStrategy(settings)
