"""Small facts about strings that several steps ask for."""

from __future__ import annotations

import re

from cosee.text.scripts import CJK
from cosee.text.thresholds import CAPITALS_READ, LEAST_CAPITALS, MOST_SMALL_LETTERS

_CJK = re.compile(f"[{CJK}]")
_UNFINISHED = frozenset((
    "a", "an", "the", "of", "and", "or", "to", "for", "with", "in", "from", "by", "on", "at", "as", "is", "are", "was",
    "were", "that", "which", "und", "der", "die", "des", "für", "mit", "von", "zur", "zum", "et", "de", "du",
    "la", "le", "les", "y", "del", "&", "/", "–", "—",
))  # fmt: skip
"""General knowledge: articles, prepositions, conjunctions and auxiliaries of English, German, French and Spanish."""
SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", ";", "；", "…")


def one_line(text: str) -> str:
    """White space, line breaks included, as single spaces."""
    return " ".join(text.split())


def first_words(text: str, limit: int) -> str:
    """The first words of ``text`` on one line, at most ``limit`` characters."""
    plain = " ".join(text[: 4 * limit].split())
    return plain if len(plain) <= limit else plain[: limit - 2].rsplit(" ", 1)[0] + " …"


def goes_on_after(line: str) -> bool:
    """Whether a line ends in a word that no title ends in (``the``, ``und``, ``&``): more must follow."""
    return " " in line and line.rpartition(" ")[2] in _UNFINISHED


def word_count(text: str) -> int:
    """Words; a Chinese or Japanese character counts as half a word, since such text has no spaces."""
    return len(_CJK.sub(" ", text).split()) + (len(_CJK.findall(text)) + 1) // 2


def letter_count(text: str) -> int:
    """Letters of any script."""
    return sum(map(str.isalpha, text))


def is_upper(text: str) -> bool:
    """Whether the beginning of the text has a few cased letters, and nearly all of them are capitals."""
    start = text[:CAPITALS_READ]
    upper = sum(map(str.isupper, start))
    return upper >= LEAST_CAPITALS and sum(map(str.islower, start)) <= upper * MOST_SMALL_LETTERS
