"""A trace in a terminal: a story that a stranger can follow."""

from __future__ import annotations

import io

from rich.console import Console

from cosee.artifacts.trace import Trace
from cosee.commands.trace_view import show_trace

USAGE = {"calls": 1, "tokens_in": 1200, "tokens_out": 30, "images": 2, "tokens_cached": 900}


def story(trace: Trace) -> list[str]:
    out = io.StringIO()
    show_trace(trace.events, Console(file=out, width=200))
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_a_collaboration_is_told_round_by_round() -> None:
    trace = Trace()
    trace.add("start", message="How many people?", strategy="cosee", agents=["scanner"])
    hit = {"node_id": "t_5", "page": 2, "score": 0.5}
    trace.add("retrieval", pages=[2, 1], hits=[hit], read=[2, 1])
    trace.add("call", step=1, author="scanner", usage=USAGE, finish_reason="stop")
    action = {"action": "INSPECT", "view": {"page": 2}, "quote": "412 people", "node_id": "t_5", "quote_verified": True}
    trace.add("action", step=1, author="scanner", message="People.", confidence=0.5, **action)
    trace.add("cell", step=1, author="scanner", message="People.", id=1, details=action)
    trace.add("call", step=2, author="scanner", usage=USAGE, finish_reason="length")
    trace.add("error", step=2, author="scanner", message="unknown action 'FLY'", reply="{")
    trace.add("hypothesis", step=2, author="scanner", message="412", cell_id=2, confidence=0.9, supporting_cells=[1])
    place = {"page": 2, "page_label": "ii", "node_id": "t_5", "quote": "413 people", "quote_verified": False}
    trace.add(
        "complete", message="412", status="ok", exit_reason="confidence", confidence=0.9, support=[place],
        dropped_evidence=1,
    )  # fmt: skip
    assert story(trace) == [
        "How many people?",
        "cosee: agents=scanner",
        "  read            pages 2, 1",
        "  best hits       t_5 (page 2, 0.50)",
        "step 1",
        "  scanner         INSPECT #1, page 2 (0.50 sure): People.",
        "                  “412 people”  t_5",
        "  cost: 1 call, 1,200 tokens in (900 cached), 30 out, 2 images",
        "step 2",
        "  scanner         the reply was cut at its token bound",
        "  scanner         error: unknown action 'FLY'",
        "                  reply={",
        "                  → proposes '412' (0.90 sure), on #1",
        "  cost: 1 call, 1,200 tokens in (900 cached), 30 out, 2 images",
        "answer: 412 (0.90 sure)  [ok, confidence]",
        "  page 2          (printed ii) t_5",
        "                  “413 people”  (not found on the page)",
        "                  1 pieces of evidence do not exist and were dropped",
        "cost: 2 calls, 2,400 tokens in (1,800 cached), 60 out, 4 images",
    ]


def test_other_events_say_their_words_and_what_they_hold() -> None:
    trace = Trace()
    trace.add("plan", step=1, author="planner", message="Look at section 2.", candidates=["sec_2"])
    trace.add("observation", step=1, author="image_observer", message="A line chart.", node_id="img_3", payload={})
    trace.add("replan", step=1, message="No chart was seen.")
    reply = {"answer": "7", "explanation": "seven", "quotes": [{"quote": "7 charts", "node_id": "t_1", "page": 3}]}
    trace.add("result", message="7", reply=reply)
    assert story(trace) == [
        "step 1",
        "  planner         plan: Look at section 2.",
        "                  candidates=sec_2",
        "  image_observer  observation: A line chart.",
        "                  node_id=img_3",
        "  replan          No chart was seen.",
        "  result          7",
        "                  explanation=seven",
        "                  “7 charts”  t_1",
    ]


def test_text_of_documents_is_no_markup_and_no_terminal_control() -> None:
    trace = Trace()
    trace.add("start", message="[red]x[/red]\x1b[31m\nforged line", strategy="cosee")
    assert story(trace)[0] == "[red]x[/red]�[31m forged line"
