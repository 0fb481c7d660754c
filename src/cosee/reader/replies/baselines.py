"""What the reader without a model replies to the baselines' requests."""

from __future__ import annotations

import re
from random import Random

from cosee.agents.baselines.schemas import ChatMessage, PageAnswer, PageQuote, ReasonedAnswer
from cosee.reader.embedded import HandlerRegistry, Reading
from cosee.reader.skills.answer import read
from cosee.reader.skills.nodes import ReadingAnswer
from cosee.reader.skills.question import analyse
from cosee.reader.skills.rank import rank

REGISTRY = HandlerRegistry()

CLEARLY_BETTER = 0.05
"""Lead in confidence from which the reading of all pages stands against that of the pages talked about."""


@REGISTRY.register(PageAnswer)
def read_once(reading: Reading) -> PageAnswer:
    """One reading of all the evidence."""
    found = reading.answer()
    return PageAnswer(
        explanation=found.answer_long, answer=found.answer, confidence=found.confidence, quotes=quotes_of(found)
    )


@REGISTRY.register(ReasonedAnswer)
def read_step_by_step(reading: Reading) -> ReasonedAnswer:
    """One reading; a sampled one after the first leaves a page out, each another, in an order drawn by the seed.

    Rules draw nothing by themselves: what differs between samples is what they read.
    """
    passages = reading.passages
    pages = sorted({passage.page for passage in passages})
    sample = reading.sampling.sample
    if sample and reading.sampling.temperature and len(pages) > 1:
        Random(f"{reading.sampling.seed} {reading.question}").shuffle(pages)
        left_out = pages[(sample - 1) % len(pages)]
        passages = [passage for passage in passages if passage.page != left_out]
    found = read(reading.question, passages)
    return ReasonedAnswer(
        reasoning=found.answer_long, answer=found.answer, confidence=found.confidence, quotes=quotes_of(found)
    )


def quotes_of(found: ReadingAnswer) -> list[PageQuote]:
    """A reading's quotes."""
    return [PageQuote(page=quote.page, quote=quote.text, node_id=quote.node_id) for quote in found.quotes]


@REGISTRY.register(ChatMessage)
def speak(reading: Reading) -> ChatMessage:
    """The turn of the request's role: which pages to read, what they say, and whether all pages say it more surely."""
    if reading.role == "scanner":
        return _point_out(reading)
    named = _named_pages(reading)
    there = [passage for passage in reading.passages if passage.page in named]
    found = read(reading.question, there or reading.passages)
    if reading.role == "cross_checker" and there:
        whole = reading.answer()
        surer = whole.confidence >= found.confidence + CLEARLY_BETTER
        found = whole if found.abstained or (surer and not whole.abstained) else found
    return ChatMessage(
        message=found.answer_long or found.answer,
        answer=found.answer,
        confidence=found.confidence,
        quotes=quotes_of(found),
    )


def _point_out(reading: Reading) -> ChatMessage:
    """The best pages that nobody has named yet."""
    named = _named_pages(reading)
    asked = analyse(reading.question)
    ranked = [passage.page for passage, score in rank(asked, reading.passages) if score > 0]
    fresh = [page for page in dict.fromkeys(ranked) if page not in named][:2]
    if not fresh:
        return ChatMessage(message="No further page shares words with the question.")
    return ChatMessage(message=f"The question is spoken of on {' and '.join(f'page {page}' for page in fresh)}.")


def _named_pages(reading: Reading) -> set[int]:
    """Pages that the conversation names."""
    said = " ".join(str(turn.get("content", "")) for turn in reading.history)
    return {int(number) for number in re.findall(r"\bpage (\d{1,6})\b", said)}
