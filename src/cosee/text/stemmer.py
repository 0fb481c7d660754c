"""Porter's stemmer for English words (M. F. Porter, "An algorithm for suffix stripping", Program 14(3), 1980)."""

from __future__ import annotations

import re

_CONSONANT = "(?:[^aeiouy]|(?<![^aeiou])y|^y)"
_VOWEL = "(?:[aeiou]|(?<=[^aeiou])y)"
_MEASURE = re.compile(f"{_VOWEL}+{_CONSONANT}+")
_HAS_VOWEL = re.compile(_VOWEL)
_DOUBLE = re.compile(r"([^aeiouylsz])\1$")
_SHORT = re.compile(f"{_CONSONANT}{_VOWEL}[^aeiouywx]$")

_STEP_2 = (
    ("ational", "ate"), ("tional", "tion"), ("enci", "ence"), ("anci", "ance"), ("izer", "ize"), ("bli", "ble"),
    ("alli", "al"), ("entli", "ent"), ("eli", "e"), ("ousli", "ous"), ("ization", "ize"), ("ation", "ate"),
    ("ator", "ate"), ("alism", "al"), ("iveness", "ive"), ("fulness", "ful"), ("ousness", "ous"), ("aliti", "al"),
    ("iviti", "ive"), ("biliti", "ble"), ("logi", "log"),
)  # fmt: skip
_STEP_3 = (
    ("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", ""),
)  # fmt: skip
_STEP_4 = (
    "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion",
    "al", "er", "ic", "ou",
)  # fmt: skip


def stem(word: str) -> str:
    """The stem of a lower-case word in plain Latin letters; any other word, and one of two letters, as it is."""
    if len(word) < 3 or not word.isascii() or not word.isalpha():
        return word
    word = _past_and_continuous(_plural(word))
    if word.endswith("y") and _HAS_VOWEL.search(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(_replaced(word, _STEP_2), _STEP_3)
    word = _without_ending(word)
    if word.endswith("e"):
        shorter, measure = word[:-1], _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _SHORT.search(shorter)):
            word = shorter
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _measure(part: str) -> int:
    """Number of vowel-consonant sequences."""
    return len(_MEASURE.findall(part))


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past_and_continuous(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((each for each in ("ed", "ing") if word.endswith(each)), None)
    if ending is None or not _HAS_VOWEL.search(word[: -len(ending)]):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if _DOUBLE.search(word):
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _SHORT.search(word) else word


def _replaced(word: str, endings: tuple[tuple[str, str], ...]) -> str:
    for ending, replacement in sorted(endings, key=lambda pair: -len(pair[0])):
        if word.endswith(ending):
            part = word[: -len(ending)]
            return part + replacement if _measure(part) > 0 else word
    return word


def _without_ending(word: str) -> str:
    for ending in sorted(_STEP_4, key=lambda each: -len(each)):
        if word.endswith(ending):
            part = word[: -len(ending)]
            fits = _measure(part) > 1 and (ending != "ion" or part.endswith(("s", "t")))
            return part if fits else word
    return word
