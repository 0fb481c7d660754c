"""Settings of the navigator."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from cosee.artifacts.settings.methods import AskingMethod
from cosee.artifacts.settings.modules import SEARCH


class NavigatorMethod(AskingMethod):
    """A planner, observers and a reasoner move through the document's tree."""

    MODULES = SEARCH | {"planner"}

    strategy: Literal["navigator"] = Field("navigator", description="Selects this method.")
    pages: int = Field(5, ge=1, description="Places (pages, sections or nodes) that one plan goes to.")
    max_rounds: int = Field(2, ge=1, le=10, description="Plans at most for a question, or for a part of one.")
    nodes: int = Field(200, ge=1, description="Nodes observed in a round at most.")
    images: int = Field(4, ge=0, description="New figures a round that a model which sees is shown.")
    replan_below: float = Field(0.2, ge=0, le=1, description="An answer with less confidence is looked for elsewhere.")
    sub_questions: int = Field(3, ge=1, le=6, description="Parts of a compound question at most; 1 splits none.")

    def open_calls(self) -> tuple[int, int | None]:
        """As many as its replies ask for, within the budget."""
        return 1, None
