"""Extractive summaries: sentences of the node's own text, chosen by maximal marginal relevance, in their order."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.settings.index import IndexSettings
from cosee.index.thresholds import (
    CANDIDATE_SENTENCES,
    CHARACTERS_OF_A_WORD,
    LEAF_SENTENCES,
    LONG_LEAF,
    LONG_LEAF_SENTENCES,
    LONG_SECTION,
    LONG_SECTION_SENTENCES,
    MEDIA_SENTENCES,
    MMR_LAMBDA,
    SECTION_SENTENCES,
    SUBTREE_TEXTS,
)
from cosee.index.view import IndexView, media_text
from cosee.text.scripts import UNSPACED
from cosee.text.sentences import split_sentences
from cosee.text.tokens import STOP_TERMS, analyze

_UNSPACED = re.compile(f"[{UNSPACED}]")


def node_summaries(view: IndexView, settings: IndexSettings) -> dict[str, str]:
    """Node id -> summary for every node with something to say, the document included; bounded in words."""
    summaries = {node.id: _summary(view, node, settings) for node in [view.tree.root, *view.nodes]}
    return {node_id: summary for node_id, summary in summaries.items() if summary}


def _summary(view: IndexView, node: Node, settings: IndexSettings) -> str:
    """The summary of one node; empty where it has no text."""
    if node.type in ("document", "section"):
        below = view.visible_subtree(node.id)
        prose = [each.text for each in below if each.type in ("paragraph", "list")]
        text = view.own_text(node) or "\n".join((prose or [each.text for each in below])[:SUBTREE_TEXTS])
        sentences = split_sentences(text)
        count = LONG_SECTION_SENTENCES if len(sentences) > LONG_SECTION else SECTION_SENTENCES
    elif node.type in ("image", "table"):
        text = "\n".join(part for part in (node.title or "", media_text(node)) if part)
        sentences, count = split_sentences(text), MEDIA_SENTENCES
    else:
        return _leaf_summary(node.text, MMR_LAMBDA, settings.summary_words)
    return shorten(" ".join(mmr_sentences(sentences, count, MMR_LAMBDA)), settings.summary_words)


def summarize_leaf(text: str, settings: IndexSettings) -> str:
    """The summary of a leaf's chunk; the text itself where it is short."""
    sentences = split_sentences(text)
    if len(sentences) <= LEAF_SENTENCES and len(text.split()) <= settings.summary_words:
        return text.strip()
    return _leaf_summary(text, MMR_LAMBDA, settings.summary_words)


@lru_cache(maxsize=4096)
def _leaf_summary(text: str, relevance_weight: float, words: int) -> str:
    """The best sentences of a leaf; asked for twice where the leaf is one chunk."""
    sentences = split_sentences(text)
    count = LONG_LEAF_SENTENCES if len(sentences) > LONG_LEAF else LEAF_SENTENCES
    return shorten(" ".join(mmr_sentences(sentences, count, relevance_weight)), words)


def mmr_sentences(sentences: Sequence[str], count: int, relevance_weight: float) -> list[str]:
    """At most ``count`` different sentences by maximal marginal relevance, in the order of the text.

    The relevance of a sentence is its cosine to the whole text, divided by the best sentence's (so it is 0..1);
    ``relevance_weight`` weighs it against the highest cosine to a sentence already chosen. Ties go to the earlier one.
    """
    candidates = list(dict.fromkeys(sentences))[:CANDIDATE_SENTENCES]
    if len(candidates) <= count:
        return candidates
    counts = [_term_counts(sentence) for sentence in candidates]
    frequency = Counter(term for each in counts for term in each)
    rarity = {term: math.log(1 + len(counts) / number) for term, number in frequency.items()}
    vectors = [_TermVector({term: number * rarity[term] for term, number in each.items()}) for each in counts]
    total: dict[str, float] = {}
    for vector in vectors:
        for term, weight in vector.weights.items():
            total[term] = total.get(term, 0.0) + weight
    whole = _TermVector(total)
    relevance = [vector.cosine(whole) for vector in vectors]
    best = max(relevance) or 1.0
    redundancy = [0.0] * len(candidates)
    chosen: list[int] = []
    while len(chosen) < count:
        scores = {
            place: relevance_weight * relevance[place] / best - (1 - relevance_weight) * redundancy[place]
            for place in range(len(candidates))
            if place not in chosen
        }
        latest = max(scores, key=lambda place: (scores[place], -place))
        chosen.append(latest)
        for place in scores:
            redundancy[place] = max(redundancy[place], vectors[place].cosine(vectors[latest]))
    return [candidates[place] for place in sorted(chosen)]


class _TermVector:
    """Weights of terms, with their norm."""

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self.norm = math.sqrt(sum(value * value for value in weights.values()))

    def cosine(self, other: _TermVector) -> float:
        """To 9 digits; 0 where nothing is shared."""
        few, many = self.weights, other.weights
        if len(few) > len(many):
            few, many = many, few
        product = sum([value * many[term] for term, value in few.items() if term in many])
        return round(product / (self.norm * other.norm), 9) if product else 0.0


@lru_cache(maxsize=20_000)
def _term_counts(sentence: str) -> Counter[str]:
    """Terms that are no stop words; a sentence is looked at for its leaf and for the sections above it."""
    return Counter(term for term in analyze(sentence) if term not in STOP_TERMS)


def shorten(text: str, words: int) -> str:
    """``text`` cut after ``words`` words; a script without spaces counts a character as half a word."""
    pieces = text.split()
    if len(pieces) > words:
        text = " ".join(pieces[:words])
    text = text[: words * CHARACTERS_OF_A_WORD]
    unspaced = [match.start() for match in _UNSPACED.finditer(text)]
    return text[: unspaced[2 * words]] if len(unspaced) > 2 * words else text
