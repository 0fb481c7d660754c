"""How like words are: the nearest of some names, words one edit apart, a quote among recognised words."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA, Indel

from cosee.text.thresholds import LEAST_LIKENESS_OF_NAMES, LEAST_RECOGNISED_LETTERS, MOST_LOST_WORDS


def nearest(word: str, known: Iterable[str], *, least: float = 0.0, count: int = 1) -> list[str]:
    """The ``count`` words of ``known`` most like ``word``, the likest first; ``least`` is from 0 to 1 (equal)."""
    found = process.extract(
        word, sorted(known), scorer=Indel.normalized_similarity, processor=None, limit=count, score_cutoff=least
    )
    return [name for name, _, _ in found]


def nearest_word(word: str, known: Iterable[str]) -> str | None:
    """The one of ``known`` that ``word`` may be a slip of; None where none is like it."""
    return next(iter(nearest(word, known, least=LEAST_LIKENESS_OF_NAMES)), None)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``; did you mean 'page_rag'?``, the tail of a message about an unknown word; empty where none is like it."""
    near = nearest_word(word, known)
    return f"; did you mean {near!r}?" if near is not None else ""


def one_edit(first: str, second: str) -> bool:
    """Whether one letter added, left out, replaced or exchanged with its neighbour makes one word of the other."""
    return OSA.distance(first, second, score_cutoff=1) == 1


def contains_quote(read: str, quote: str) -> bool:
    """Whether words that were recognised in a picture hold those of a quote, with the errors that recognition makes.

    Nearly all words of the quote must be there, in any order, each exactly or, if it is a longer one, one edit away;
    words with a digit must all be there exactly.
    """
    there, wanted = _words(read), _words(quote)
    if not wanted:
        return False
    known = set(there)
    missing = [word for word in wanted if word not in known]
    if any(character.isdigit() for word in missing for character in word):
        return False
    lost = [
        word
        for word in missing
        if len(word) < LEAST_RECOGNISED_LETTERS or not any(one_edit(word, each) for each in known)
    ]
    return len(lost) <= len(wanted) * MOST_LOST_WORDS


def runs_of_quote(read: Sequence[str], quote: str) -> list[tuple[int, int]]:
    """Where recognised words hold a quote (``contains_quote``): the first word of each run and the one behind its last.

    Of all runs as long as the quote only those that hold most of its words are looked at.
    """
    wanted = _words(quote)
    known = set(wanted)
    listed = [at if word in known else None for at, text in enumerate(read) for word in _words(text)]
    windows = (listed[start : start + len(wanted)] for start in range(max(1, len(listed) - len(wanted) + 1)))
    held = [[at for at in window if at is not None] for window in windows]
    most = max(map(len, held))
    spans = dict.fromkeys((each[0], each[-1] + 1) for each in held if most and len(each) == most)
    return [(first, end) for first, end in spans if contains_quote(" ".join(read[first:end]), quote)]


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [word.strip(".,") for word in re.findall(r"[^\W_](?:[\w.,]*[^\W_])?", folded)]
