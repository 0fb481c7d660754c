"""A trace as a readable list: every event a line with its details, token frames joined."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cosee.artifacts.results.trace import TraceEvent
from cosee.report.details import Detail, Entries, cut, details, shortened
from cosee.report.thresholds import TEXT_CHARACTERS

SHOWN_ABOVE = {
    "complete": ("support", "path"),
    "cell": ("details", "view", "tags"),
    "action": ("view", "tags", "quote", "quote_verified", "supporting_cells", "confidence", "answer", "target_cell_id"),
}
"""Event type -> fields that the page shows elsewhere."""
RETRIEVED = ("hits", "page_scores")


@dataclass(frozen=True)
class Line:
    """One event, or a run of token events."""

    type: str
    author: str | None
    step: int
    message: str
    more: int
    """Characters of the message that are left out."""
    details: list[Detail]


def timeline(events: Sequence[TraceEvent], question: str = "", *, retrieved_above: bool = False) -> list[Line]:
    """The events in order. The page has the ``question``, and with ``retrieved_above`` the first retrieval's list."""
    lines: list[Line] = []
    tokens: list[TraceEvent] = []
    for event in events:
        if tokens and (event.type != "token" or event.author != tokens[0].author):
            lines.append(_joined(tokens))
            tokens = []
        if event.type == "token":
            tokens.append(event)
            continue
        lines.append(_line(event, question, retrieved_above))
        retrieved_above = retrieved_above and event.type != "retrieval"
    return [*lines, _joined(tokens)] if tokens else lines


def _line(event: TraceEvent, question: str, retrieved_above: bool) -> Line:
    hidden = SHOWN_ABOVE.get(event.type, ())
    if event.type == "retrieval" and retrieved_above:
        hidden = RETRIEVED
    payload = {key: value for key, value in event.data.items() if key not in hidden}
    if event.type == "call":
        return Line(event.type, event.author, event.step, _call(payload), 0, [])
    message, more = cut(event.message or "", TEXT_CHARACTERS) if event.message != question else ("", 0)
    if event.type == "cell":
        # The action before it has the words.
        message, more = f"#{event.data.get('id', '?')}", 0
    return Line(event.type, event.author, event.step, message, more, details(payload))


def _call(payload: Mapping[str, Any]) -> str:
    """What a model call asked for and took, and how it ended where that is not as it should be."""
    usage = payload.get("usage")
    words = [str(payload["schema"])] if payload.get("schema") else []
    if isinstance(usage, Mapping):
        words += [f"{usage.get('tokens_in', 0)} tokens in", f"{usage.get('tokens_out', 0)} out"]
        extra = (("tokens_cached", "cached"), ("images", "images"))
        words += [f"{usage[key]} {word}" for key, word in extra if usage.get(key)]
    if payload.get("finish_reason") not in (None, "stop"):
        words.append(f"ended by {payload['finish_reason']}")
    return shortened(", ".join(words), TEXT_CHARACTERS)


def _joined(tokens: Sequence[TraceEvent]) -> Line:
    """Streamed pieces as the text that they make."""
    text, more = cut("".join(str(event.data.get("content", event.message or "")) for event in tokens), TEXT_CHARACTERS)
    frames = [Entries("frames", [str(len(tokens))])]
    return Line("token", tokens[0].author, tokens[0].step, text, more, list(frames))
