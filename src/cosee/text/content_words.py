"""The words of questions and evidence that tell something, as the reader and the agents compare them."""

from __future__ import annotations

import re
from functools import lru_cache

from cosee.text.folding import fold
from cosee.text.scripts import CJK
from cosee.text.stemming import stem
from cosee.text.stop_words import LITTLE_WORDS

_CJK = re.compile(f"[{CJK}]")
_WORD = re.compile(rf"[{CJK}]+|[^\W_]+(?:[.'’&/-][^\W_]+)*%?|%")
# General knowledge: articles, prepositions, conjunctions and forms of "be" of English.
_SMALL_WORDS = "a an and are as at by for from in is of on or our the this to was were with"
_SMALL = frozenset(_SMALL_WORDS.split())


def words(text: str) -> list[str]:
    """Folded words in order; runs of Chinese, Japanese or Korean characters as overlapping pairs."""
    found: list[str] = []
    for match in _WORD.finditer(fold(text)):
        token = match.group()
        if not token.isascii() and _CJK.match(token):
            found.extend(token[at : at + 2] for at in range(max(1, len(token) - 1)))
        else:
            found.append(token)
            if "-" in token or "/" in token:
                found.extend(part for part in token.replace("/", "-").split("-") if len(part) > 1)
    return found


@lru_cache(maxsize=16_384)
def terms(text: str) -> tuple[str, ...]:
    """Stems of the words that are not stop words, in order."""
    return tuple(stem(word) for word in words(text) if word not in LITTLE_WORDS and (len(word) > 1 or word.isdigit()))


def label_terms(text: str) -> list[str]:
    """Stems for comparing table labels, where words like ``total`` and ``other`` tell rows apart."""
    return [stem(word) for word in words(text) if word not in _SMALL]
