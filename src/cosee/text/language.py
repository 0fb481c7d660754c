"""The language of a document from its scripts and most frequent words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from cosee.text.scripts import HAN, HANGUL, KANA
from cosee.text.thresholds import (
    LANGUAGE_CHARACTERS,
    LANGUAGE_CHARACTERS_OF_A_TEXT,
    LEAST_COMMON_SHARE,
    LEAST_COMMON_WORDS,
    LEAST_KANA,
    LEAST_LANGUAGE_LETTERS,
    LEAST_SCRIPT,
)

# General knowledge: the ranges of Unicode for scripts, and the codes of languages of ISO 639-1.
_SCRIPTS = (
    ("ja", re.compile(f"[{KANA}]")),
    ("zh", re.compile(f"[{HAN}]")),
    ("ko", re.compile(f"[{HANGUL}]")),
    ("ru", re.compile(r"[\u0400-\u04ff]")),
    ("el", re.compile(r"[\u0370-\u03ff]")),
    ("he", re.compile(r"[\u0590-\u05ff]")),
    ("ar", re.compile(r"[\u0600-\u06ff]")),
    ("hi", re.compile(r"[\u0900-\u097f]")),
)
# General knowledge: the most frequent articles, prepositions, conjunctions and auxiliaries of each language.
_COMMON = {
    "en": {"the", "of", "and", "to", "in", "is", "that", "for", "with", "are"},
    "de": {"der", "die", "und", "das", "ist", "von", "den", "mit", "für", "nicht"},
    "fr": {"le", "la", "les", "et", "des", "est", "une", "dans", "pour", "que"},
    "es": {"el", "los", "las", "del", "que", "una", "para", "con", "por", "es"},
    "it": {"il", "che", "di", "della", "per", "una", "sono", "con", "gli", "nel"},
    "pt": {"os", "uma", "para", "com", "não", "que", "dos", "da", "em", "por"},
    "nl": {"het", "een", "van", "en", "de", "niet", "voor", "met", "zijn", "dat"},
}


def language_of(texts: Iterable[str]) -> str | None:
    """ISO 639-1 code, or None where the beginnings of the texts do not tell."""
    sample = ""
    for text in texts:
        sample += " " + text[:LANGUAGE_CHARACTERS_OF_A_TEXT]
        if len(sample) > LANGUAGE_CHARACTERS:
            break
    letters = sum(map(str.isalpha, sample))
    if letters < LEAST_LANGUAGE_LETTERS:
        return None
    for code, pattern in () if sample.isascii() else _SCRIPTS:
        share = len(pattern.findall(sample)) / letters
        if share > (LEAST_KANA if code == "ja" else LEAST_SCRIPT):
            return code
    words = Counter(re.findall(r"[^\W\d_]+", sample.lower()))
    counts = {code: sum(words[word] for word in common) for code, common in _COMMON.items()}
    best = max(counts, key=lambda code: (counts[code], code))
    return best if counts[best] >= max(LEAST_COMMON_WORDS, LEAST_COMMON_SHARE * words.total()) else None
