"""The planner: which places of the tree to read next, chosen from summaries and headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from cosee.agents.evidence import known_node
from cosee.agents.navigator.memory import Memory
from cosee.agents.navigator.paths import Directive
from cosee.agents.navigator.prompts import HEADINGS_TOPK, HIT_SUMMARY, PLANNER
from cosee.agents.navigator.rewriting import hints_for
from cosee.agents.navigator.schemas import PlanReply
from cosee.agents.navigator.thresholds import (
    MAX_FEEDBACK_CHARACTERS,
    MAX_PLACES_NAMED,
    MAX_PLAN_CHARACTERS,
    PLAN_REPLY_TOKENS,
)
from cosee.agents.navigator.windows import headings_topk, hit_summary, page_name
from cosee.models.blocks import Message
from cosee.models.calls import ModelError
from cosee.models.messages import as_data, evidence_message, history_block, instruction_block, role_block
from cosee.retrieval.ranking import Ranking

_PAGE_NUMBER = re.compile(r"(?:page[ _]?)?(\d{1,6})", re.IGNORECASE)
# General knowledge: the ids of pages in our own trees.
_PAGE_ID = re.compile(r"P\d+")


@dataclass(frozen=True)
class Feedback:
    """Why the last plan was not enough, and words under which to search on."""

    reason: str
    look_for: str = ""


@dataclass(frozen=True)
class Plan:
    """Where to go, in order. ``dropped`` names what the reply held and the tree, or the visits made, do not allow."""

    directives: tuple[Directive, ...]
    by: str
    """``planner``, or ``rule``."""
    thought: str = ""
    candidates: tuple[str, ...] = ()
    """Ids as the reply ranks them, those that exist."""
    dropped: tuple[str, ...] = ()


@dataclass
class Planner:
    """Plans for one question or a part of one; remembers where it went."""

    question: str
    memory: Memory
    places: int
    """Places that one plan may go to."""
    visited: dict[str, str] = field(default_factory=dict)
    """Place -> the action with which it was visited."""
    faults: list[str] = field(default_factory=list)

    def plan(self, ranking: Ranking, step: int, feedback: Feedback | None) -> Plan | None:
        """The next plan: the model's, or the best places not yet visited where it names none; None where all were.

        Raises:
            BudgetExceeded: from a metered client.
        """
        reply: PlanReply | None = None
        dropped: list[str] = []
        try:
            typed = self.memory.request(self.message(ranking, step, feedback), PlanReply, PLAN_REPLY_TOKENS)
            reply = typed.value
            if reply is None:
                self.faults.append(typed.error or "no reply")
        except ModelError as error:
            self.faults.append(str(error))
        if reply is not None:
            wanted = [(each.action, each.target) for each in reply.directives]
            wanted += [("MOVE_TO", each) for each in reply.candidates]
            directives, dropped = self._allowed(wanted)
            if directives:
                known = [place for each in reply.candidates if (place := place_of(self.memory, each))]
                ranked = tuple(dict.fromkeys(known))
                return self._go(Plan(tuple(directives), "planner", reply.thought, ranked, tuple(dropped)))
        return self.by_rank(ranking, dropped)

    def follow(self, directives: Sequence[Directive], thought: str) -> Plan:
        """A plan that the router made by rule."""
        return self._go(Plan(tuple(directives), "rule", thought))

    def by_rank(self, ranking: Ranking, dropped: Sequence[str] = ()) -> Plan | None:
        """The best pages not yet visited; where the search found none, the first of the document."""
        ranked = list(dict.fromkeys([*ranking.pages, *range(1, len(self.memory.document.tree.pages) + 1)]))
        fresh = [f"P{page - 1}" for page in ranked if f"P{page - 1}" not in self.visited][: self.places]
        directives = [Directive(target=each) for each in fresh if self.memory.document.page_of(each) is not None]
        return (
            self._go(Plan(tuple(directives), "rule", "the best places left", dropped=tuple(dropped)))
            if directives
            else None
        )

    def _go(self, plan: Plan) -> Plan:
        self.visited.update({each.target: each.action for each in plan.directives})
        return plan

    def _allowed(self, wanted: Sequence[tuple[str, str]]) -> tuple[list[Directive], list[str]]:
        """Directives to known places that were not visited, each place once, and what was dropped and why."""
        kept: dict[str, Directive] = {}
        dropped: list[str] = []
        for action, name in wanted:
            target = place_of(self.memory, name)
            if target is None:
                dropped.append(f"{name!r:.60} is in no place of the document")
            elif target in self.visited and not self._goes_deeper(action, target):
                dropped.append(f"{target} was visited")
            elif target not in kept and len(kept) < self.places:
                kept[target] = Directive.model_validate({"action": action, "target": target})
        return list(kept.values()), list(dict.fromkeys(dropped))

    def _goes_deeper(self, action: str, target: str) -> bool:
        """Whether a section that was visited is now to be expanded."""
        node = self.memory.document.tree.by_id.get(target)
        moved = self.visited[target] == "MOVE_TO" and action == "EXPAND_CHILDREN"
        return moved and node is not None and node.type == "section"

    def message(self, ranking: Ranking, step: int, feedback: Feedback | None) -> Message:
        """The planner's prompt: hits, headings, question, what is missing, role; bounded whatever the document."""
        hits = hit_summary(self.memory, ranking, self.visited, MAX_PLAN_CHARACTERS * 2 // 3)
        used = sum(len(block.text) for block in hits)
        shown = {*self.visited, *(block.data["node_id"] for block in hits)}
        headings = headings_topk(self.memory, ranking, shown, MAX_PLAN_CHARACTERS - used)
        self.memory.note_prompts(PLANNER, HIT_SUMMARY, *([HEADINGS_TOPK] if headings else []))
        evidence = [instruction_block(HIT_SUMMARY.id, HIT_SUMMARY.text), *hits]
        if headings:
            evidence += [instruction_block(HEADINGS_TOPK.id, HEADINGS_TOPK.text), *headings]
        hints = "; ".join(hints_for(self.question))
        lines = [f"Name at most {self.places} places.", f"Hints: {as_data(hints)}." if hints else ""]
        return evidence_message(
            self.question,
            evidence=evidence,
            instruction=instruction_block(
                "navigator.plan", " ".join(filter(None, lines)), step=step, places=self.places
            ),
            history=history_block(_feedback_turns(feedback, self.visited)) if feedback else None,
            role=role_block(PLANNER.text, "planner"),
        )


def _feedback_turns(feedback: Feedback, visited: Collection[str]) -> list[dict[str, str]]:
    turns = [{"author": "reasoner", "content": feedback.reason[:MAX_FEEDBACK_CHARACTERS]}]
    if feedback.look_for:
        turns.append({"author": "look for", "content": feedback.look_for[:MAX_FEEDBACK_CHARACTERS]})
    names = [page_name(int(each[1:]) + 1) if _PAGE_ID.fullmatch(each) else each for each in visited]
    return [*turns, {"author": "visited", "content": ", ".join(names[-MAX_PLACES_NAMED:])}]


def place_of(memory: Memory, name: str) -> str | None:
    """The place that a model's words mean: a page by its number, a node's id in any case, without variant; or None.

    ``page_4``, ``page 4`` and ``4`` are the fourth page, whose id is ``P3``.
    """
    plain = name.strip()
    numbered = _PAGE_NUMBER.fullmatch(plain)
    page = f"P{int(numbered[1]) - 1}" if numbered else plain.upper()
    if memory.document.page_of(page) is not None:
        return page
    node = known_node(memory.document.tree, plain)
    return node.id if node is not None and memory.document.readable(node.id) and node.type != "document" else None
