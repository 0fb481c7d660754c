"""Stems of English words, by the Snowball project's stemmer."""

from __future__ import annotations

import threading
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

_LOCK = threading.Lock()
_STEMMER = EnglishStemmer()
"""By its class, so that a compiled stemmer of another version beside it cannot change what an index holds."""


@lru_cache(maxsize=200_000)
def stem(word: str) -> str:
    """The stem of a lower-case word in plain Latin letters, hyphens and apostrophes; any other text as it is."""
    if len(word) < 3 or not word.isascii() or not word.replace("-", "").replace("'", "").isalpha():
        return word
    with _LOCK:
        stemmed: str = _STEMMER.stemWord(word)
    return stemmed
