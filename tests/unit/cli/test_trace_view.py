"""A trace in a terminal: a story that a stranger can follow."""

from __future__ import annotations

import io

from rich.console import Console

from cosee.artifacts.results.trace import Trace
from cosee.commands.views.trace_view import show_trace

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


def test_a_quote_that_could_not_be_checked_is_not_called_absent() -> None:
    trace = Trace()
    places = [{"page": 1, "quote": "a bar of 7", "quote_verified": False, "unverified": "its page has no text"}]
    trace.add("complete", message="7", status="ok", support=places)
    assert story(trace)[2] == "                  “a bar of 7”  (unverified: its page has no text)"


def test_other_events_say_their_words_and_what_they_hold() -> None:
    trace = Trace()
    trace.add("decision", author="router", message="GENERAL", reason="a count of charts")
    trace.add("replan", step=1, message="No chart was seen.")
    reply = {"answer": "7", "explanation": "seven", "confidence": 0.5, "quotes": [{"quote": "7 charts", "page": 3}]}
    trace.add("result", message="7", reply=reply)
    assert story(trace) == [
        "  router          decision: GENERAL",
        "                  reason=a count of charts",
        "step 1",
        "  replan          No chart was seen.",
        "  result          7 (0.50 sure)",
        "                  explanation=seven",
        "                  “7 charts”",
    ]


def test_a_navigation_tells_places_nodes_and_the_way_to_the_answer() -> None:
    # contract: D107
    trace = Trace()
    moves = [{"action": "MOVE_TO", "target": "P7"}, {"action": "MOVE_TO", "target": "sec_2"}]
    trace.add("plan", step=1, author="planner", message="Charts.", directives=moves, dropped=["P0 was visited"])
    chart = {"caption": "Figure 1", "schema_brief": "line chart", "anchors": {"page_idx": 7}}
    seen = [{"node_id": f"img_{number}", "payload": chart} for number in range(6)]
    trace.add("observation", step=1, author="image_observer", message="6 nodes on page 8", observations=seen)
    trace.add("hypothesis", step=1, author="reasoner", message="6", support_nodes=["img_1"], dropped=["img_99"])
    way = [{"src": "doc", "dst": "P7", "edge": "page"}, {"src": "P7", "dst": "img_1", "edge": "same_page"}]
    trace.add("complete", message="6", status="ok", path=[{"node_id": "img_1", "steps": way}])
    assert story(trace) == [
        "step 1",
        "  planner         plan: Charts.",
        "                  MOVE_TO page 8, sec_2",
        "                  not followed: P0 was visited",
        "  image_observer  observed 6 nodes on page 8",
        *(f"                  img_{number} (page 8): Figure 1; line chart" for number in range(5)),
        "                  and 1 more",
        "  reasoner        → proposes '6', on img_1",
        "                  ! img_99 was not observed",
        "answer: 6  [ok]",
        "  path            document ─page→ page 8 ─same_page→ img_1",
    ]


def test_a_decision_is_told_with_what_its_tool_found() -> None:
    # contract: E39
    trace = Trace()
    inputs = {"query": "people"}
    trace.add("decision", step=1, author="model", tool="fast_vector_search", reasoning="Search first.", inputs=inputs)
    trace.add("status", step=1, author="fast_vector_search", message="Searching...")
    page = {"_REF_ID": "a.1", "page_number": 2, "page_label": "ii", "text": "412 people", "node_ids": ["t_1"]}
    trace.add(
        "result", step=1, author="fast_vector_search", tool="fast_vector_search", message="Found 1.", objects=[page]
    )
    trace.add("decision", step=2, author="rule", tool="text_response", should_end=True, impossible=True)
    answer = {"_REF_ID": "b.1", "answer": "412", "quotes": []}
    trace.add("result", step=2, author="text_response", tool="text_response", message="Answered.", objects=[answer])
    assert story(trace) == [
        "step 1",
        "  model           → fast_vector_search: Search first.",
        "                  query=people",
        "                  Searching...",
        "                  Found 1.",
        "                  page 2: 412 people",
        "step 2",
        "  rule            → text_response, the question is impossible: no reason given",
        "                  Answered.",
        "                  answer=412",
    ]


def test_text_of_documents_is_no_markup_and_no_terminal_control() -> None:
    trace = Trace()
    trace.add("start", message="[red]x[/red]\x1b[31m\nforged line", strategy="cosee")
    assert story(trace)[0] == "[red]x[/red]�[31m forged line"
