"""The typed reply of a CoSee agent: asked for as one of four turns, read as leniently as ``actions.validate`` mends."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import BaseModel, Field

from cosee.agents.replies import UPPER_CASE, AnswerValue, QuotedWords
from cosee.models.reply_schema import BOX, EYES, OPTIONAL, UNASKED

ActionName = Annotated[Literal["INSPECT", "LINK", "HYPOTHESIZE", "REVISE"], UPPER_CASE]


class ViewReply(BaseModel):
    """Where the agent looked; ``bbox`` in the grid that its model answers in."""

    page: int | str | None = Field(None, description="The number after page= in the evidence.")
    bbox: list[float] | None = Field(None, json_schema_extra=BOX)
    description: str | None = Field(None, json_schema_extra=UNASKED)


class PlaceReply(QuotedWords):
    """A further place that shows what the action says."""

    page: int | str | None = Field(None, description="The number after page= in the evidence.")
    quote: str = Field("", description="Words copied exactly from that page.")
    node_id: str | None = Field(None, json_schema_extra=UNASKED)


Content = Annotated[str, Field(min_length=1, description="What you found or propose, in one or two short sentences.")]
Quote = Annotated[str, Field(description="Words copied exactly from that page that show it.")]
Target = Annotated[int, Field(description="Number of the cell that this is about.")]
Answer = Annotated[str | list[str], Field(description="The short answer, or 'Not answerable'.")]
Confidence = Annotated[float, Field(description="0.0 to 1.0.")]


class InspectTurn(BaseModel):
    """A note of what stands on a page."""

    action: Literal["INSPECT"]
    content: Content
    view: ViewReply
    quote: Quote
    zoom: bool = Field(
        description="True if the box is too small to read: it is shown larger from the next turn on.",
        json_schema_extra=EYES,
    )


class LinkTurn(BaseModel):
    """Further evidence for or against a cell."""

    action: Literal["LINK"]
    target_cell_id: Target
    content: Content
    view: ViewReply
    quote: Quote


class HypothesizeTurn(BaseModel):
    """A proposed answer."""

    action: Literal["HYPOTHESIZE"]
    content: Content
    view: ViewReply
    quote: Quote
    further_quotes: list[PlaceReply] = Field(description="Other places needed to show it.", json_schema_extra=OPTIONAL)
    supporting_cells: list[int] = Field(description="Numbers of the cells that carry it.")
    answer: Answer
    confidence: Confidence


class ReviseTurn(BaseModel):
    """A corrected cell."""

    action: Literal["REVISE"]
    target_cell_id: Target
    content: Content
    view: ViewReply
    quote: Quote
    answer: Answer = Field(json_schema_extra=OPTIONAL)
    confidence: Confidence


class ConcludeTurn(HypothesizeTurn):
    """A proposed answer that rests on cells."""

    supporting_cells: list[int] = Field(min_length=1, description="Numbers of the cells that carry it, one at least.")


class ActionReply(BaseModel):
    """One action."""

    asked_as: ClassVar[tuple[type[BaseModel], ...]] = (InspectTurn, LinkTurn, HypothesizeTurn, ReviseTurn)

    action: ActionName
    content: str = Field(min_length=1)
    view: ViewReply | None = None
    tags: list[str] | None = None
    quote: str | None = None
    node_id: str | None = None
    further_quotes: list[PlaceReply] | None = None
    zoom: bool | None = None
    target_cell_id: int | str | None = None
    supporting_cells: list[int | str] | None = None
    answer: AnswerValue | None = None
    confidence: float | str | None = None


class CheckReply(ActionReply):
    """One action of the cross-checker once there is something on the board: about a cell, which it names."""

    asked_as: ClassVar[tuple[type[BaseModel], ...]] = (LinkTurn, ReviseTurn, ConcludeTurn)
