"""CoSee as a strategy: retrieved pages, three roles over one board, one prediction."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from cosee.agents.context import Context, mark_calls
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.controller import CoSeeController, answer_of, confidence_of
from cosee.agents.cosee.grounded import GroundedAgent, act_together
from cosee.agents.cosee.measures import collaboration_measures
from cosee.agents.cosee.prompts import ACTION_RULES, ROLE_PROMPTS
from cosee.agents.cosee.settings import CoSeeMethod
from cosee.agents.evidence import Evidence
from cosee.agents.finish import Outcome, finish
from cosee.agents.reading import PagesRead, read_pages
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.results.prediction import Prediction, Status


class CoSeeStrategy:
    """Role agents collaborate over a shared board."""

    def __init__(self, method: CoSeeMethod) -> None:
        self.method = method
        self.name = method.label

    def answer(self, question: Question, context: Context) -> Prediction:
        """Run the rounds on the retrieved pages and finish with the chosen hypothesis."""
        method = self.method
        context.trace.add("start", message=question.question, strategy=method.strategy, agents=list(method.agents))
        read = read_pages(question, context, method.pages, method.retrieval)
        agents = [GroundedAgent(role, context, read.evidence, method) for role in method.agents]
        controller = CoSeeController(
            agents,
            method.max_steps,
            method.generation.given(),
            order=method.order,
            act_together=act_together,
            stop_confidence=method.stop_confidence,
            stop_agreement=method.stop_agreement,
            evidence_counts=True,
        )
        pictured = {image.page: image for image in read.images}
        per_agent = {str(role): settings.given() for role, settings in method.agent_generation.items()}
        result = controller.run(
            [pictured.get(page) for page in read.pages],  # None for a page that is read as text alone
            question.question,
            per_agent,
            pages=read.pages,
            trace=context.trace,
            on_round=partial(mark_calls, context),
        )
        return finish(question, context, self.name, self._outcome(result, read), read.ranking)

    def _outcome(self, result: Mapping[str, Any], read: PagesRead) -> Outcome:
        board: Board = result["board"]
        chosen: Mapping[str, Any] | None = result["chosen"]
        status, reason = _status(result, len(board))
        outcome = Outcome(
            NOT_ANSWERABLE,
            result["exit_reason"],
            status=status,
            reason=reason,
            pages_read=read.pages,
            measures={
                **collaboration_measures(board, read.pages),
                "rounds": float(result["steps"]),
                "unusable_actions": float(result["errors"]),
            },
            prompt_ids=[ACTION_RULES.ref, *(ROLE_PROMPTS[role].ref for role in self.method.agents)],
        )
        if chosen is None:
            return outcome
        return replace(
            outcome,
            answer=answer_of(chosen),
            answer_long="\n".join(part for part in (str(chosen["content"]), str(result["because"])) if part),
            confidence=confidence_of(chosen),
            evidence=_evidence(chosen, board),
        )


def _status(result: Mapping[str, Any], cells: int) -> tuple[Status, str | None]:
    """``failed`` where no agent ever made a usable move or the budget left no answer at all, ``partial`` where the
    budget cut the rounds short."""
    if result["exit_reason"] == "budget":
        return ("failed" if result["chosen"] is None else "partial"), "budget"
    if result["errors"] and not cells:
        return "failed", "no_valid_output"
    return "ok", None


def _evidence(chosen: Mapping[str, Any], board: Board) -> list[Evidence]:
    """Places that carry the answer: the hypothesis' own, and those of the cells that it names."""
    places = [(chosen["view"], chosen)]
    for cell_id in chosen.get("supporting_cells", []):
        if (cell := board.get_cell(cell_id)) is not None:
            places.append((cell["view"], cell.get("details", {})))
    found: list[Evidence] = []
    for view, said in places:
        if said.get("node_id") or said.get("quote") or view.get("bbox"):
            found.append(Evidence(said.get("node_id"), view["page"], str(said.get("quote") or ""), view.get("bbox")))
        found += [
            Evidence(place.get("node_id"), place.get("page"), str(place.get("quote") or ""))
            for place in said.get("further_quotes", [])
        ]
    return found
