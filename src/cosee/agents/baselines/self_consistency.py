"""Self-consistency: several sampled readings that reason step by step, and the majority of their answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from cosee.agents.baselines.functions import SAMPLED, majority
from cosee.agents.baselines.prompts import STEP_BY_STEP
from cosee.agents.baselines.read_once import failure, outcome_of, reading_message
from cosee.agents.baselines.schemas import ReasonedAnswer
from cosee.agents.baselines.settings import SelfConsistencyMethod
from cosee.agents.baselines.thresholds import REASONING_REPLY_TOKENS
from cosee.agents.context import Context
from cosee.agents.finish import Outcome, finish
from cosee.agents.reading import read_pages
from cosee.agents.replies import answer_text
from cosee.agents.short_answer import answer_key, short_answer
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import Failure, ModelError, TypedReply


class SelfConsistencyStrategy:
    """``samples`` readings of the same pages, drawn apart and sent as one batch."""

    def __init__(self, method: SelfConsistencyMethod) -> None:
        self.method = method
        self.name = method.label

    def answer(self, question: Question, context: Context) -> Prediction:
        """The answer that most readings share, with the first of them that gave it; its confidence is their share."""
        method = self.method
        context.trace.add("start", message=question.question, strategy=method.strategy, samples=method.samples)
        read = read_pages(question, context, method.pages, method.retrieval)
        sampling = context.sampling(REASONING_REPLY_TOKENS, {**SAMPLED, **method.generation.given()})
        message = reading_message(question, read, STEP_BY_STEP)
        replies = context.client.request_many(
            [[message]] * method.samples,
            ReasonedAnswer,
            [sampling.model_copy(update={"sample": number}) for number in range(method.samples)],
        )
        return finish(question, context, self.name, self._outcome(question, context, replies, read.pages), read.ranking)

    def _outcome(
        self,
        question: Question,
        context: Context,
        replies: Sequence[TypedReply[ReasonedAnswer] | Failure],
        pages: Sequence[int],
    ) -> Outcome:
        said: list[ReasonedAnswer] = []
        faults: list[Exception] = []
        for number, reply in enumerate(replies, start=1):
            if isinstance(reply, TypedReply) and reply.value is not None:
                said.append(reply.value)
                text = answer_text(reply.value.answer)
                context.trace.add(
                    "result", author=f"sample {number}", message=text, reply=reply.value.model_dump(mode="json")
                )
            else:
                fault = ModelError(reply.error or "no reply") if isinstance(reply, TypedReply) else reply
                faults.append(fault)
                context.trace.add("error", author=f"sample {number}", message=str(fault))
        if not said:
            return failure(faults[0], STEP_BY_STEP)
        answers = [short_answer(question.question, answer_text(each.answer) or "") for each in said]
        chosen = majority(answers)
        agreeing = sum(answer_key(answer) == answer_key(answers[chosen]) for answer in answers)
        context.trace.add("decision", message=answers[chosen], answers=answers, agreeing=agreeing, of=len(replies))
        outcome = outcome_of(question, said[chosen], pages, STEP_BY_STEP)
        spent = any(isinstance(fault, BudgetExceeded) for fault in faults)
        return replace(
            outcome,
            confidence=agreeing / len(replies),
            exit_reason="budget" if spent else outcome.exit_reason,
            status="partial" if faults else "ok",
            reason=("budget" if spent else "no_valid_output") if faults else None,
            measures={"samples": float(len(said)), "agreement": agreeing / len(said)},
        )
