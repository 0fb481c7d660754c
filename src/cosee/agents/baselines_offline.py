"""What the reader without a model replies to the baselines' requests."""

from __future__ import annotations

from cosee.agents.baselines import PageAnswer, PageQuote
from cosee.models.embedded import HandlerRegistry, Reading

REGISTRY = HandlerRegistry()


@REGISTRY.register(PageAnswer)
def read_pages(reading: Reading) -> PageAnswer:
    """One reading of all the evidence."""
    found = reading.answer()
    return PageAnswer(
        explanation=found.answer_long,
        answer=found.answer,
        confidence=found.confidence,
        quotes=[PageQuote(page=quote.page, quote=quote.text, node_id=quote.node_id) for quote in found.quotes],
    )
