"""Extractive summaries: sentences of the node's own text, chosen by maximal marginal relevance, in their order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.view import IndexView, media_text
from cosee.text.scripts import UNSPACED
from cosee.text.sentences import split_sentences
from cosee.text.tokens import STOP_TERMS, analyze

SECTION_SENTENCES, LONG_SECTION_SENTENCES, MEDIA_SENTENCES = 3, 6, 3
LONG_SECTION = 40
"""Sentences from which a section counts as long."""
_UNSPACED = re.compile(f"[{UNSPACED}]")
_CANDIDATES = 200
"""Sentences of a text that are looked at; enough for a gist, and keeps the work linear."""


def node_summaries(view: IndexView, settings: IndexSettings) -> dict[str, str]:
    """Node id -> summary for every node with something to say, the document included; bounded in words."""
    summaries: dict[str, str] = {}
    for node in [view.tree.root, *view.nodes]:
        summary = summarize_node(view, node, settings)
        if summary:
            summaries[node.id] = summary
    return summaries


def summarize_node(view: IndexView, node: Node, settings: IndexSettings) -> str:
    """The summary of one node; empty where it has no text."""
    if node.type in ("document", "section"):
        below = view.visible_subtree(node.id)
        prose = [each.text for each in below if each.type in ("paragraph", "list")]
        text = view.own_text(node) or "\n".join((prose or [each.text for each in below])[:40])
        sentences = split_sentences(text)
        count = LONG_SECTION_SENTENCES if len(sentences) > LONG_SECTION else SECTION_SENTENCES
    elif node.type in ("image", "table"):
        text = "\n".join(part for part in (node.title or "", media_text(node)) if part)
        sentences, count = split_sentences(text), MEDIA_SENTENCES
    else:
        return _leaf_gist(node.text, settings.mmr_lambda, settings.summary_words)
    return shorten(" ".join(choose(sentences, count, settings.mmr_lambda)), settings.summary_words)


def summarize_leaf(text: str, settings: IndexSettings) -> str:
    """The summary of a leaf's chunk; the text itself where it is short."""
    sentences = split_sentences(text)
    if len(sentences) <= leaf_sentences(len(sentences)) and len(text.split()) <= settings.summary_words:
        return text.strip()
    return _leaf_gist(text, settings.mmr_lambda, settings.summary_words)


@lru_cache(maxsize=4096)
def _leaf_gist(text: str, balance: float, words: int) -> str:
    """The best sentences of a leaf; asked for twice where the leaf is one chunk."""
    sentences = split_sentences(text)
    return shorten(" ".join(choose(sentences, leaf_sentences(len(sentences)), balance)), words)


def leaf_sentences(sentences: int) -> int:
    """Sentences of a leaf's summary: two where it has more than three."""
    return 2 if sentences > 3 else 1


def choose(sentences: Sequence[str], count: int, balance: float) -> list[str]:
    """At most ``count`` different sentences by MMR, in the order of the text.

    The relevance of a sentence is its cosine to the whole text, divided by the best sentence's (so it is 0..1);
    ``balance`` weighs it against the highest cosine to a sentence already chosen. Ties go to the earlier one.
    """
    candidates = list(dict.fromkeys(sentences))[:_CANDIDATES]
    if len(candidates) <= count:
        return candidates
    bags = [_bag(sentence) for sentence in candidates]
    frequency: Counter[str] = Counter()
    for bag in bags:
        frequency.update(bag.keys())
    rarity = {term: math.log(1 + len(bags) / count) for term, count in frequency.items()}
    vectors = [_Vector({term: amount * rarity[term] for term, amount in bag.items()}) for bag in bags]
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.weights.items():
            total[term] = total.get(term, 0.0) + weight
    whole = _Vector(total)
    relevance = [vector.cosine(whole) for vector in vectors]
    best = max(relevance) or 1.0
    novelty_loss = [0.0] * len(candidates)
    chosen: list[int] = []
    while len(chosen) < count:
        scores = {
            place: balance * relevance[place] / best - (1 - balance) * novelty_loss[place]
            for place in range(len(candidates))
            if place not in chosen
        }
        latest = max(scores, key=lambda place: (scores[place], -place))
        chosen.append(latest)
        for place in scores:
            novelty_loss[place] = max(novelty_loss[place], vectors[place].cosine(vectors[latest]))
    return [candidates[place] for place in sorted(chosen)]


class _Vector:
    """Weights of terms, with their norm."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self.norm = math.sqrt(sum(value * value for value in weights.values()))

    def cosine(self, other: _Vector) -> float:
        """To 9 digits; 0 where nothing is shared."""
        few, many = self.weights, other.weights
        if len(few) > len(many):
            few, many = many, few
        product = sum([value * many[term] for term, value in few.items() if term in many])
        return round(product / (self.norm * other.norm), 9) if product else 0.0


@lru_cache(maxsize=20_000)
def _bag(sentence: str) -> Counter[str]:
    """Telling terms; a sentence is looked at for its leaf and for the sections above it."""
    return Counter(term for term in analyze(sentence) if term not in STOP_TERMS)


def shorten(text: str, words: int) -> str:
    """``text`` cut after ``words`` words; a script without spaces counts a character as half a word."""
    pieces = text.split()
    if len(pieces) > words:
        text = " ".join(pieces[:words])
    text = text[: words * 10]
    unspaced = [match.start() for match in _UNSPACED.finditer(text)]
    return text[: unspaced[2 * words]] if len(unspaced) > 2 * words else text
