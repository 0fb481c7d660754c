"""The decision agent as a strategy: one question, one state, one prediction."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from cosee.agents.baselines.read_once import quoted
from cosee.agents.baselines.schemas import PageQuote
from cosee.agents.context import Context
from cosee.agents.decision.decision import DecisionAgent
from cosee.agents.decision.orchestrator import Orchestrator
from cosee.agents.decision.prompts import ANSWER, DECIDE, INTERPRET, SUMMARIZE
from cosee.agents.decision.settings import DecisionMethod
from cosee.agents.decision.tool import Services, Tool, in_thread, make_tools
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.finish import Outcome, finish
from cosee.agents.prompts import EXTRACT
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction

PROMPTS = (DECIDE, ANSWER, INTERPRET, SUMMARIZE, EXTRACT)


class DecisionStrategy:
    """A model picks tools until it can answer."""

    def __init__(self, method: DecisionMethod) -> None:
        self.method = method
        self.name = method.label

    def answer(self, question: Question, context: Context) -> Prediction:
        """A conversation of one question, in an event loop of its own."""
        return asyncio.run(self.converse(question, context, new_state(question, context)))

    async def converse(self, question: Question, context: Context, tree_data: TreeData) -> Prediction:
        """Answer ``tree_data.user_prompt``; the turn is added to the conversation's history.

        Seconds of each tool go to ``tree_data.tasks_completed`` and to ``context.measured``, nowhere else.
        """
        services = Services(question, context, self.method.generation.given())
        tools = make_tools(services)
        context.trace.add(
            "start",
            message=question.question,
            strategy=self.method.strategy,
            tools=[tool.name for tool in tools],
            collections=tree_data.collection_names,
        )
        orchestrator = Orchestrator(tools, DecisionAgent(services), tree_data, self.method.max_iterations)
        reason = await orchestrator.run()
        context.measured.update(tree_data.tasks_completed)
        sent = [prompt.ref for prompt in PROMPTS if prompt.id in services.prompts]
        outcome = _outcome(tree_data, reason, orchestrator, tools, sent)
        for tool in tools:
            if tool.end:  # its answer goes into the history: it is no evidence for what is asked next
                tree_data.environment.environment.pop(tool.name, None)
        # The answer was extracted before it was streamed, so that the tokens are the answer.
        apart = replace(context, extractor=False)
        prediction = await in_thread(finish, question, apart, self.name, outcome, services.ranking())
        tree_data.conversation_history += [
            {"author": "user", "content": question.question},
            {"author": "assistant", "content": prediction.answer},
        ]
        return prediction


def new_state(question: Question, context: Context) -> TreeData:
    """The state before anything was done."""
    return TreeData(user_prompt=question.question, collection_names=sorted(context.retriever.index.views))


def _outcome(
    tree_data: TreeData, reason: str, orchestrator: Orchestrator, tools: list[Tool], prompt_ids: list[str]
) -> Outcome:
    """The last answer with its evidence; without one the question failed."""
    ends = [tool.name for tool in tools if tool.end]
    entries = [entry for name in ends for entry in tree_data.environment.find(name, "answer") or []]
    pages = dict.fromkeys(
        int(value["page_number"]) for value in tree_data.environment.objects() if value.get("page_number")
    )
    outcome = Outcome(
        NOT_ANSWERABLE,
        reason,
        pages_read=list(pages),
        measures={
            "iterations": float(orchestrator.step),
            "refused_decisions": float(orchestrator.refused),
            "tool_calls": float(sum(map(len, tree_data.tasks_completed.values()))),
            "pages_seen": float(len(pages)),
        },
        prompt_ids=prompt_ids,
    )
    spent = reason == "budget"
    if not entries:
        return replace(outcome, status="failed", reason="budget" if spent else "no_valid_output")
    said = entries[-1]["objects"][0]
    return replace(
        outcome,
        answer=said["answer"],
        exit_reason="abstained" if reason == "answered" and not said["sufficient"] else reason,
        answer_long=said["explanation"],
        confidence=said["confidence"],
        evidence=quoted([PageQuote.model_validate(quote) for quote in said["quotes"]]),
        status="partial" if spent else "ok",
        reason="budget" if spent else None,
    )
