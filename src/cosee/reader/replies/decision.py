"""What the reader without a model replies to the decision agent's requests."""

from __future__ import annotations

from typing import Any

from cosee.agents.decision.schemas import Decision, Interpretation, Summary, SummaryPoint
from cosee.agents.decision.thresholds import MAX_QUERY_CHARACTERS
from cosee.question.form import counted_structure
from cosee.reader.reading import Reading
from cosee.reader.replies.thresholds import (
    INTERPRETED_PLACES,
    MAX_INTERPRETATION_CHARACTERS,
    MAX_POINT_CHARACTERS,
    MAX_SUMMARY_POINTS,
    SEARCH_RESULTS,
)

_LISTED = {"table": "table", "section": "section", "chapter": "section", "equation": "equation", "page": "any"}


def decide(reading: Reading) -> Decision:
    """Search the text, list what the question counts, search by look where nothing was found, answer."""
    state = reading.instructions
    available, used = state.get("available", []), state.get("used", {})

    def open_to(name: str) -> bool:
        return name in available and name not in used

    query, counted = {"query": reading.question[:MAX_QUERY_CHARACTERS]}, counted_structure(reading.question)
    if open_to("fast_vector_search"):
        return _use("fast_vector_search", "The text is searched first.", **query)
    if used.get("fast_vector_search") == 1 and len(reading.page_numbers) >= SEARCH_RESULTS:
        return _use("fast_vector_search", "The next five are read too.", **query, skip=SEARCH_RESULTS)
    if counted and open_to("list_figures"):
        told = f"The question counts ({counted}): a search finds only some of them."
        return _use("list_figures", told, kind=_LISTED.get(counted.split()[-1], "figure"))
    if open_to("visual_interpretation"):
        return _use("visual_interpretation", "The pages found by look are to be read.")
    if open_to("colqwen_visual_search") and not reading.passages:
        return _use("colqwen_visual_search", "The text search found nothing.", **query)
    return Decision(tool="text_response", reasoning="What can be found has been found.", should_end=True)


def _use(tool: str, why: str, **inputs: Any) -> Decision:
    return Decision(tool=tool, inputs=inputs, reasoning=why)


def interpret(reading: Reading) -> Interpretation:
    """The page's captions and what fits the question best, in its own words: no picture is seen."""
    named = [passage.content for passage in reading.passages if passage.type in ("image", "table")]
    best = [place.quote for place in reading.places[:INTERPRETED_PLACES]]
    texts = filter(None, dict.fromkeys(map(str.strip, (*named, *best))))
    words = "\n".join(texts)[:MAX_INTERPRETATION_CHARACTERS]
    return Interpretation(interpretation=words or "Nothing was read on this page.")


def summarize(reading: Reading) -> Summary:
    """The passages that fit the question best, shortened, in the order of the evidence."""
    best = {id(place.passage) for place in reading.places[:MAX_SUMMARY_POINTS]}
    told = [passage for passage in reading.passages if passage.content.strip()]
    kept = [passage for passage in told if id(passage) in best] or told[:MAX_SUMMARY_POINTS]
    points = [SummaryPoint(page=passage.page, text=passage.content.strip()[:MAX_POINT_CHARACTERS]) for passage in kept]
    return Summary(points=points or [SummaryPoint(page=1, text="Nothing was read.")])
