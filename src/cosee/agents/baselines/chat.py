"""Agents that talk in turns, with the text of the conversation as their only memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from cosee.agents.baselines.functions import majority
from cosee.agents.baselines.prompts import CHAT, CHAT_ROLES
from cosee.agents.baselines.read_once import quoted
from cosee.agents.baselines.schemas import ChatMessage
from cosee.agents.baselines.settings import ChatMethod
from cosee.agents.baselines.thresholds import CHAT_REPLY_TOKENS
from cosee.agents.context import Context, mark_calls
from cosee.agents.finish import Outcome, finish
from cosee.agents.reading import PagesRead, read_pages
from cosee.agents.replies import answer_text, read_confidence
from cosee.agents.short_answer import answer_key, short_answer
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import ModelError
from cosee.models.messages import evidence_message, history_block, instruction_block, role_block


class ChatStrategy:
    """Every agent speaks once a turn; the answer is the last speaker's, else the majority of what was answered."""

    def __init__(self, method: ChatMethod) -> None:
        self.method = method
        self.name = method.label

    def answer(self, question: Question, context: Context) -> Prediction:
        """Run the turns and finish with the answer of the conversation."""
        method = self.method
        context.trace.add("start", message=question.question, strategy=method.strategy, agents=list(method.agents))
        read = read_pages(question, context, method.pages, method.retrieval)
        talk = _Conversation(question, context, read, method)
        stopped: BudgetExceeded | None = None
        try:
            for turn in range(1, method.max_turns + 1):
                mark_calls(context, turn)
                for role in method.agents:
                    talk.speak(role, turn)
        except BudgetExceeded as exceeded:
            stopped = exceeded
            context.trace.add("status", message=str(exceeded), bound=exceeded.bound)
        return finish(question, context, self.name, self._outcome(talk, read, stopped), read.ranking)

    def _outcome(self, talk: _Conversation, read: PagesRead, stopped: BudgetExceeded | None) -> Outcome:
        outcome = Outcome(
            NOT_ANSWERABLE,
            "budget" if stopped else "max_turns",
            answer_long=talk.turns[-1]["content"] if talk.turns else "",
            reason="budget" if stopped else (None if talk.turns else "no_valid_output"),
            pages_read=read.pages,
            measures={"messages": float(len(talk.turns)), "unusable_messages": float(talk.errors)},
            prompt_ids=[CHAT.ref, *(CHAT_ROLES[role].ref for role in self.method.agents)],
        )
        chosen = talk.conclusion()
        if chosen is None:
            return replace(outcome, status="failed" if outcome.reason else "ok")
        said: ChatMessage = chosen["said"]
        answered = [answer_key(turn["answer"]) for turn in talk.turns if turn["answer"]]
        agreement = answered.count(answer_key(chosen["answer"])) / len(answered)
        return replace(
            outcome,
            answer=chosen["answer"],
            answer_long=said.message,
            confidence=read_confidence(said.confidence),
            evidence=quoted(said.quotes or []),
            status="partial" if stopped else "ok",
            measures={**outcome.measures, "agreement": agreement},
        )


class _Conversation:
    """What was said about one question."""

    def __init__(self, question: Question, context: Context, read: PagesRead, method: ChatMethod) -> None:
        self.question, self.context, self.read = question, context, read
        self.sampling = context.sampling(CHAT_REPLY_TOKENS, method.generation.given())
        self.turns: list[dict[str, Any]] = []
        self.errors = 0

    def speak(self, role: str, turn: int) -> None:
        """One message of one agent. Raises BudgetExceeded."""
        message = evidence_message(
            self.question.question,
            images=self.read.images,
            evidence=self.read.evidence,
            instruction=instruction_block(CHAT.id, CHAT.text),
            history=history_block([{key: said[key] for key in ("author", "content")} for said in self.turns])
            if self.turns
            else None,
            role=role_block(CHAT_ROLES[role].text, role),
        )
        sampling = self.sampling.model_copy(update={"sample": turn})
        try:
            reply = self.context.client.request([message], ChatMessage, sampling)
        except ModelError as error:
            said, fault = None, str(error)
        else:
            said, fault = reply.value, reply.error or "no reply"
        if said is None:
            self.errors += 1
            self.context.trace.add("error", step=turn, author=role, message=fault)
            return
        answer = answer_text(said.answer)
        short = short_answer(self.question.question, answer) if answer else ""
        content = f"{said.message} Answer: {short}" if short else said.message
        self.turns.append({"author": role, "content": content, "answer": short, "said": said})
        self.context.trace.add(
            "result", step=turn, author=role, message=content, reply=said.model_dump(mode="json", exclude_none=True)
        )

    def conclusion(self) -> Mapping[str, Any] | None:
        """The message that holds the answer: the last one where it has an answer, else the majority's first."""
        answered: Sequence[dict[str, Any]] = [turn for turn in self.turns if turn["answer"]]
        if not answered:
            return None
        if self.turns[-1]["answer"]:
            return self.turns[-1]
        return answered[majority([turn["answer"] for turn in answered])]
