"""The typed replies of the baselines."""

from __future__ import annotations

from pydantic import BaseModel, Field

from cosee.agents.replies import AnswerValue, QuotedWords, ShortAnswer, StatedConfidence
from cosee.models.reply_schema import BOX, OPTIONAL, UNASKED


class PageQuote(QuotedWords):
    """Words that show the answer."""

    page: int | None = Field(None, description="The number after page= in the evidence.")
    quote: str = Field("", description="Words copied exactly from that page.")
    node_id: str | None = Field(None, json_schema_extra=UNASKED)
    bbox: list[float] | None = Field(None, json_schema_extra=BOX)


class PageAnswer(BaseModel):
    """The reply of one reading. Quotes come first: a small model that has explained already quotes its explanation."""

    quotes: list[PageQuote] | None = Field(None, description="The words that show the answer; empty if there are none.")
    explanation: str = Field("", description="One or two sentences on how the pages give the answer.")
    answer: ShortAnswer
    confidence: StatedConfidence = None


class ReasonedAnswer(BaseModel):
    """The reply of one reading that reasons first."""

    reasoning: str = Field("", description="Your reasoning, step by step.")
    quotes: list[PageQuote] | None = Field(None, description="The words that show the answer; empty if there are none.")
    answer: ShortAnswer
    confidence: StatedConfidence = None

    @property
    def explanation(self) -> str:
        """The reasoning."""
        return self.reasoning


class ChatMessage(BaseModel):
    """One message of a conversation."""

    message: str = Field(min_length=1, description="What you say, in one to three sentences.")
    quotes: list[PageQuote] | None = Field(None, description="The words that show it; empty if there are none.")
    answer: AnswerValue | None = Field(
        None, description="The short answer, once you can give it.", json_schema_extra=OPTIONAL
    )
    confidence: float | str | None = Field(None, description="0.0 to 1.0.", json_schema_extra=OPTIONAL)
