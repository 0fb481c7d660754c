"""What the reader without a model replies to the decision agent's requests."""

from __future__ import annotations

from cosee.agents.decision.schemas import Decision, Interpretation, Summary, SummaryPoint
from cosee.reader.embedded import HandlerRegistry, Reading
from cosee.reader.skills.question import analyse
from cosee.reader.skills.rank import rank

REGISTRY = HandlerRegistry()

RESULTS = 5
"""Results of one text search; this reader reads twice as many, as it does for other methods."""
SUMMARY_POINTS = 24
POINT_CHARACTERS = 400
INTERPRETATION_CHARACTERS = 1_200
_LISTED = {"table": "table", "section": "section", "chapter": "section", "equation": "equation", "page": "any"}


@REGISTRY.register(Decision)
def decide(reading: Reading) -> Decision:
    """Search the text, list what the question counts, search by look where nothing was found, answer.

    Pages beyond those of the text search are not read where it found some: in 197 questions they gave ten more
    answers, and none of them was right.
    """
    state = reading.instructions
    available, used = state.get("available", []), state.get("used", {})

    def open_to(name: str) -> bool:
        return name in available and name not in used

    query = {"query": reading.question[:1_000]}
    counted = analyse(reading.question).structure
    if open_to("fast_vector_search"):
        return Decision(tool="fast_vector_search", inputs=query, reasoning="The text is searched first.")
    if used.get("fast_vector_search") == 1 and len(reading.page_numbers) >= RESULTS:
        return Decision(
            tool="fast_vector_search", inputs={**query, "skip": RESULTS}, reasoning="The next five are read too."
        )
    if counted and open_to("list_figures"):
        kind = _LISTED.get(counted.split()[-1], "figure")
        told = f"The question counts ({counted}): a search finds only some of them."
        return Decision(tool="list_figures", inputs={"kind": kind}, reasoning=told)
    if open_to("visual_interpretation"):
        return Decision(tool="visual_interpretation", reasoning="The pages found by look are to be read.")
    if open_to("colqwen_visual_search") and not reading.passages:
        return Decision(tool="colqwen_visual_search", inputs=query, reasoning="The text search found nothing.")
    return Decision(tool="text_response", reasoning="What can be found has been found.", should_end=True)


@REGISTRY.register(Interpretation)
def interpret(reading: Reading) -> Interpretation:
    """The page's captions and what fits the question best, in its own words: no picture is seen."""
    ranked = [passage for passage, score in rank(reading.question, reading.passages) if score > 0]
    named = [passage for passage in reading.passages if passage.type in ("image", "table")]
    texts = dict.fromkeys(passage.content.strip() for passage in (*named, *ranked[:3]))
    words = "\n".join(text for text in texts if text)[:INTERPRETATION_CHARACTERS]
    return Interpretation(interpretation=words or "Nothing was read on this page.")


@REGISTRY.register(Summary)
def summarize(reading: Reading) -> Summary:
    """The passages that fit the question best, shortened, in the order of the evidence."""
    best = [passage for passage, _ in rank(reading.question, reading.passages)[:SUMMARY_POINTS]]
    kept = [passage for passage in reading.passages if passage in best and passage.content.strip()]
    points = [SummaryPoint(page=passage.page, text=passage.content.strip()[:POINT_CHARACTERS]) for passage in kept]
    return Summary(points=points or [SummaryPoint(page=1, text="Nothing was read.")])
