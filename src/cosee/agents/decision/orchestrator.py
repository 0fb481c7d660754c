"""The loop of the decision agent: availability, rules, decision, execution, storing, and a frame for each of them."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from cosee.agents.context import mark_calls
from cosee.agents.decision.decision import DecisionAgent, fallback
from cosee.agents.decision.rendering import frame_of
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.schemas import Decision
from cosee.agents.decision.thresholds import (
    MAX_FAULTS_TOLD,
    MAX_FRUITLESS_CALLS,
    MAX_INPUTS_CHARACTERS,
    MAX_LINE_CHARACTERS,
    MAX_REFUSED,
    MAX_REFUSED_IN_A_ROW,
    MIN_LOOKS,
)
from cosee.agents.decision.tool import Output, Tool
from cosee.agents.decision.tree_data import TreeData
from cosee.artifacts import files
from cosee.artifacts.results.trace import BudgetExceeded
from cosee.models.calls import ModelError

log = logging.getLogger(__name__)

TOO_EARLY = Error(
    "What was found does not hold the answer, and little of the document was read",
    suggestion="Search again with other words, or read another part of the document, then answer",
)


class Orchestrator:
    """Runs the tools of one question. Every frame goes into the trace; the caller adds ``complete``."""

    def __init__(
        self, tools: Sequence[Tool], agent: DecisionAgent, tree_data: TreeData, max_iterations: int = 8
    ) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.agent = agent
        self.context = agent.services.context
        self.tree_data = tree_data
        self.max_iterations = max_iterations
        self.step = 0
        self.refused = 0
        self._calls: dict[str, bool] = {}
        """Calls that were made, and whether they gave anything."""
        self._disabled: set[str] = set()
        self._cut_short = False
        """Whether the budget leaves only the answer."""
        self._fixed_order = False
        self._held_back: list[Output] = []
        """An abstention that came too early: what its tool yielded. It stands where no other answer follows."""

    async def run(self) -> str:
        """Until an answer; returns why it ended: ``answered``, ``impossible``, ``max_steps``, ``budget``, ``error``.

        Whatever ends the loop before an answer, a last one is made of what was found.
        """
        refused_in_a_row = 0
        try:
            while self.step < self.max_iterations:
                self.step += 1
                mark_calls(self.context, self.step)
                self._fixed_order = self._fixed_order or self._is_lost(refused_in_a_row)
                available = await self._available()
                if await self._run_rules(available):
                    available = await self._available()
                decision = await self._decide(available)
                fault = self._fault(decision, available)
                if fault is not None:
                    self._tell(fault)
                    refused_in_a_row += 1
                    self.refused += 1
                    continue
                refused_in_a_row = 0
                tool = self.tools[decision.tool]
                was_held = bool(self._held_back)
                gave = await self._execute(tool, decision.inputs)
                if tool.end and (gave or was_held or not self._held_back):
                    return self._ended(decision) if gave or self._give_held_back(tool) else "error"
                if not tool.end:
                    self._calls[_call(tool, decision.inputs)] = gave
            return await self._force()
        except BudgetExceeded as exceeded:
            self.context.trace.add("status", step=self.step, message=str(exceeded), bound=exceeded.bound)
            self._give_held_back(next(tool for tool in self.tools.values() if tool.end))
            return "budget"

    def _is_lost(self, refused_in_a_row: int) -> bool:
        """Whether the model's choices lead nowhere: calls are refused, or tools were called and nothing is known."""
        refused = refused_in_a_row >= MAX_REFUSED_IN_A_ROW or self.refused >= MAX_REFUSED
        return refused or (self.tree_data.environment.is_empty() and len(self._calls) >= MAX_FRUITLESS_CALLS)

    async def _available(self) -> list[Tool]:
        enabled = [tool for tool in self.tools.values() if tool.name not in self._disabled]
        return [tool for tool in enabled if await tool.is_tool_available(self.tree_data)]

    async def _run_rules(self, available: Sequence[Tool]) -> bool:
        """Run every tool whose rule holds, each with its own inputs; whether there was one."""
        fired = [(tool, *await tool.run_if_true(self.tree_data)) for tool in available]
        for tool, fires, inputs in fired:
            if fires:
                self._trace_decision(Decision(tool=tool.name, inputs=inputs, reasoning="Its rule holds."), "rule")
                await self._execute(tool, inputs)
        return any(fires for _, fires, _ in fired)

    async def _decide(self, available: Sequence[Tool]) -> Decision:
        """The model's decision; the fixed order where its reply is unusable, or where what is left of the budget is
        needed for the answer."""
        decision, author = None, "budget" if self._cut_short else "fallback"
        try:
            if not self._cut_short and not self._fixed_order:
                decision = await self.agent.decide(self.tree_data, available)
                author = "fallback" if decision is None else "model"
        except ModelError as error:
            self._tell(Error(f"The model could not be asked: {error}"[:MAX_LINE_CHARACTERS]))
        except BudgetExceeded:
            author, self._cut_short = "budget", True
        decision = decision or fallback(self.tree_data, [tool.name for tool in available], self._was_made)
        self._trace_decision(decision, author)
        return decision

    def _fault(self, decision: Decision, available: Sequence[Tool]) -> Error | None:
        """Why a decision cannot be carried out; None, with its inputs completed, where it can.

        An impossible question always gets its answer: by the tool that ends, whatever tool was named.
        """
        if decision.impossible:
            decision.tool = next(tool.name for tool in self.tools.values() if tool.end)
            decision.inputs = {"reason": decision.reasoning.strip() or "The document cannot answer the question."}
            return None
        tool, choice = self.tools.get(decision.tool), f"Choose one of {', '.join(tool.name for tool in available)}"
        if tool is None:
            named = f" {decision.tool!r}" if re.fullmatch(r"[\w.-]{1,60}", decision.tool) else " of that name"
            return Error(f"There is no tool{named}", suggestion=choice)
        if tool not in available:
            return Error(f"{tool.name} is not available now", suggestion=choice)
        try:
            decision.inputs = tool.inputs.model_validate(decision.inputs).model_dump()
        except ValidationError as error:
            told = [(".".join(map(str, fault["loc"])) or "inputs", fault["msg"]) for fault in error.errors()]
            faults = "; ".join(f"{place}: {what}" for place, what in told[:MAX_FAULTS_TOLD])
            known = ", ".join(tool.inputs.model_fields) or "none"
            return Error(f"Inputs of {tool.name} are wrong: {faults}", suggestion=f"Its inputs are {known}")
        gave = self._calls.get(_call(tool, decision.inputs))
        if gave is not None:
            inputs = files.canonical_json(decision.inputs)[:MAX_INPUTS_CHARACTERS]
            found = "Use what it found, other inputs" if gave else "It found nothing: use other inputs"
            return Error(f"{tool.name} was already called with {inputs}", suggestion=f"{found}, or another tool")
        return None

    async def _execute(self, tool: Tool, inputs: dict[str, Any]) -> bool:
        """Run a tool, store and tell what it yields; whether it gave a result. Its exceptions become errors."""
        self.context.trace.add("status", step=self.step, author=tool.name, message=tool.status)
        started, gave = time.monotonic(), False
        held: list[Output] = []
        try:
            async for output in tool(self.tree_data, inputs):
                if held or (tool.end and self._is_too_early(output)):
                    held.append(output)
                else:
                    gave = self._take(tool, output) or gave
            if held:
                self._held_back = held
                self._tell(TOO_EARLY)
        except BudgetExceeded as exceeded:
            if tool.end:
                raise
            self._cut_short = True
            self._tell(Error(str(exceeded), recoverable=False, suggestion="Answer with what there is"), tool)
        except ModelError as error:
            self._tell(Error(str(error), recoverable=error.recoverable), tool)
        except Exception as error:  # a tool must not take its question with it: the next decision and the log say why
            log.exception("tool %s", tool.name)
            told = f"{tool.name} failed: {type(error).__name__}: {error}"[:MAX_LINE_CHARACTERS]
            fault = Error(told, suggestion="Use another tool")
            self._tell(fault, tool)
        finally:
            self.tree_data.tasks_completed.setdefault(tool.name, []).append(round(time.monotonic() - started, 6))
        return gave

    def _is_too_early(self, output: Output) -> bool:
        """Whether an answer gives up after one look at a part of the document, while there is room for another."""
        if self._held_back or self._cut_short or self._fixed_order or self.step >= self.max_iterations:
            return False
        gives_up = isinstance(output, Result) and any(value.get("sufficient") is False for value in output.objects)
        looks = sum(len(times) for name, times in self.tree_data.tasks_completed.items() if not self.tools[name].end)
        seen = {value["page_number"] for value in self.tree_data.environment.objects() if value.get("nodes")}
        return gives_up and looks < MIN_LOOKS and len(seen) < len(self.context.tree.pages)

    def _give_held_back(self, tool: Tool) -> bool:
        """The abstention that was held back, now that there is no other answer; whether there was one."""
        held, self._held_back = self._held_back, []
        for output in held:
            self._take(tool, output)
        return bool(held)

    def _take(self, tool: Tool, output: Output) -> bool:
        if isinstance(output, Error):
            self._tell(output, tool)
            return False
        if not isinstance(output, Result):
            self.context.trace.add(**{"step": self.step, "author": tool.name, **output})
            return False
        objects = self.tree_data.environment.add(tool.name, output)
        self.context.trace.add(
            "result",
            step=self.step,
            author=tool.name,
            message=output.message(),
            tool=tool.name,
            name=output.name,
            payload_type=output.payload_type,
            objects=[frame_of(value) for value in objects],
            metadata=dict(output.metadata or {}),
        )
        return True

    def _tell(self, error: Error, tool: Tool | None = None) -> None:
        """An error frame, and the same to the next decision; an error that is final disables its tool."""
        self.tree_data.errors.append(f"{tool.name}: {error.feedback()}" if tool else error.feedback())
        if tool is not None and not error.recoverable:
            self._disabled.add(tool.name)
        self.context.trace.add(
            "error",
            step=self.step,
            author=tool.name if tool else None,
            message=error.message,
            recoverable=error.recoverable,
            suggestion=error.suggestion or "",
        )

    async def _force(self) -> str:
        """A last answer from what was found; ``max_steps``, or ``error`` where there is none."""
        tool = next((tool for tool in self.tools.values() if tool.end and tool.name not in self._disabled), None)
        if tool is None:
            return "error"
        self._trace_decision(Decision(tool=tool.name, reasoning="It is time to answer.", should_end=True), "limit")
        gave = await self._execute(tool, tool.inputs().model_dump()) or self._give_held_back(tool)
        return "max_steps" if gave else "error"

    def _was_made(self, name: str, inputs: Mapping[str, Any]) -> bool:
        """Whether this very call was made."""
        tool = self.tools[name]
        return _call(tool, tool.inputs.model_validate(inputs).model_dump()) in self._calls

    def _ended(self, decision: Decision) -> str:
        if decision.impossible:
            return "impossible"
        return "budget" if self._cut_short else "answered"

    def _trace_decision(self, decision: Decision, author: str) -> None:
        self.context.trace.add("decision", step=self.step, author=author, **decision.model_dump())


def _call(tool: Tool, inputs: Mapping[str, Any]) -> str:
    """A call, the same for inputs that mean the same."""
    return files.canonical_json([tool.name, _folded(dict(inputs))])


def _folded(value: Any) -> Any:
    """Inputs with what does not matter made equal: case and spacing of texts."""
    if isinstance(value, str):
        return " ".join(value.lower().split())
    if isinstance(value, dict):
        return {key: _folded(each) for key, each in value.items()}
    return [_folded(each) for each in value] if isinstance(value, list) else value
