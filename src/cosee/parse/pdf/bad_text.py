"""Text layers that have characters and yet cannot be read: broken fonts, codes that stand for other letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from math import ceil, sqrt

from cosee.parse.pdf import thresholds

_WORD = re.compile(r"[^\W\d_]{2,}")
_LETTERS = dict(
    zip(
        "etaoinsrlducmphgbfvywkzjxq",
        (140, 70, 85, 60, 75, 75, 70, 65, 45, 40, 40, 30, 30, 25, 30, 20, 15, 15, 13, 10, 10, 10, 5, 5, 3, 4),
        strict=True,
    )
)
"""How often each letter occurs in a thousand, over the languages of Europe."""
LAST_LATIN = "\u024f"
"""The last letter of Latin script in Unicode's order."""
_MEANINGLESS = re.compile("[\ufffd\ue000-\uf8ff]")
_TOKEN = re.compile(r"\w+")
_COMMON = frozenset(
    _TOKEN.findall(
        "the of and to in is that for on with as by are at de la le les des et en un une du que el los las por con se "
        "der die und den von zu mit das ist auf dem im nicht ein eine il di che per non della os da do em para com "
        "van het een op voor och att som det av er til på af og na się je nie ja ei bir ve bu yang dan si nu cu este "
        "za su ne va"
    )
)
"""Words that hardly a page of running text goes without. General knowledge: the most frequent articles, prepositions,
conjunctions and pronouns of the languages of Europe and some others."""


def is_unreadable(texts: Iterable[tuple[str, str]]) -> bool:
    """Whether much of a page's text (font, characters) has no meaning.

    Either replacement and private-use characters stand for much of it, or the letters of a font are spread as in no
    language and none of its words is a common one: a font whose codes were mapped to the wrong letters.
    """
    fonts: dict[str, list[str]] = {}
    for font, text in texts:
        fonts.setdefault(font, []).append(text)
    whole = "".join(text for parts in fonts.values() for text in parts)
    bad = 0 if whole.isascii() else len(_MEANINGLESS.findall(whole))
    if bad > thresholds.MAX_UNREADABLE * len(whole) and len(whole) > thresholds.MIN_JUDGED_CHARACTERS:
        return True
    scrambled = sum(sum(map(str.isalpha, text)) for parts in fonts.values() if _is_scrambled(text := " ".join(parts)))
    return scrambled > 0 and scrambled > thresholds.MAX_UNREADABLE * sum(map(str.isalpha, whole))


def _is_scrambled(text: str) -> bool:
    enough = ceil(thresholds.MIN_COMMON_WORDS * (text.count(" ") + 1))
    common = (token for token in _TOKEN.finditer(text.lower()) if token[0] in _COMMON)
    if sum(1 for _ in islice(common, enough)) == enough:
        return False
    words = {word.lower() for word in _WORD.findall(text) if not word.isupper()}
    if len(words) < thresholds.MIN_WORDS:
        return False
    if not text.isascii() and sum(c.isalpha() and c > LAST_LATIN for c in text) > thresholds.MAX_OTHER_LETTERS:
        return False
    counts = Counter(c for word in words for c in word if c in _LETTERS)
    length = sqrt(sum(n * n for n in counts.values())) * sqrt(sum(n * n for n in _LETTERS.values()))
    likeness = sum(n * _LETTERS[c] for c, n in counts.items()) / length if length else 1.0
    return likeness < thresholds.MIN_LIKENESS
