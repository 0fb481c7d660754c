"""Quotes of the embedded reader as words of the document: never a description that the pipeline itself wrote."""

from __future__ import annotations

from cosee.models.embedded import Reading
from cosee.models.skills.nodes import Quote
from cosee.models.skills.question import analyse
from cosee.models.skills.rank import coverage
from cosee.models.skills.text import fold, sentences


def own_lines(reading: Reading) -> dict[str, list[str]]:
    """Node id -> its caption and its rows, lines or sentences as they stand in the document."""
    lines: dict[str, list[str]] = {}
    for node in reading.nodes:
        text, title = str(node.get("text") or ""), str(node.get("title") or "")
        parts = text.splitlines() if node.get("rows") else sentences(text)
        own = [title] if title and title not in text else []
        lines.setdefault(str(node["node_id"]), [*own, *(part.strip() for part in parts if part.strip())])
    return lines


def document_words(reading: Reading, quote: Quote) -> str:
    """The quote, or all of it but a last word that was cut, where its node holds it; else the node's line that
    fits the question best; empty where it has none."""
    if quote.node_id is None:
        return quote.text
    lines = own_lines(reading).get(quote.node_id, [])
    whole = f" {_plain(' '.join(lines))} "
    words = quote.text.split()
    for kept in (words, words[:-1]):
        if kept and f" {_plain(' '.join(kept))} " in whole:
            return " ".join(kept)
    asked = analyse(reading.question)
    return max(lines, key=lambda line: coverage(asked, line), default="")


def _plain(text: str) -> str:
    return " ".join(fold(text.replace("|", " ")).split())
