"""Traces: what a method did for one question, as NDJSON events that can be replayed; and its budget."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from pydantic import ConfigDict, Field

from cosee.artifacts import files
from cosee.artifacts.base import Record, load_rows

EventType = Literal[
    "start", "decision", "status", "result", "token", "error", "complete", "plan", "observation", "action", "cell",
    "hypothesis", "replan", "retrieval", "call", "reply",
]  # fmt: skip


class TraceEvent(Record):
    """One line of a trace: ``type`` says what, and its payload stands beside it. No time stamps.

    ``reply`` events, the pieces of a model's reply as it writes them, are shown and never kept.
    """

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)

    type: EventType
    step: int = 0
    """Round or loop iteration from 1; 0 outside any."""
    author: str | None = None
    message: str | None = None

    @property
    def data(self) -> dict[str, Any]:
        """The payload: every other field of the line."""
        return self.model_extra or {}


class Trace:
    """Collects events in order; ``save`` closes it with ``complete`` where the method did not.

    ``listener`` is shown each event as it comes.
    """

    def __init__(self, listener: Callable[[TraceEvent], None] | None = None) -> None:
        self.events: list[TraceEvent] = []
        self._listener = listener

    def add(
        self, type: EventType, *, step: int = 0, author: str | None = None, message: str | None = None, **data: Any
    ) -> TraceEvent:
        """Append one event and return it."""
        event = TraceEvent(type=type, step=step, author=author, message=message, **data)
        self.events.append(event)
        if self._listener is not None:
            self._listener(event)
        return event

    @property
    def is_watched(self) -> bool:
        """Whether somebody is shown events as they come."""
        return self._listener is not None

    def show(self, type: EventType, *, step: int = 0, author: str | None = None, **data: Any) -> None:
        """Show an event that is not kept: how a reply comes in pieces differs from run to run."""
        if self._listener is not None:
            self._listener(TraceEvent(type=type, step=step, author=author, **data))

    def save(self, path: Path) -> None:
        """Write the trace atomically; its last event is ``complete``."""
        if not self.events or self.events[-1].type != "complete":
            self.add("complete")
        files.write_jsonl(path, (event.model_dump(mode="json", exclude_none=True) for event in self.events))


def load_trace(path: Path) -> list[TraceEvent]:
    """Read a trace; raises ArtifactError with file and line."""
    return load_rows(TraceEvent, path)


class Budget(Record):
    """Bounds of one question; None means no bound. Counted by the method's client, see ``models.metering``."""

    calls: int | None = Field(40, description="Model calls.")
    tokens_in: int | None = Field(None, description="Tokens read.")
    tokens_out: int | None = Field(None, description="Tokens written.")
    images: int | None = Field(None, description="Page images shown.")
    seconds: float | None = Field(
        None, description="Seconds of wall time. They hang on machine and server: with a bound, rows may differ by run."
    )


class BudgetExceeded(Exception):
    """A bound was hit; ``bound`` names it. The method answers with what it has."""

    def __init__(self, bound: str) -> None:
        super().__init__(f"budget: {bound} used up")
        self.bound = bound
