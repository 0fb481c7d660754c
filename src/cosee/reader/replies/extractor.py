"""The short answer without a model: what rules cut out of a reply."""

from __future__ import annotations

from cosee.agents.extractor import ExtractedAnswer
from cosee.agents.short_answer import short_answer
from cosee.reader.embedded import HandlerRegistry, Reading

REGISTRY = HandlerRegistry()


@REGISTRY.register(ExtractedAnswer)
def extract(reading: Reading) -> ExtractedAnswer:
    """What rules cut out of the reply."""
    said = str(reading.history[-1].get("content", "")) if reading.history else ""
    return ExtractedAnswer(answer=short_answer(reading.question, said))
