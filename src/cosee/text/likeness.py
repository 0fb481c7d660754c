"""How like two words are: the nearest of some names, and words one slip of the pen apart."""

from __future__ import annotations

from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel


def nearest(word: str, known: Iterable[str], *, least: float = 0.0, count: int = 1) -> list[str]:
    """The ``count`` words of ``known`` most like ``word``, the likest first; ``least`` is from 0 to 1 (equal)."""
    found = process.extract(
        word, sorted(known), scorer=Indel.normalized_similarity, processor=None, limit=count, score_cutoff=least
    )
    return [name for name, _, _ in found]


def one_edit(first: str, second: str) -> bool:
    """Whether one letter added, left out, replaced or exchanged with its neighbour makes one word of the other."""
    return OSA.distance(first, second, score_cutoff=1) == 1
