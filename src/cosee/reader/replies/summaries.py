"""Summaries of nodes without a model: the sentences that say most."""

from __future__ import annotations

from cosee.index.llm_summaries import NodeSummary
from cosee.index.summarizer import mmr_sentences, shorten
from cosee.index.thresholds import MMR_LAMBDA, SECTION_SENTENCES
from cosee.reader.embedded import Handlers, Reading
from cosee.text.sentences import split_sentences


def summarize(reading: Reading) -> NodeSummary:
    """The chosen sentences, as long as the request allows."""
    text = reading.passages[0].text
    chosen = " ".join(mmr_sentences(split_sentences(text), SECTION_SENTENCES, MMR_LAMBDA))
    return NodeSummary(summary=shorten(chosen, int(reading.instructions.get("words", 75))) or text[:1] or "-")


HANDLERS: Handlers = {NodeSummary: summarize}
