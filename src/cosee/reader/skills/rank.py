"""Ordering evidence by how well its words fit a question."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from math import fsum

from cosee.artifacts.documents.page_labels import cited_as
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked, analyse
from cosee.text.content_words import terms

K1, B = 1.2, 0.6
_PATH_SHARE = 0.4
"""How much a word in a passage's section titles counts, against one in its own text."""
ABSENT = 1.5
"""What a word that no passage has weighs, against the mean of those that some have."""


def rank(question: str | Asked, passages: Sequence[Passage]) -> list[tuple[Passage, float]]:
    """Passages with their scores, best first; ties keep the reading order.

    BM25 (k1 1.2, b 0.6) on stems, with the titles of the sections above at 0.4 of a word's weight, divided by the
    sum of the question's idf: about 0 for nothing in common and 1 or more for a passage with every word of it.
    A page or label that the question names adds 0.5.
    """
    asked = analyse(question) if isinstance(question, str) else question
    bags = [Counter(terms(f"{passage.content}\n{passage.description}")) for passage in passages]
    titles = [Counter(terms(" ".join(passage.path))) for passage in passages]
    weights = idf(asked.terms, [bag | title for bag, title in zip(bags, titles, strict=True)])
    lengths = [sum(bag.values()) for bag in bags]
    mean = max(1.0, sum(lengths) / max(1, len(lengths)))
    total = fsum(weights.values()) or 1.0
    scored = []
    for passage, bag, title, length in zip(passages, bags, titles, lengths, strict=True):
        score = 0.0
        for term, weight in weights.items():
            count = bag[term] + _PATH_SHARE * min(1, title[term])
            score += weight * count * (K1 + 1) / (count + K1 * (1 - B + B * max(length, 8) / mean))
        score = score / total + named_bonus(asked, passage)
        scored.append((passage, round(score, 6)))
    return sorted(scored, key=lambda pair: -pair[1])


def on_named_pages(asked: Asked, passages: Sequence[Passage]) -> list[Passage]:
    """The passages of the pages that the question names, by the printed label where one fits; all where none does."""
    wanted = {str(page) for page in asked.pages} | set(asked.page_labels)
    if not wanted:
        return list(passages)
    names = cited_as(passage.page_label for passage in passages)
    printed = [passage for passage in passages if not wanted.isdisjoint(names.get(passage.page_label or "", ()))]
    physical = [passage for passage in passages if passage.page in asked.pages]
    labelled = printed if asked.page_labels else []
    return labelled or [passage for passage in passages if passage in physical or passage in printed] or list(passages)


def named_bonus(asked: Asked, passage: Passage) -> float:
    """0.5 for a page (physical or printed) or a label that the question names."""
    on_page = passage.page in asked.pages or any(str(page) == passage.page_label for page in asked.pages)
    labelled = (
        any(f"{word} {number}" in passage.label.lower() for word, number in asked.labels) if passage.label else False
    )
    return 0.5 * on_page + 0.5 * labelled


def idf(question_terms: Sequence[str], bags: Sequence[Counter[str]]) -> dict[str, float]:
    """A weight for each term of the question: high where few passages have it; 0.1 at least.

    A term that no passage has is a paraphrase as often as a gap, so it weighs ``ABSENT`` times the mean of the others.
    """
    total = len(bags)
    weights = {}
    absent = []
    for term in question_terms:
        having = sum(term in bag for bag in bags)
        weights[term] = max(0.1, math.log(1 + (total - having + 0.5) / (having + 0.5)))
        if not having:
            absent.append(term)
    present = [weight for term, weight in weights.items() if term not in absent]
    mean = sum(present) / len(present) if present else 1.0
    return weights | {term: ABSENT * mean for term in absent}


def coverage(asked: Asked, text: str, weights: dict[str, float] | None = None) -> float:
    """Share of the question's terms (weighted where ``weights`` are given) that ``text`` holds, 0..1."""
    present = set(terms(text))
    total = fsum((weights or {}).get(term, 1.0) for term in asked.terms)
    held = fsum((weights or {}).get(term, 1.0) for term in asked.terms if term in present)
    return held / total if total else 0.0
