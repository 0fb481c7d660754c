"""The short answer in a method's own words, asked of the same model: an alternative to rules, one for all methods."""

from __future__ import annotations

from pydantic import BaseModel, Field

from cosee.agents.context import Context
from cosee.agents.prompts import EXTRACT
from cosee.agents.replies import answer_text
from cosee.agents.thresholds import EXTRACTION_REPLY_TOKENS
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.blocks import Message
from cosee.models.calls import ModelError
from cosee.models.messages import history_block, instruction_block, question_block


class ExtractedAnswer(BaseModel):
    """The reply of an extraction."""

    words: str = Field("", description="The words of the reply that give its answer.")
    answer: str | float | bool | list[str] = Field(description="The short answer, or 'Not answerable'.")


def extract_answer(question: Question, context: Context, said: str) -> str | None:
    """One typed request for the short answer in ``said``; None where the model or the budget gives none."""
    history = history_block([{"author": "reply", "content": said}])
    message = Message((question_block(question.question), history, instruction_block(EXTRACT.id, EXTRACT.text)))
    sampling = context.sampling(EXTRACTION_REPLY_TOKENS, {"temperature": 0.0})
    try:
        reply = context.client.request([message], ExtractedAnswer, sampling)
    except (BudgetExceeded, ModelError) as error:
        context.trace.add("status", message=f"no extraction: {error}")
        return None
    if reply.value is None:
        context.trace.add("status", message=f"no extraction: {reply.error}")
        return None
    answer = answer_text(reply.value.answer)
    context.trace.add("result", author="extractor", message=answer)
    return answer
