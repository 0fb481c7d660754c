"""A navigator's way through the tree: rounds of plan, observation, hypothesis and replan, and the path walked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cosee.artifacts.results.trace import TraceEvent
from cosee.report.details import Table, shortened, table
from cosee.report.node_names import NodeNames
from cosee.report.thresholds import HYPOTHESIS_QUOTE_CHARACTERS, HYPOTHESIS_QUOTES, OBSERVED_NODES


@dataclass(frozen=True)
class Move:
    """One directive of a plan, or one edge of the path."""

    action: str
    target: str
    name: str


@dataclass(frozen=True)
class Observer:
    """What one observer saw in a round."""

    author: str
    message: str
    nodes: int
    seen: Table


@dataclass
class Round:
    """One round. ``number`` counts from 1; a question in parts has rounds of the same number."""

    number: int
    plan: str = ""
    moves: list[Move] = field(default_factory=list)
    candidates: int = 0
    observers: list[Observer] = field(default_factory=list)
    hypothesis: str = ""
    confidence: float | None = None
    support: list[tuple[str, str]] = field(default_factory=list)
    """(node id, name) of the nodes that the hypothesis rests on."""
    quotes: list[str] = field(default_factory=list)
    replan: str = ""
    look_for: str = ""


@dataclass(frozen=True)
class Navigation:
    """The whole way."""

    decisions: list[str]
    """What the router decided, in order."""
    rounds: list[Round]
    paths: list[list[Move]]
    """From the document to each node that supports the answer."""


def navigation(events: Sequence[TraceEvent], names: NodeNames) -> Navigation | None:
    """The way that the events describe; None where no event plans moves through a tree."""
    rounds: list[Round] = []
    decisions: list[str] = []
    paths: list[list[Move]] = []
    for event in events:
        if event.type == "plan" and "directives" in event.data:
            rounds.append(_planned(event, names))
        elif event.type == "decision" and event.author == "router":
            decisions.append(_decided(event))
        elif event.type == "complete":
            paths = [_path(part, names) for part in _records(event.data.get("path"))]
        elif rounds:
            _add(rounds[-1], event, names)
    return Navigation(decisions, rounds, [path for path in paths if path]) if rounds else None


def _planned(event: TraceEvent, names: NodeNames) -> Round:
    moves = [
        Move(str(each.get("action", "")).replace("_", " ").lower(), target, names.name(target))
        for each in _records(event.data["directives"])
        if (target := str(each.get("target", "")))
    ]
    candidates = event.data.get("candidates")
    return Round(event.step, event.message or "", moves, len(candidates) if isinstance(candidates, list) else 0)


def _decided(event: TraceEvent) -> str:
    parts = event.data.get("sub_questions")
    if isinstance(parts, list):
        return f"{event.message}: {' | '.join(map(str, parts))}"
    reason = event.data.get("reason")
    return f"{event.message}: {reason}" if reason else event.message or ""


def _add(round_: Round, event: TraceEvent, names: NodeNames) -> None:
    if event.type == "observation":
        seen = _records(event.data.get("observations"))
        rows = table("seen", [_observed(each) for each in seen], OBSERVED_NODES)
        round_.observers.append(Observer(event.author or "observer", event.message or "", len(seen), rows))
    elif event.type == "hypothesis":
        confidence, nodes = event.data.get("confidence"), event.data.get("support_nodes")
        round_.hypothesis = event.message or ""
        round_.confidence = float(confidence) if isinstance(confidence, int | float) else None
        round_.support = [(str(node), names.name(str(node))) for node in nodes] if isinstance(nodes, list) else []
        quotes = event.data.get("quotes")
        shown = quotes[:HYPOTHESIS_QUOTES] if isinstance(quotes, list) else []
        round_.quotes = [shortened(str(quote), HYPOTHESIS_QUOTE_CHARACTERS) for quote in shown]
    elif event.type == "replan":
        round_.replan = event.message or ""
        round_.look_for = str(event.data.get("look_for") or "")


def _observed(observation: Mapping[str, Any]) -> dict[str, Any]:
    payload = observation.get("payload")
    fields: Mapping[str, Any] = payload if isinstance(payload, Mapping) else {}
    anchors = fields.get("anchors")
    page_idx = anchors.get("page_idx") if isinstance(anchors, Mapping) else None
    words = [fields.get(key) for key in ("title", "caption", "summary_gist", "schema_brief", "raw_text", "description")]
    return {
        "node": observation.get("node_id", ""),
        "page": page_idx + 1 if isinstance(page_idx, int) else "",
        "what": " · ".join(dict.fromkeys(str(each) for each in words if each)),
    }


def _path(part: Mapping[str, Any], names: NodeNames) -> list[Move]:
    steps = _records(part.get("steps"))
    if not steps:
        return []
    first = str(steps[0].get("src", ""))
    rest = [
        Move(str(each.get("edge", "")).replace("_", " "), target, names.name(target))
        for each in steps
        if (target := str(each.get("dst", "")))
    ]
    return [Move("", first, names.name(first)), *rest]


def _records(value: Any) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
