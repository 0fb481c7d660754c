"""Pieces that several published scorers share: edit distance, cleaning, lists written as text."""

from __future__ import annotations

import ast
import re
from typing import Any

MAX_LIST_TEXT = 20_000
"""Longest text that is read as a list; model output is data and may be anything."""

_EXACT_TYPES = (
    r"\d+(-\d+|\s\d+)?",
    r"\d{4}[-\s]\d{2}[-\s]\d{2}",
    r"\d{4}[-\s]\d{2}",
    r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}",
)


def edit_distance(first: str, second: str) -> int:
    """Levenshtein distance with unit costs over code points."""
    if len(first) > len(second):
        first, second = second, first
    row = list(range(len(first) + 1))
    for line, wanted in enumerate(second, start=1):
        diagonal, row[0] = row[0], line
        for column, found in enumerate(first, start=1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (found != wanted)),
            )
    return row[-1]


def similarity(first: str, second: str) -> float:
    """``1 - distance / longer length``; 1 for two empty strings.

    A pair whose lengths alone keep it below 0.5 is given its upper bound, which every caller's threshold makes 0:
    so a runaway answer costs nothing.
    """
    longest = max(len(first), len(second))
    if longest == 0:
        return 1.0
    bound = min(len(first), len(second)) / longest
    if bound < 0.5:
        return bound
    return 1.0 - edit_distance(first, second) / longest


def anls_above_half(gold: str, prediction: str) -> float:
    """Similarity; 0.5 and less is 0 (MMLongBench-Doc, LongDocURL)."""
    value = similarity(gold, prediction)
    return 0.0 if value <= 0.5 else value


def is_exact_type(text: str) -> bool:
    """Whether MMLongBench-Doc wants equality for this (cleaned) gold: addresses, files, pages, numbers, times."""
    return (
        "https://" in text
        or text.endswith((".py", "ipynb"))
        or text.startswith("page")
        or "a.m." in text
        or "p.m." in text
        or any(re.fullmatch(pattern, text) for pattern in _EXACT_TYPES)
    )


def is_float(text: str) -> bool:
    """Whether ``float`` reads the text."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def read_list(text: str) -> list[Any]:
    """The list that ``text`` writes as a Python literal.

    Raises:
        ValueError: not a literal list, too long or too deep. Nothing is ever executed.
    """
    if len(text) > MAX_LIST_TEXT:
        raise ValueError(f"list of {len(text)} characters is too long")
    try:
        value = ast.literal_eval(text.strip())
    except (SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a list: {type(error).__name__}") from error
    return list(value) if isinstance(value, list | tuple) else [value]
