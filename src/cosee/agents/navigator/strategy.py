"""The navigator as a strategy: route, split, navigate each part, put together, finish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from cosee.agents.context import Context
from cosee.agents.evidence import ground
from cosee.agents.finish import Outcome, finish
from cosee.agents.navigator.document import NavigatedDocument
from cosee.agents.navigator.loop import Navigation
from cosee.agents.navigator.memory import Memory
from cosee.agents.navigator.paths import Step, down_to
from cosee.agents.navigator.reasoner import Hypothesis
from cosee.agents.navigator.router import combine, joined, route, split, split_by_wording
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.agents.reading import search
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import ModelError


class NavigatorStrategy:
    """Planner, observers and reasoner over the document's tree."""

    def __init__(self, method: NavigatorMethod) -> None:
        self.method = method
        self.name = method.label
        self._document: NavigatedDocument | None = None

    def answer(self, question: Question, context: Context) -> Prediction:
        """Navigate until an answer stands or the bounds are reached; ends with the best answer found."""
        context.trace.add("start", message=question.question, strategy=self.method.strategy)
        if self._document is None or self._document.retriever is not context.retriever:
            self._document = NavigatedDocument(context.tree, context.retriever)
        memory = Memory(self._document, context, self.method.generation.given())
        ranking = memory.search(question.question, lambda: search(question, context))
        texts = self._parts(question, memory)
        runs: list[Navigation] = []
        for number, text in enumerate(texts, start=1):
            asked = question.model_copy(update={"question": text})
            way = route(text, self._document)
            part = number if len(texts) > 1 else 0
            told: dict[str, Any] = {"part": part, "question": text} if part else {}
            context.trace.add("decision", author="router", message=way.kind, reason=way.reason, **told)
            runs.append(Navigation(asked, memory, self.method, way, part))
            runs[-1].run()
            if runs[-1].reason is not None:
                break
        hypothesis = runs[0].best if len(texts) == 1 else _together(question, runs, len(texts), memory)
        return finish(question, context, self.name, _outcome(runs, hypothesis, memory), ranking)

    def _parts(self, question: Question, memory: Memory) -> list[str]:
        """The question, or the parts of a compound one; a router that fails splits nothing."""
        limit = self.method.sub_questions
        if limit < 2 or not split_by_wording(question.question):
            return [question.question]
        try:
            parts = split(question.question, memory, limit)
        except (ModelError, BudgetExceeded) as error:
            memory.context.trace.add("error", author="router", message=str(error))
            return [question.question]
        if len(parts) > 1:
            memory.context.trace.add("decision", author="router", message="split", sub_questions=parts)
        return parts


def _together(question: Question, runs: Sequence[Navigation], wanted: int, memory: Memory) -> Hypothesis | None:
    """One answer for the whole question; where no model can put the parts together, theirs one after another."""
    parts = [(run.question.question, run.best) for run in runs if run.best is not None]
    if not parts:
        return None
    hypothesis, fault, last = None, "", runs[-1]
    if len(parts) == wanted:
        read = list(dict.fromkeys(each for run in runs for each in run.observed))
        try:
            hypothesis = combine(question.question, parts, memory, read)
            fault = "" if hypothesis is not None else "no usable reply"
        except BudgetExceeded as exceeded:
            fault, last.exit_reason, last.reason = str(exceeded), "budget", "budget"
        except ModelError as error:
            fault = str(error)
    if fault:
        memory.context.trace.add("error", author="combiner", message=fault)
        last.reason = last.reason or "no_valid_output"
    hypothesis = hypothesis or joined(parts)
    memory.context.trace.add("result", author="combiner", message=hypothesis.answer, confidence=hypothesis.confidence)
    return hypothesis


def _outcome(runs: Sequence[Navigation], hypothesis: Hypothesis | None, memory: Memory) -> Outcome:
    last = runs[-1]
    pages = sorted({int(each.data["page"]) for each in memory.observations.values()})
    evidence = hypothesis.evidence if hypothesis is not None and not hypothesis.abstains else ()
    grounded = [ground(memory.document.tree, piece, pages) for piece in evidence]
    cited = dict.fromkeys(piece.node_id for piece in grounded if piece is not None and piece.node_id)
    paths = [{"node_id": each, "steps": [step.model_dump() for step in path_to(memory, each)]} for each in cited]
    outcome = Outcome(
        NOT_ANSWERABLE,
        last.exit_reason,
        reason=last.reason,
        pages_read=pages,
        measures={
            "observed_nodes": len(memory.observations),
            "parts": len(runs),
            "replans": sum(run.replans for run in runs),
            "searches": len(memory.searches),
        },
        details={"path": paths},
        prompt_ids=list(memory.prompts),
    )
    if hypothesis is None:
        return replace(outcome, status="failed" if last.reason else "ok")
    return replace(
        outcome,
        answer=hypothesis.answer,
        answer_long=hypothesis.explanation,
        confidence=hypothesis.confidence,
        evidence=hypothesis.evidence,
        status="partial" if last.reason else "ok",
    )


def path_to(memory: Memory, node_id: str) -> tuple[Step, ...]:
    """How a node was reached; for a node that was not observed (it holds a quote, too), the way down the tree."""
    return memory.paths.get(node_id) or down_to(memory.document.tree, node_id)
