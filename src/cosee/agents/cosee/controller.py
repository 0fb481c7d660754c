"""The controller of a collaboration: rounds, board, stopping and the final answer."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from cosee.agents.cosee.actions import HYPOTHESIZE, LINK, REVISE, Action, validate
from cosee.agents.cosee.agent import Agent
from cosee.agents.cosee.board import Board
from cosee.agents.cosee.thresholds import MAX_UNUSABLE_CHARACTERS
from cosee.agents.replies import read_confidence
from cosee.agents.short_answer import answer_key
from cosee.agents.thresholds import UNSTATED_CONFIDENCE, UNSUPPORTED_CONFIDENCE
from cosee.artifacts.results.trace import BudgetExceeded, Trace
from cosee.models.calls import Failure, ModelError

log = logging.getLogger(__name__)


ActTogether = Callable[..., list[Action | Failure]]
"""Asks several agents at once, before anything is written: an action each, or what its step raised."""


class CoSeeController:
    """Runs agents over a shared board. One controller may run many questions, one after the other.

    ``order`` ``sequential`` lets an agent see what was written earlier in its round; ``parallel`` shows all of them
    the board as the round began, and has ``act_together``, where it is given, ask them at once. ``stop_agreement`` is
    how many agents with the same answer end the rounds. With ``evidence_counts`` a hypothesis whose evidence was not
    found in the document ends no round by its confidence and is chosen by half of it: a model's word for its confidence
    is none. ``error_cells`` writes a cell for an action that cannot be used; ``keep_trace`` False leaves the trace out.
    """

    def __init__(
        self,
        agents: Sequence[Agent],
        max_steps: int = 3,
        default_gen_kwargs: dict[str, Any] | None = None,
        *,
        order: Literal["sequential", "parallel"] = "sequential",
        act_together: ActTogether | None = None,
        stop_confidence: float = 0.8,
        stop_agreement: int = 2,
        evidence_counts: bool = False,
        error_cells: bool = False,
        keep_trace: bool = True,
    ) -> None:
        self.agents = list(agents)
        self.max_steps = max_steps
        self.default_gen_kwargs = dict(default_gen_kwargs or {})
        self.order = order
        self.act_together = act_together
        self.stop_confidence = stop_confidence
        self.stop_agreement = stop_agreement
        self.evidence_counts = evidence_counts
        self.error_cells = error_cells
        self.keep_trace = keep_trace

    def validate_action(
        self, action: Action, *, board: Board | None = None, pages: Sequence[int] | None = None
    ) -> Action | None:
        """The action with safe defaults, or None; never raises. Without ``board`` cell ids are not looked up."""
        return validate(action, board, pages)[0]

    def apply_action(self, board: Board, action: Action, step: int, author: str) -> int | None:
        """Write a validated action on the board and return the new cell's id; None where it cannot be written.

        Every action adds a cell: LINK one tagged ``link``, HYPOTHESIZE ``hypothesis``, REVISE ``correction``, the
        last two naming their target. Nothing that is on the board changes.
        """
        valid, _ = validate(action, board)
        if valid is None:
            return None
        name, content, target = valid["action"], valid["content"], valid.get("target_cell_id")
        tags = {LINK: ["link"], HYPOTHESIZE: ["hypothesis"], REVISE: ["correction"]}.get(name, [])
        answer = valid.get("answer")
        if answer and answer not in content:
            content = f"{content} Answer: {answer}"
        if name == LINK:
            content = f"Link to #{target}: {content}"
        elif name == REVISE:
            content = f"Correction of #{target}: {content}"
        kept = (
            "action", "target_cell_id", "supporting_cells", "answer", "confidence", "quote", "node_id",
            "quote_verified", "further_quotes", "zoom",
        )  # fmt: skip
        details = {key: valid[key] for key in kept if valid.get(key) not in (None, [])}
        return board.add_cell(
            valid["view"], content, list(dict.fromkeys([*tags, *valid["tags"]])), author, step, details=details
        )

    def should_stop(self, step: int, hypotheses: Sequence[Mapping[str, Any]], board: Board) -> bool:
        """Whether the rounds end: a confident hypothesis, agreement of several agents, or the last round."""
        return self.stop_reason(step, hypotheses, board) is not None

    def stop_reason(self, step: int, hypotheses: Sequence[Mapping[str, Any]], board: Board) -> str | None:
        """``confidence``, ``agreement``, ``max_steps`` or None. Hypotheses that were revised do not count."""
        standing = standing_hypotheses(hypotheses, board)
        trusted = [each for each in standing if not self.evidence_counts or is_verified(each, board)]
        if any(confidence_of(hypothesis) >= self.stop_confidence for hypothesis in trusted):
            return "confidence"
        voters: dict[str, set[Any]] = {}
        for index, hypothesis in enumerate(standing):
            voters.setdefault(answer_key(answer_of(hypothesis)), set()).add(hypothesis.get("author", index))
        if any(len(authors) >= self.stop_agreement for authors in voters.values()):
            return "agreement"
        return "max_steps" if step >= self.max_steps else None

    def decide_final_answer(
        self, hypotheses: Sequence[Mapping[str, Any]], board: Board, fallback_answer: str = ""
    ) -> str:
        """The answer of the hypothesis that ``choose`` picks, or ``fallback_answer``."""
        chosen = self.choose(hypotheses, board)
        return fallback_answer if chosen is None else answer_of(chosen)

    def choose(self, hypotheses: Sequence[Mapping[str, Any]], board: Board) -> Mapping[str, Any] | None:
        """The standing hypothesis of highest confidence; ties go to the answer that most hypotheses share, then to the
        hypothesis that most cells of the board support, then to the first. None without any hypothesis.

        Where all were revised, the choice is among all of them. With ``evidence_counts`` the confidence of one that
        nothing in the document was found for is halved, as it is in the prediction: an abstention, which has no
        evidence, gives way to an answer that is borne out.
        """
        candidates = standing_hypotheses(hypotheses, board) or list(hypotheses)
        votes = Counter(answer_key(answer_of(hypothesis)) for hypothesis in candidates)

        def weight(hypothesis: Mapping[str, Any]) -> tuple[float, int, int]:
            known = {cell for cell in hypothesis.get("supporting_cells", []) if board.get_cell(cell) is not None}
            doubted = self.evidence_counts and not is_verified(hypothesis, board)
            trust = UNSUPPORTED_CONFIDENCE if doubted else 1.0
            return trust * confidence_of(hypothesis), votes[answer_key(answer_of(hypothesis))], len(known)

        return max(candidates, key=weight, default=None)

    def run(
        self,
        images: Sequence[Any],
        question: str,
        per_agent_gen_kwargs: Mapping[str, dict[str, Any]] | None = None,
        *,
        pages: Sequence[int] | None = None,
        trace: Trace | None = None,
        on_round: Callable[[int], None] | None = None,
    ) -> dict[str, Any]:
        """One question from an empty board.

        Returns ``answer``, ``board``, ``hypotheses``, ``trace`` (None where it is switched off), ``because`` (text of
        the supporting cells, not part of the answer), ``chosen`` (the deciding hypothesis or None), ``exit_reason``
        (``confidence``, ``agreement``, ``max_steps``, ``budget``), ``steps`` and ``errors``. ``pages`` names each
        image's document page (1-based, default 1..len(images)); events go to ``trace`` where one is given, and
        ``on_round`` is called with the number of each round before its agents are asked.
        """
        episode = _Episode(self, images, question, per_agent_gen_kwargs or {}, pages, trace or Trace())
        reason: str | None = None
        step = 0
        while reason is None and step < self.max_steps:
            step += 1
            if on_round is not None:
                on_round(step)
            try:
                episode.play_round(step)
            except BudgetExceeded as exceeded:
                episode.trace.add("status", step=step, message=str(exceeded), bound=exceeded.bound)
                reason = "budget"
                break
            reason = self.stop_reason(step, episode.hypotheses, episode.board)
        board, hypotheses = episode.board, episode.hypotheses
        chosen = self.choose(hypotheses, board)
        return {
            "answer": answer_of(chosen) if chosen else "",
            "board": board,
            "hypotheses": hypotheses,
            "trace": episode.trace if self.keep_trace else None,
            "because": because(chosen, board) if chosen else "",
            "chosen": chosen,
            "exit_reason": reason or "max_steps",
            "steps": step,
            "errors": episode.errors,
        }


class _Episode:
    """What changes while one question is answered."""

    def __init__(
        self,
        controller: CoSeeController,
        images: Sequence[Any],
        question: str,
        per_agent: Mapping[str, dict[str, Any]],
        pages: Sequence[int] | None,
        trace: Trace,
    ) -> None:
        self.controller, self.images, self.question, self.per_agent = controller, images, question, per_agent
        self.pages = list(range(1, len(images) + 1)) if pages is None else list(pages)
        if len(self.pages) != len(images):
            raise ValueError(f"{len(images)} images but {len(self.pages)} page numbers")
        self.trace, self.board = trace, Board()
        self.hypotheses: list[Action] = []
        self.errors = 0

    def play_round(self, step: int) -> None:
        """Every agent once; what was written before a budget ran out stays."""
        agents = self.controller.agents
        if self.controller.order == "sequential":
            for agent in agents:
                self.write(self.ask(agent, step), agent.name, step)
            return
        spent: BudgetExceeded | None = None
        for agent, action in zip(agents, self.ask_all(step), strict=True):
            if isinstance(action, BudgetExceeded):
                spent = spent or action
            elif isinstance(action, ModelError):
                self.write(self.failed_action(agent, step, action), agent.name, step)
            else:
                self.write(action, agent.name, step)
        if spent is not None:
            raise spent

    def ask_all(self, step: int) -> list[Action | Failure]:
        """Every agent's action on the board as it stands; one whose call failed or was not made has what it raised."""
        agents, together = self.controller.agents, self.controller.act_together
        if together is not None:
            settings = [self.settings_of(agent) for agent in agents]
            return together(agents, self.images, self.question, self.board, settings, pages=self.pages)
        actions: list[Action | Failure] = []
        for agent in agents:
            try:
                actions.append(self.ask(agent, step))
            except BudgetExceeded as exceeded:
                return actions + [exceeded] * (len(agents) - len(actions))
        return actions

    def ask(self, agent: Agent, step: int) -> Action:
        """The agent's action; a model that cannot reply gives one that does not validate."""
        try:
            return agent.act(self.images, self.question, self.board, self.settings_of(agent), pages=self.pages)
        except ModelError as error:
            return self.failed_action(agent, step, error)

    def settings_of(self, agent: Agent) -> dict[str, Any] | None:
        """The default generation settings with the agent's own over them; None without any."""
        return {**self.controller.default_gen_kwargs, **self.per_agent.get(agent.name, {})} or None

    def failed_action(self, agent: Agent, step: int, error: ModelError) -> Action:
        """The action of an agent whose model failed."""
        log.warning("agent %s, step %d: %s", agent.name, step, error)
        return Action(action="", content="", error=f"model: {error}")

    def write(self, action: Action, author: str, step: int) -> None:
        """Check the action, put it on the board, remember a hypothesis, and record all of it."""
        valid, fault = validate(action, self.board, self.pages)
        if valid is None:
            self.errors += 1
            log.info("agent %s, step %d: action dropped: %s", author, step, fault)
            raw = str(action.get("content", "")) if isinstance(action, Mapping) else repr(action)
            self.trace.add("error", step=step, author=author, message=fault, reply=raw[:MAX_UNUSABLE_CHARACTERS])
            if self.controller.error_cells:
                self.board.add_cell(
                    {"page": (self.pages or [1])[0]}, f"Unusable action: {fault}", ["error"], author, step
                )
            return
        self.trace.add("action", step=step, author=author, message=valid["content"], **_without(valid, "content"))
        cell_id = self.controller.apply_action(self.board, valid, step, author)
        cell = self.board.get_cell(cell_id) if cell_id is not None else None
        if cell is None:
            return
        self.trace.add(
            "cell", step=step, author=author, message=cell["content"], **_without(cell, "content", "author", "step")
        )
        if valid["action"] == HYPOTHESIZE or (valid["action"] == REVISE and "answer" in valid):
            hypothesis = Action(valid, author=author, step=step, cell_id=cell_id)
            self.hypotheses.append(hypothesis)
            self.trace.add(
                "hypothesis",
                step=step,
                author=author,
                message=answer_of(hypothesis),
                cell_id=cell_id,
                confidence=confidence_of(hypothesis),
                supporting_cells=hypothesis["supporting_cells"],
            )


def answer_of(hypothesis: Mapping[str, Any]) -> str:
    """A hypothesis' answer, else its content."""
    return str(hypothesis.get("answer") or hypothesis.get("content") or "")


def confidence_of(hypothesis: Mapping[str, Any]) -> float:
    """A hypothesis' confidence as a number, also where it states none."""
    value = read_confidence(hypothesis.get("confidence"))
    return UNSTATED_CONFIDENCE if value is None else value


def is_verified(hypothesis: Mapping[str, Any], board: Board) -> bool:
    """Whether a quote of the hypothesis, or of a cell that it rests on, was found in the document."""
    cells = [board.get_cell(cell_id) for cell_id in hypothesis.get("supporting_cells") or []]
    said = [hypothesis, *(cell.get("details", {}) for cell in cells if cell is not None)]
    return any(each.get("quote_verified") is True for each in said)


def standing_hypotheses(hypotheses: Sequence[Mapping[str, Any]], board: Board) -> list[Mapping[str, Any]]:
    """Hypotheses whose cell no later REVISE corrects."""
    revised = {
        cell["details"].get("target_cell_id") for cell in board.get_cells_by_tags(["correction"]) if "details" in cell
    }
    return [hypothesis for hypothesis in hypotheses if hypothesis.get("cell_id") not in revised - {None}]


def because(hypothesis: Mapping[str, Any], board: Board) -> str:
    """The supporting cells in words, for a reader; never part of the scored answer. Cells that only say the
    hypothesis itself are left out."""
    said = str(hypothesis.get("content") or "")
    found = [board.get_cell(cell_id) for cell_id in hypothesis.get("supporting_cells", [])]
    cells = [cell for cell in found if cell and not (said and cell["content"].startswith(said))]
    parts = [f"{cell['content']} (#{cell['id']}, page {cell['view']['page']})" for cell in cells]
    return "because " + "; ".join(parts) if parts else ""


def _without(values: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key not in keys}
