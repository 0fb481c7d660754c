"""The LangGraph ``StateGraph`` of planner, executor and summarizer, with a bounded way back to the planner."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, TypedDict

from cosee.quality.executor import Evidence, execute
from cosee.quality.image_file import open_image
from cosee.quality.plan import PlannerInput, PlannerOutput
from cosee.quality.planner import Planner
from cosee.quality.summarizer import Summary, missing_evidence, summarize
from cosee.quality.thresholds import MAX_FILE_NAME, MAX_REPLANS, RECORD_BYTES
from cosee.quality.vlm_client import VLMClient


class GraphError(RuntimeError):
    """The graph cannot be built; the message says what to install."""


class AgenticIQAState(TypedDict):
    """What the planner node takes; it gives back ``plan`` alone."""

    query: str
    image_path: str
    reference_path: str | None
    plan: PlannerOutput | None


class AssessmentState(AgenticIQAState, total=False):
    """The state of the whole graph."""

    evidence: Evidence | None
    summary: Summary | None
    replan_reason: str | None
    replans: int


Node = Callable[[Any], dict[str, Any]]


def initial_state(query: str, image_path: str, reference_path: str | None = None) -> AgenticIQAState:
    """The state before planning."""
    return AgenticIQAState(query=query, image_path=image_path, reference_path=reference_path, plan=None)


def planner_node(planner: Planner) -> Node:
    """The node that plans: a state in, ``{"plan": ...}`` out. Raises PlannerError."""

    def node(state: AssessmentState) -> dict[str, Any]:
        question = PlannerInput(
            query=state["query"], image_path=state["image_path"], reference_path=state.get("reference_path")
        )
        return {"plan": planner.plan(question, state.get("replan_reason"))}

    return node


def executor_node(state: AssessmentState, client: VLMClient | None = None) -> dict[str, Any]:
    """The node that carries the plan out; ``client`` locates the objects."""
    plan = state["plan"]
    assert plan is not None
    return {"evidence": execute(plan, state["image_path"], state.get("reference_path"), client)}


def summarizer_node(client: VLMClient | None = None) -> Node:
    """The node that answers, or asks for another plan: ``replan_reason`` is set where evidence does not suffice."""

    def node(state: AssessmentState) -> dict[str, Any]:
        plan, evidence = state["plan"], state.get("evidence")
        assert plan is not None
        reason = missing_evidence(plan, evidence)
        if reason is not None and state.get("replans", 0) < MAX_REPLANS:
            return {"replan_reason": reason, "replans": state.get("replans", 0) + 1, "summary": None}
        image = open_image(state["image_path"]).image if client is not None else None
        before = state.get("replan_reason")
        return {"summary": summarize(state["query"], plan, evidence, client, image, replanned=before)}

    return node


def after_planner(state: AssessmentState) -> str:
    """Where a plan leads: to the executor where it has something to do, else to the answer."""
    plan = state["plan"]
    assert plan is not None
    return "executor" if plan.query_type == "IQA" else "summarizer"


def after_summarizer(state: AssessmentState) -> str:
    """Back to the planner where the evidence did not suffice and a replan is left, else the end."""
    return "planner" if state.get("summary") is None else "end"


def planner_graph(planner: Planner) -> Any:
    """An uncompiled ``StateGraph`` with the planner as its entry, to which nodes and conditional edges can be added.

    Raises:
        GraphError: langgraph is not installed.
    """
    state_graph, start, _ = _langgraph()
    graph = state_graph(AssessmentState)
    graph.add_node("planner", planner_node(planner))
    graph.add_edge(start, "planner")
    return graph


def plan_only(planner: Planner) -> Any:
    """The compiled graph of the planner alone."""
    graph = planner_graph(planner)
    graph.add_edge("planner", _langgraph()[2])
    return graph.compile()


def assessment_graph(planner: Planner, client: VLMClient | None = None) -> Any:
    """The compiled graph of planner, executor and summarizer; ``client`` locates objects and
    answers, rules where it is None."""
    end = _langgraph()[2]
    graph = planner_graph(planner)
    graph.add_node("executor", lambda state: executor_node(state, client))
    graph.add_node("summarizer", summarizer_node(client))
    graph.add_conditional_edges("planner", after_planner, {"executor": "executor", "summarizer": "summarizer"})
    graph.add_edge("executor", "summarizer")
    graph.add_conditional_edges("summarizer", after_summarizer, {"planner": "planner", "end": end})
    return graph.compile()


def state_record(state: AgenticIQAState) -> str:
    """The planner's state as one line of JSON under 1 KB: names of files without folders, a long question cut.

    Raises:
        ValueError: the plan alone is longer than that.
    """
    plan = state["plan"]
    reference = state.get("reference_path")
    record = {
        "query": state["query"],
        "image_path": PurePath(state["image_path"]).name[-MAX_FILE_NAME:],
        "reference_path": None if reference is None else PurePath(reference).name[-MAX_FILE_NAME:],
        "plan": None if plan is None else plan.model_dump(mode="json"),
    }
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    spare = len(text.encode()) - RECORD_BYTES + 1
    if spare > 0:
        kept = max(0, len(state["query"].encode()) - spare - len("…".encode()))
        record["query"] = state["query"].encode()[:kept].decode("utf-8", "ignore") + "…"
        text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    if len(text.encode()) >= RECORD_BYTES:
        raise ValueError(f"the state's record takes {len(text.encode())} bytes, {RECORD_BYTES} are allowed")
    return text


def _langgraph() -> tuple[Any, Any, Any]:
    try:
        from langgraph.graph import END, START, StateGraph
    except ImportError as error:
        raise GraphError("langgraph is not installed: pip install 'cosee[quality]'") from error
    return StateGraph, START, END
