"""What the reader without a model replies to the baselines' requests, and the short answer of any method."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from cosee.agents.baselines.schemas import ChatMessage, PageAnswer, PageQuote, ReasonedAnswer
from cosee.agents.extractor import ExtractedAnswer
from cosee.agents.short_answer import short_answer
from cosee.reader.passages import ReadingAnswer
from cosee.reader.reading import Reading
from cosee.reader.replies.thresholds import MAX_PAGES_NAMED


def read_once(reading: Reading) -> PageAnswer:
    """One reading of all the evidence."""
    found = reading.answer()
    return PageAnswer(explanation=found.answer_long, **_answer_fields(found))


def read_step_by_step(reading: Reading) -> ReasonedAnswer:
    """One reading; a sampled one after the first leaves a page out, each another, in an order drawn by the seed."""
    pages = sorted({passage.page for passage in reading.passages})
    sample = reading.sampling.sample
    if sample and reading.sampling.temperature and len(pages) > 1:
        Random(f"{reading.sampling.seed} {reading.question}").shuffle(pages)
        pages.pop((sample - 1) % len(pages))
    found = reading.answer(pages)
    return ReasonedAnswer(reasoning=found.answer_long, **_answer_fields(found))


def _answer_fields(found: ReadingAnswer) -> dict[str, Any]:
    """Answer, confidence and quotes, these with the other best passages behind them."""
    shown = (*found.quotes, *found.further)
    quotes = [PageQuote(page=quote.page, quote=quote.text, node_id=quote.node_id) for quote in shown]
    return {"answer": found.answer, "confidence": found.confidence, "quotes": quotes}


def speak(reading: Reading) -> ChatMessage:
    """The turn of the request's role: which pages to read, what they say, and whether all pages say it more surely."""
    said = " ".join(str(turn.get("content", "")) for turn in reading.history)
    named = {int(number) for number in re.findall(r"\bpage (\d{1,6})\b", said)}
    if reading.role == "scanner":
        fresh = list(dict.fromkeys(place.passage.page for place in reading.places if place.passage.page not in named))
        where = " and ".join(f"page {page}" for page in fresh[:MAX_PAGES_NAMED]) or "no further page"
        return ChatMessage(message=f"The question is spoken of on {where}.")
    found = reading.answer(named)
    if reading.role == "cross_checker":
        whole = reading.answer()
        surer = found.abstained or whole.confidence > found.confidence
        found = whole if surer and not whole.abstained else found
    return ChatMessage(message=found.answer_long, **_answer_fields(found))


def extract(reading: Reading) -> ExtractedAnswer:
    """What rules cut out of the reply."""
    said = str(reading.history[-1].get("content", "")) if reading.history else ""
    return ExtractedAnswer(answer=short_answer(reading.question, said))
