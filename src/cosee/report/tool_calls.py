"""A decision agent's way: each decision with the tool it called and what that handed back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from cosee.artifacts.results.trace import TraceEvent
from cosee.report.details import Detail, Table, details, scalar, table


@dataclass(frozen=True)
class Handed:
    """A result of a tool: its objects as a table; ``kind`` is the payload type (chunks, interpretations, table ...)."""

    kind: str
    message: str
    objects: Table
    about: list[Detail]
    count: int


@dataclass
class Decided:
    """One decision and what came of it."""

    number: int
    tool: str
    reasoning: str
    inputs: str
    ends: bool
    results: list[Handed] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)


def tool_calls(events: Sequence[TraceEvent]) -> list[Decided]:
    """The decisions that name a tool, in order, each with the results and errors up to the next one."""
    steps: list[Decided] = []
    for event in events:
        if event.type == "decision" and "tool" in event.data:
            steps.append(_decided(event))
        elif event.type == "result" and "objects" in event.data and steps:
            steps[-1].results.append(_handed(event))
        elif event.type == "error" and steps:
            suggestion = event.data.get("suggestion")
            steps[-1].errors.append(f"{event.message}. {suggestion}" if suggestion else event.message or "")
    return steps


def _decided(event: TraceEvent) -> Decided:
    inputs = event.data.get("inputs")
    words = [f"{key}: {scalar(value)}" for key, value in sorted(inputs.items())] if isinstance(inputs, Mapping) else []
    return Decided(
        number=event.step,
        tool=str(event.data["tool"]),
        reasoning=str(event.data.get("reasoning") or ""),
        inputs="; ".join(words),
        ends=bool(event.data.get("should_end")),
    )


def _handed(event: TraceEvent) -> Handed:
    value = event.data["objects"]
    objects = [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
    metadata = event.data.get("metadata")
    return Handed(
        kind=str(event.data.get("payload_type", "result")),
        message=event.message or "",
        objects=table("objects", objects),
        about=details(metadata) if isinstance(metadata, Mapping) else [],
        count=len(objects),
    )
