"""The answer, from the environment alone."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Any

from pydantic import Field

from cosee.agents.baselines.schemas import PageAnswer
from cosee.agents.decision.asking import ask, fit_context
from cosee.agents.decision.pages import page_object
from cosee.agents.decision.prompts import ANSWER
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Inputs, Output, Tool, in_thread, tool
from cosee.agents.decision.tools.thresholds import (
    ANSWER_CONTEXT_TOKENS,
    ANSWER_REPLY_TOKENS,
    MAX_PICTURES,
    MAX_SHORTENINGS,
)
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.extractor import extract_answer
from cosee.agents.prompts import EXTRACT
from cosee.agents.replies import answer_text, read_confidence
from cosee.agents.short_answer import short_answer
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.models.blocks import Message
from cosee.models.messages import evidence_message, instruction_block


class AnswerInputs(Inputs):
    """Nothing, or why there is no answer."""

    reason: str = Field("", description="Only where the question cannot be answered: why.")


@tool(
    "text_response",
    order=90,
    description="Answer the question from what has been retrieved. Ends the conversation.",
    status="Answering...",
    inputs=AnswerInputs,
    end=True,
)
class TextResponse(Tool):
    """Reads the evidence and answers; what is not in the environment is not used."""

    async def is_tool_available(self, tree_data: TreeData) -> bool:
        """Once there are results, or a tool has run and found nothing."""
        return not tree_data.environment.is_empty() or bool(tree_data.tasks_completed)

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """One result with answer, explanation, pages and quotes, then the answer in tokens.

        Where no search found anything, as in a scan without text, a model that sees reads the first pages before it.
        """
        environment = tree_data.environment
        if environment.is_empty() and not inputs.get("reason") and self.services.context.client.sees_images:
            yield self._first_pages()
        if inputs.get("reason") or environment.is_empty():
            reason = inputs.get("reason") or "Nothing was found in the document about this question."
            reply = PageAnswer(answer=NOT_ANSWERABLE, explanation=reason, confidence=None, quotes=[])
        else:
            typed = await ask(self.services, self._message(tree_data), PageAnswer, ANSWER_REPLY_TOKENS, last=True)
            if typed.value is None:
                yield Error(f"No usable answer: {typed.error}", suggestion="Call text_response again")
                return
            reply = typed.value
        answer = settled(tree_data.user_prompt, answer_text(reply.answer) or "")
        if self.services.context.extractor and answer != NOT_ANSWERABLE:
            self.services.prompts.add(EXTRACT.id)
            extracted = await in_thread(extract_answer, self.services.question, self.services.context, answer)
            answer = settled(tree_data.user_prompt, extracted or answer)
        quotes = [quote.model_dump(mode="json") for quote in reply.quotes or []]
        yield Result(
            [
                {
                    "answer": answer,
                    "explanation": reply.explanation,
                    "confidence": read_confidence(reply.confidence),
                    "sufficient": answer != NOT_ANSWERABLE,
                    "page_references": sorted({quote["page"] for quote in quotes if quote["page"]}),
                    "quotes": quotes,
                }
            ],
            {"context_tokens": ANSWER_CONTEXT_TOKENS},
            "answer",
            "answer",
            "Answered.",
        )
        for token in re.findall(r"\s*\S+|\s+\Z", answer):
            yield {"type": "token", "content": token}

    def _first_pages(self) -> Result:
        tree = self.services.context.tree
        first = [page.page_idx + 1 for page in tree.pages[:MAX_PICTURES]]
        pages = [{"page_label": tree.pages[page - 1].page_label, "text": "", **(page_object(tree, page, {}) or {}),
                  "page_number": page, "to_show": True} for page in first]  # fmt: skip
        return Result(pages, {}, "page_texts", "chunks", "Nothing was found; the first {num_objects} pages are read.")

    def _message(self, tree_data: TreeData) -> Message:
        context = self.services.context
        found = [value for value in tree_data.environment.objects() if value.get("nodes") or value.get("to_show")]
        pages = [int(value["page_number"]) for value in found]
        left = context.client.images_left
        most = MAX_PICTURES if left is None else min(MAX_PICTURES, left)  # the answer is not lost for a picture
        seen = list(dict.fromkeys(pages))[:most] if context.client.sees_images else []
        images = [context.page_image(page) for page in seen]

        def build(tokens: int) -> Message:
            return evidence_message(
                self.services.question.question,
                images=images,
                evidence=tree_data.environment.blocks(tokens, seen if context.client.sees_images else None),
                instruction=instruction_block(ANSWER.id, ANSWER.text),
            )

        return fit_context(context, build, ANSWER_CONTEXT_TOKENS)


def settled(question: str, text: str) -> str:
    """The short answer in ``text``, shortened until nothing changes, so that what is streamed is what is kept."""
    for _ in range(MAX_SHORTENINGS):
        shorter = short_answer(question, text)
        if shorter == text:
            break
        text = shorter
    return text
