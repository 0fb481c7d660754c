"""Small facts about strings that several steps ask for."""

from __future__ import annotations

import re

_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_ROMAN = re.compile(r"(?=[ivxlc])c{0,3}(?:x[cl]|l?x{0,3})(?:i[xv]|v?i{0,3})", re.IGNORECASE)
_ROMAN_VALUES = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
_UNFINISHED = frozenset((
    "a", "an", "the", "of", "and", "or", "to", "for", "with", "in", "from", "by", "on", "at", "as", "is", "are", "was",
    "were", "that", "which", "just", "und", "der", "die", "des", "für", "mit", "von", "zur", "zum", "et", "de", "du",
    "la", "le", "les", "y", "del", "&", "/", "–", "—",
))  # fmt: skip
SENTENCE_ENDS = (".", "!", "?", "。", "！", "？", ";", "；", "…")


def one_line(text: str) -> str:
    """White space, line breaks included, as single spaces."""
    return " ".join(text.split())


def goes_on_after(line: str) -> bool:
    """Whether a line ends in a word that no title ends in (``the``, ``und``, ``&``): more must follow."""
    return " " in line and line.rpartition(" ")[2] in _UNFINISHED


def has_cjk(text: str) -> bool:
    """Whether Chinese, Japanese or Korean characters occur."""
    return _CJK.search(text) is not None


def word_count(text: str) -> int:
    """Words; a Chinese or Japanese character counts as half a word, since such text has no spaces."""
    return len(_CJK.sub(" ", text).split()) + (len(_CJK.findall(text)) + 1) // 2


def letter_count(text: str) -> int:
    """Letters of any script."""
    return sum(map(str.isalpha, text))


def is_upper(text: str) -> bool:
    """Whether the text (its first 200 characters) has at least three cased letters, and nearly all are capitals."""
    start = text[:200]
    upper = sum(map(str.isupper, start))
    return upper >= 3 and sum(map(str.islower, start)) <= upper * 0.05


def roman_value(text: str) -> int | None:
    """Value of a roman numeral up to 399 (either case), None for anything else."""
    if not text or not _ROMAN.fullmatch(text):
        return None
    digits = [_ROMAN_VALUES[character] for character in text.lower()]
    return sum(
        -value if index + 1 < len(digits) and value < digits[index + 1] else value for index, value in enumerate(digits)
    )


def to_roman(value: int) -> str:
    """Lower-case roman numeral of a value from 1 to 399."""
    table = [(100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i")]
    text = ""
    for number, numeral in table:
        while value >= number:
            text += numeral
            value -= number
    return text
