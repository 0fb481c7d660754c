"""Sentences and chunks as character ranges of a text; nothing of the text is changed or lost."""

from __future__ import annotations

import re
from bisect import bisect_left

from cosee.text.months import SHORT_MONTHS
from cosee.text.scripts import UNSPACED
from cosee.text.thresholds import LONGEST_SENTENCE_WORD

# General knowledge: abbreviations with a full stop that dictionaries of English and German list.
_ABBREVIATION_WORDS = (
    "mr mrs ms dr prof sr jr st no nos vol vs etc al fig figs eq eqs sec secs tab ref refs ch pp p ed eds est approx "
    "dept inc ltd co corp cf ca e.g i.e u.s u.k a.m p.m "
    "z.b bzw usw ggf abb nr bd vgl d.h"
)
_ABBREVIATIONS = frozenset((*_ABBREVIATION_WORDS.split(), "sept", *SHORT_MONTHS)) - {"may"}
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？]+[”’」』）]*|\n+")
_LAST_WORD = re.compile(r"(?:^|[\s(\[])([^\s(\[]+?)\.?$")
_UNIT = re.compile(rf"[{UNSPACED}]|[^\s\u2e80-\u9fff{UNSPACED}]{{1,40}}")

Range = tuple[int, int]
"""Start and end offset in a text, end exclusive."""


def split_sentences(text: str) -> list[str]:
    """Sentences of ``text`` in order, with single spaces; a line ends one, so that items of a list stay apart.

    Abbreviations, initials, decimals and CJK stops are understood.
    """
    pieces = (" ".join(text[start:end].split()) for start, end in _sentence_ranges(text))
    return [piece for piece in pieces if piece]


def _sentence_ranges(text: str) -> list[Range]:
    ranges: list[Range] = []
    start = 0
    for match in _END.finditer(text):
        if match.group().startswith(".") and not _ends_sentence(text, start, match):
            continue
        ranges.append((start, match.end()))
        start = match.end()
    if start < len(text):
        ranges.append((start, len(text)))
    return ranges


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    word = _LAST_WORD.search(text[max(start, match.start() - LONGEST_SENTENCE_WORD) : match.start()])
    last = word.group(1).casefold().strip(".") if word else ""
    if last in _ABBREVIATIONS or (len(last) == 1 and last.isalpha()):
        return False
    following = text[match.end() :].lstrip()[:1]
    # "1. Introduction": a number at the start of a line numbers what follows.
    numbering = last.isdigit() and not text[start : match.start()].strip()[: -len(last) or None].strip()
    return not following.islower() and not numbering


def chunk_ranges(text: str, words: int, overlap: int) -> list[Range]:
    """Ranges of at most ``words`` words that together cover every character of ``text``.

    Neighbours share about ``overlap`` words. A chunk ends at a sentence end where one lies in its last third. A
    character of a script without spaces counts as a word, and so do every 40 characters of an unbroken string.
    """
    starts = [match.start() for match in _UNIT.finditer(text)]
    if len(starts) <= words + overlap:
        return [(0, len(text))]
    ends = {bisect_left(starts, end) for _, end in _sentence_ranges(text)}  # units before the end of each sentence
    ranges: list[Range] = []
    first = 0
    while True:
        last = min(first + words, len(starts))
        if len(starts) - last <= overlap:
            last = len(starts)
        else:
            last = next((unit for unit in range(last, first + 2 * words // 3, -1) if unit in ends), last)
        begin = starts[first] if first else 0
        ranges.append((begin, starts[last] if last < len(starts) else len(text)))
        if last >= len(starts):
            return ranges
        first = max(first + 1, last - min(overlap, words // 2))
