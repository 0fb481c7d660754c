"""Answers of a sentence or more: neighbouring sentences that together hold most of the question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import fsum

from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.reader.skills.span import Span, text_sentences
from cosee.text.content_words import terms

LONG, SHORT = (70, 110), (12, 35)
"""Words at which a run of sentences is closed, and over which it never grows: to explain, and to say what to do."""
_SKIPPED = ("caption", "section", "toc", "header", "footer", "footnote", "document")


def explain(
    asked: Asked, passages: Sequence[Passage], weights: Mapping[str, float], size_limits: tuple[int, int] = LONG
) -> list[Span]:
    """Runs of sentences of one section, as answers in the document's own words: the best of each passage, best first.

    ``passages`` are in reading order. A run is worth the share of the question that it holds, a little more where its
    first sentence opens on the question's words, and less where it starts with a heading or a question.
    """
    enough, most = size_limits
    best: dict[int, tuple[float, list[tuple[str, Passage]]]] = {}
    lines = [
        (text, passage) for passage in passages if passage.type not in _SKIPPED for text in text_sentences(passage)
    ]
    stems = [set(terms(text)) for text, _ in lines]
    for start, (text, passage) in enumerate(lines):
        first = _share(asked, stems[start], weights)
        if first < 0.15 or text.endswith("?"):
            continue
        path = set(terms(" ".join(passage.path[-2:])))
        chosen: list[tuple[str, Passage]] = []
        held, size = set(path), 0
        for at in range(start, len(lines)):
            follower, where = lines[at]
            length = len(follower.split())
            apart = where.path != passage.path or where.page - passage.page > 1
            if chosen and (apart or size + length > most or size >= enough):
                break
            chosen.append((follower, where))
            held |= stems[at]
            size += length
        heading = len(text.split()) < 6 and text[-1:] not in ".!:"
        worth = 0.55 * _share(asked, held, weights) + 0.35 * first + 0.1 * _share(asked, path, weights)
        worth *= (0.8 if heading else 1.0) * (1.0 if size >= 15 else 0.75)
        if id(passage) not in best or worth > best[id(passage)][0]:
            best[id(passage)] = worth, chosen
    return [_span(worth, chosen) for worth, chosen in sorted(best.values(), key=lambda run: -run[0])]


def _span(worth: float, chosen: Sequence[tuple[str, Passage]]) -> Span:
    passage = chosen[0][1]
    quote = " ".join(text for text, where in chosen if where is passage)
    return Span(" ".join(text for text, _ in chosen), quote, passage, round(worth, 6))


def _share(asked: Asked, held: set[str], weights: Mapping[str, float]) -> float:
    total = fsum(weights.get(term, 1.0) for term in asked.terms)
    return fsum(weights.get(term, 1.0) for term in asked.terms if term in held) / total if total else 0.0
