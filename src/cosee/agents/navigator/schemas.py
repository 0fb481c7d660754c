"""Typed replies of the navigator's roles, as lenient as their readers can mend."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from cosee.agents.replies import UPPER_CASE, QuotedWords, ShortAnswer, StatedConfidence
from cosee.models.reply_schema import OPTIONAL, OPTIONAL_BOX, UNASKED

DirectiveName = Annotated[Literal["MOVE_TO", "EXPAND_CHILDREN"], UPPER_CASE]


class DirectiveReply(BaseModel):
    """Where to go."""

    action: DirectiveName = "MOVE_TO"
    target: str = Field(description="Id of a page, section or node as listed.")


class PlanReply(BaseModel):
    """The planner's reply."""

    thought: str = Field("", description="One sentence on why these places.")
    candidates: list[str] = Field(default_factory=list, description="Ids, the likeliest first.")
    directives: list[DirectiveReply] = Field(default_factory=list, description="In the order to follow.")


class ImageReply(BaseModel):
    """What the image observer sees."""

    chart_form: str = Field("", description="line, bar, pie, scatter, other, or none.")
    reading: str = Field(min_length=1, description="What it shows of the question, in a few sentences.")
    zoom: list[float] | None = Field(
        None,
        description="Only if details are too small to read: the part to show larger.",
        json_schema_extra=OPTIONAL_BOX,
    )


class NodeQuote(QuotedWords):
    """Words that show the answer."""

    node_id: str | None = Field(None, description="Id of the node that holds them.")
    quote: str = Field("", description="Words copied exactly from that node.")
    page: int | None = Field(None, json_schema_extra=UNASKED)


class ReasonReply(BaseModel):
    """The reasoner's reply."""

    support_nodes: list[str] = Field(default_factory=list, description="Ids of the observed nodes that carry it.")
    quotes: list[NodeQuote] = Field(default_factory=list, description="The words that show the answer.")
    explanation: str = Field("", description="One or two sentences on how the nodes give the answer.")
    answer: ShortAnswer
    confidence: StatedConfidence = None
    action: Annotated[Literal["ANSWER", "REPLAN"], UPPER_CASE] = "ANSWER"
    reason: str = Field("", description="What is missing, where action is REPLAN.", json_schema_extra=OPTIONAL)
    look_for: str = Field("", description="Words to search for, where action is REPLAN.", json_schema_extra=OPTIONAL)


class SplitReply(BaseModel):
    """The router's reply."""

    sub_questions: list[str] = Field(default_factory=list, description="Empty for a simple question.")


class CombineReply(BaseModel):
    """One answer out of those to the parts."""

    explanation: str = Field("", description="One sentence on how the parts give the answer.")
    answer: ShortAnswer
    confidence: StatedConfidence = None
