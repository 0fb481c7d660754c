"""Plan, observe, reason, and plan again: the loop over one question or one part of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cosee.agents.context import mark_calls
from cosee.agents.navigator.memory import Memory, Observation
from cosee.agents.navigator.observers import observe
from cosee.agents.navigator.paths import reach
from cosee.agents.navigator.planner import Feedback, Plan, Planner
from cosee.agents.navigator.reasoner import Hypothesis, better, reason
from cosee.agents.navigator.rewriting import rewritten
from cosee.agents.navigator.router import Route
from cosee.agents.navigator.settings import NavigatorMethod
from cosee.agents.navigator.thresholds import MAX_PLACES_NAMED, MAX_TRACED_CHARACTERS, MAX_TRACED_QUOTES, RANK_OFFSET
from cosee.agents.reading import search
from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import ModelError
from cosee.retrieval.ranking import Ranking


@dataclass
class Navigation:
    """One run of the loop. ``part`` is the number of a compound question's part, 0 for a question that is not split."""

    question: Question
    memory: Memory
    method: NavigatorMethod
    route: Route
    part: int = 0
    best: Hypothesis | None = None
    observed: list[str] = field(default_factory=list)
    """Ids of the nodes that this run has read, in order; they may have been observed by another part."""
    replans: int = 0
    exit_reason: str = "answered"
    reason: str | None = None
    """Why the run has no answer, or not a full one: ``budget`` or ``no_valid_output``."""

    def run(self) -> None:
        """Rounds until an answer stands, the bounds are reached, or every place was visited; never raises."""
        self.planner = Planner(self.question.question, self.memory, self.method.pages)
        try:
            self._rounds()
        except BudgetExceeded as exceeded:
            self._note("error", 0, str(exceeded))
            self.exit_reason, self.reason = "budget", "budget"
        except ModelError as error:
            self._note("error", 0, str(error))
            self.exit_reason, self.reason = "error", "no_valid_output"

    def _rounds(self) -> None:
        feedback: Feedback | None = None
        for step in range(1, self.method.max_rounds + 1):
            mark_calls(self.memory.context, step)
            plan = self._plan(step, feedback)
            if plan is None:
                self.exit_reason = "exhausted"
                return
            self._observe(plan, step)
            if not self.observed:
                feedback = Feedback("There is nothing to read at the places of the plan.")
                self._replan(feedback, step)
                continue
            hypothesis, fault = reason(
                self.question.question,
                self.memory,
                self.observed,
                step=step,
                replan_below=self.method.replan_below,
            )
            if hypothesis is None:
                self._note("error", step, fault, author="reasoner")
                self.exit_reason, self.reason = "error", "no_valid_output"
                return
            self._note_hypothesis(hypothesis, step)
            self.best = better(self.best, hypothesis)
            feedback = hypothesis.replan
            if feedback is None or "planner" in self.memory.context.without:
                self.exit_reason = "answered"
                return
            self._replan(feedback, step)
        self.exit_reason = "max_rounds"

    def _replan(self, feedback: Feedback, step: int) -> None:
        if step < self.method.max_rounds:
            self._note("replan", step, feedback.reason, author="reasoner", look_for=feedback.look_for)
            self.replans += 1

    def _plan(self, step: int, feedback: Feedback | None) -> Plan | None:
        if step == 1 and self.route.directives:
            plan: Plan | None = self.planner.follow(self.route.directives, self.route.reason)
        elif "planner" in self.memory.context.without:
            plan = self.planner.by_rank(self._ranking(step, feedback))
        else:
            plan = self.planner.plan(self._ranking(step, feedback), step, feedback)
        for fault in self.planner.faults:
            self._note("error", step, fault, author="planner")
        self.planner.faults.clear()
        if plan is not None:
            self._note(
                "plan", step, plan.thought, author=plan.by, candidates=list(plan.candidates),
                directives=[each.model_dump() for each in plan.directives[:MAX_PLACES_NAMED]],
                dropped=list(plan.dropped),
            )  # fmt: skip
        return plan

    def _ranking(self, step: int, feedback: Feedback | None) -> Ranking:
        """The search of this round: the question itself, or after a replan also the query rewritten from what is
        missing, the pages of both taken together."""
        text = self.question.question
        first = self.memory.search(text, lambda: search(self.question, self.memory.context), step)
        if feedback is None:
            return first
        query = rewritten(text, feedback.look_for)
        return merged(self.memory.search(query, lambda: self.memory.context.retriever.search(query), step), first)

    def _observe(self, plan: Plan, step: int) -> None:
        known = dict(self.memory.observations)
        reached = [each for directive in plan.directives for each in reach(self.memory.document, directive)]
        limit = max(self.method.nodes, len(plan.directives))
        try:
            ids, faults = observe(self.memory, reached, self.question.question, nodes=limit, images=self.method.images)
        except (ModelError, BudgetExceeded) as error:  # the figures stay unseen; what is told of them is observed
            ids = list(dict.fromkeys(each for each, _ in reached if each in self.memory.observations))
            faults = [str(error)]
        self.observed = list(dict.fromkeys([*self.observed, *ids]))
        for fault in faults:
            self._note("error", step, fault, author="image_observer")
        fresh = [each for each in ids if self.memory.observations[each] is not known.get(each)]
        self._note_observations([self.memory.observations[each] for each in fresh], step)
        cached = [each for each in ids if each in known and each not in fresh]
        if cached:
            message = f"{len(cached)} nodes were observed before"
            self._note("status", step, message, author="memory", nodes=cached[:MAX_PLACES_NAMED])

    def _note_observations(self, fresh: Sequence[Observation], step: int) -> None:
        """One event a modality: what was observed, text cut short (the tree has the rest)."""
        for modality in ("text", "table", "image"):
            if seen := [each for each in fresh if each.modality == modality]:
                pages = sorted({int(each.data["page"]) for each in seen})
                message = f"{len(seen)} nodes on page {', '.join(map(str, pages))}"
                records = [_shortened(each) for each in seen]
                self._note("observation", step, message, author=f"{modality}_observer", observations=records)

    def _note_hypothesis(self, hypothesis: Hypothesis, step: int) -> None:
        self._note(
            "hypothesis",
            step,
            hypothesis.answer,
            author="reasoner",
            confidence=hypothesis.confidence,
            support_nodes=list(hypothesis.support),
            quotes=[piece.quote for piece in hypothesis.evidence if piece.quote][:MAX_TRACED_QUOTES],
            dropped=list(hypothesis.dropped),
        )

    def _note(self, type: str, step: int, message: str, author: str | None = None, **data: object) -> None:
        part = {"part": self.part} if self.part else {}
        self.memory.context.trace.add(type, step=step, author=author, message=message, **part, **data)  # type: ignore[arg-type]


def merged(first: Ranking, second: Ranking) -> Ranking:
    """Two rankings of pages as one by reciprocal ranks, with the hits of the first before those of the second."""
    votes: dict[int, float] = {}
    for pages in (first.pages, second.pages):
        for rank, page in enumerate(pages, start=1):
            votes[page] = votes.get(page, 0.0) + 1 / (RANK_OFFSET + rank)
    pages = sorted(votes, key=lambda page: (-votes[page], page))
    hits = {hit.node_id: hit for hit in (*second.hits, *first.hits)}
    order = dict.fromkeys([hit.node_id for hit in first.hits] + [hit.node_id for hit in second.hits])
    return Ranking([hits[each] for each in order], pages, [round(votes[page], 6) for page in pages])


def _shortened(observation: Observation) -> dict[str, object]:
    """An observation as a record, with the long texts of its payload cut and without the cells of a table."""
    payload = {
        name: f"{value[:MAX_TRACED_CHARACTERS]}…"
        if isinstance(value, str) and len(value) > MAX_TRACED_CHARACTERS
        else value
        for name, value in observation.payload.items()
        if name != "cells"
    }
    return {**observation.as_record(), "payload": payload}
