"""The typed reply of a CoSee agent, as lenient as ``actions.validate`` can mend."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _upper(value: Any) -> Any:
    return value.strip().upper() if isinstance(value, str) else value


ActionName = Annotated[Literal["INSPECT", "LINK", "HYPOTHESIZE", "REVISE"], BeforeValidator(_upper)]


class ViewReply(BaseModel):
    """Where the agent looked; ``bbox`` in the grid that its model answers in."""

    model_config = ConfigDict(extra="ignore")

    page: int | str | None = Field(None, description="Page number as the evidence gives it.")
    bbox: list[float] | None = Field(None, description="x0, y0, x1, y1 of the place, if you can see it.")
    description: str | None = Field(None, description="Where on the page, in a few words.")


class PlaceReply(BaseModel):
    """A further place that shows what the action says."""

    model_config = ConfigDict(extra="ignore")

    page: int | str | None = Field(None, description="Page number as the evidence gives it.")
    quote: str = Field("", description="Words copied exactly from the text of that page.")
    node_id: str | None = Field(None, description="Id of the evidence node that holds the quote.")


class ActionReply(BaseModel):
    """One action."""

    model_config = ConfigDict(extra="ignore")

    action: ActionName
    content: str = Field(min_length=1, description="What you found or propose, in one or two short sentences.")
    view: ViewReply | None = None
    tags: list[str] | None = Field(None, description="One or two words each.")
    quote: str | None = Field(None, description="Words copied exactly from the text of the view's page.")
    node_id: str | None = Field(None, description="Id of the evidence node that holds the quote.")
    further_quotes: list[PlaceReply] | None = Field(None, description="Other places that are needed to show it.")
    target_cell_id: int | str | None = Field(None, description="The cell that LINK or REVISE is about.")
    supporting_cells: list[int | str] | None = Field(None, description="Cells that carry the hypothesis.")
    answer: str | float | bool | list[str] | None = Field(None, description="The short answer of a HYPOTHESIZE.")
    confidence: float | str | None = Field(None, description="0.0 to 1.0, or high, medium, low.")
