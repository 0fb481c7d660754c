"""Pieces that several published scorers share: edit distance and kinds of text."""

from __future__ import annotations

import re

from rapidfuzz.distance import Levenshtein

from cosee.evaluation.scorers.thresholds import LEAST_SIMILARITY

_EXACT_TYPES = (
    r"\d+(-\d+|\s\d+)?",
    r"\d{4}[-\s]\d{2}[-\s]\d{2}",
    r"\d{4}[-\s]\d{2}",
    r"[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\.[a-zA-Z]{2,}",
)


def similarity(first: str, second: str) -> float:
    """``1 - distance / longer length``; 1 for two empty strings.

    A pair whose lengths alone keep it below 0.5 is given its upper bound, which every caller's threshold makes 0:
    so a runaway answer costs nothing.
    """
    longest = max(len(first), len(second))
    if longest == 0:
        return 1.0
    bound = min(len(first), len(second)) / longest
    if bound < LEAST_SIMILARITY:
        return bound
    return 1.0 - Levenshtein.distance(first, second) / longest


def anls_above_half(gold: str, prediction: str) -> float:
    """Similarity; 0.5 and less is 0 (MMLongBench-Doc, LongDocURL)."""
    value = similarity(gold, prediction)
    return 0.0 if value <= LEAST_SIMILARITY else value


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
