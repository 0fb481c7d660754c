"""Methods that choose evidence, read it in one typed request and answer: they differ in evidence and prompt alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cosee.agents.baselines.prompts import CUT_DOCUMENT, READ_ONCE, STEP_BY_STEP
from cosee.agents.baselines.schemas import PageAnswer, PageQuote, ReasonedAnswer
from cosee.agents.baselines.thresholds import READING_REPLY_TOKENS, REASONING_REPLY_TOKENS
from cosee.agents.context import Context
from cosee.agents.evidence import Evidence
from cosee.agents.finish import Outcome, finish
from cosee.agents.prompts import Prompt
from cosee.agents.reading import PagesRead
from cosee.agents.replies import answer_text, read_confidence
from cosee.agents.short_answer import short_answer
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.artifacts.settings.methods import AskingMethod, MethodBase
from cosee.models.blocks import Message
from cosee.models.boxes import as_box
from cosee.models.calls import ModelError
from cosee.models.messages import evidence_message, instruction_block
from cosee.retrieval.ranking import Ranking

Reply = PageAnswer | ReasonedAnswer


class ConstantStrategy:
    """Always abstains: the floor that every other method must clear."""

    def __init__(self, method: MethodBase) -> None:
        self.name = method.label

    def answer(self, question: Question, context: Context) -> Prediction:
        """``Not answerable``, without a search or a call."""
        context.trace.add("start", message=question.question, strategy="constant")
        return finish(question, context, self.name, Outcome(NOT_ANSWERABLE, "abstained"), Ranking())


class ReadOnceStrategy:
    """One request over the evidence that ``read`` chooses; where it ``reasons``, step by step before the answer."""

    def __init__(
        self,
        method: AskingMethod,
        read: Callable[[Question, Context], PagesRead],
        *,
        reasons: bool = False,
        uses_gold: bool = False,
    ) -> None:
        self.method, self.read, self.uses_gold = method, read, uses_gold
        self.name = method.label
        self.prompt: Prompt = STEP_BY_STEP if reasons else READ_ONCE
        self.schema: type[Reply] = ReasonedAnswer if reasons else PageAnswer

    def answer(self, question: Question, context: Context) -> Prediction:
        """One request; without a usable reply the prediction is ``failed``."""
        context.trace.add("start", message=question.question, strategy=self.method.strategy_name)
        read = self.read(question, context)
        tokens = REASONING_REPLY_TOKENS if self.schema is ReasonedAnswer else READING_REPLY_TOKENS
        sampling = context.sampling(tokens, self.method.generation.given())
        try:
            typed = context.client.request([reading_message(question, read, self.prompt)], self.schema, sampling)
        except (BudgetExceeded, ModelError) as error:
            outcome = failure(error, self.prompt)
        else:
            reply = typed.value
            if reply is None:
                outcome = failure(ModelError(typed.error or "no reply"), self.prompt)
            else:
                context.trace.add("result", message=answer_text(reply.answer), reply=reply.model_dump(mode="json"))
                outcome = outcome_of(question, reply, read.pages, self.prompt)
        if outcome.status == "failed":
            context.trace.add("error", message=outcome.answer_long)
        row = finish(question, context, self.name, outcome, read.ranking)
        return row.model_copy(update={"uses_gold": self.uses_gold})


def reading_message(question: Question, read: PagesRead, prompt: Prompt) -> Message:
    """The evidence, the question and the prompt; where the document was cut, that is said."""
    text = f"{prompt.text}\n{CUT_DOCUMENT.text}" if read.cut else prompt.text
    return evidence_message(
        question.question, images=read.images, evidence=read.evidence, instruction=instruction_block(prompt.id, text)
    )


def failure(error: Exception, prompt: Prompt) -> Outcome:
    """The outcome of a question that nothing usable was replied to."""
    spent = isinstance(error, BudgetExceeded)
    return Outcome(
        NOT_ANSWERABLE,
        "budget" if spent else "error",
        answer_long=str(error),
        status="failed",
        reason="budget" if spent else "no_valid_output",
        prompt_ids=[prompt.ref],
    )


def outcome_of(question: Question, reply: Reply, pages: Sequence[int], prompt: Prompt) -> Outcome:
    """A reply as an outcome."""
    answer = answer_text(reply.answer) or ""
    abstains = short_answer(question.question, answer) == NOT_ANSWERABLE
    return Outcome(
        answer,
        "abstained" if abstains else "answered",
        answer_long=reply.explanation,
        confidence=read_confidence(reply.confidence),
        evidence=quoted(reply.quotes or []),
        pages_read=pages,
        prompt_ids=[prompt.ref],
    )


def quoted(quotes: Sequence[PageQuote]) -> list[Evidence]:
    """A reply's quotes as evidence."""
    return [Evidence(quote.node_id, quote.page, quote.quote, as_box(quote.bbox)) for quote in quotes]
