"""SlideVQA's answer and evidence scores, as the functions of the published ``evaluate.py`` give them.

The shipped script itself cannot run; its functions can. Missing predictions count as empty answers, and evidence
pages are sorted and de-duplicated before they are compared.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

from cosee.evaluation.scorers.score import Score, right

NAME = "slidevqa"
VERSION = "1"
CITATION = "Tanaka et al., SlideVQA, AAAI 2023, arXiv 2301.04883; evaluate.py"

_REPLACED = (
    ("this is ", ""), ("it is ", ""), ("&", ","), ("and", ","), ("percent", ""), ("organisation", "organization"),
    ("because of", ""), ("because", ""), ("due to", ""), ("hours", "hrs"), ("minites", "min"),
)  # fmt: skip
_NUMBER_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_NUMBERS = {word: str(number) for number, word in enumerate(_NUMBER_WORDS)}


def normalize(text: str, question: str) -> str:
    """The published normalisation, quirks kept (``and`` goes inside words; ``North America`` becomes ``north``).

    Raises:
        IndexError: the question ends in ``how many`` or ``which``, where the published code raises too.
    """
    text = text.lower()
    for old, new in _REPLACED:
        text = text.replace(old, new)
    for opener in ("how many", "which"):
        if opener in question:
            text = text.replace(question.partition(opener)[2].split(" ")[1], "")
    text = "".join(character for character in text if character not in string.punctuation)
    text = re.sub(r"\b(a|an|the)\b", " ", text)
    if text.startswith(("yes", "no")):
        text = text.split()[0]
    return " ".join(_NUMBERS.get(word, word) for word in text.split())


def f1(gold: str, prediction: str, question: str) -> Score:
    """Bag-of-tokens F1 of the normalised answers; no common token (two empty answers too) is 0."""
    tokens = _tokens(gold, prediction, question)
    if tokens is None:
        return _score(0.0, "the published code raises IndexError for this question")
    return _score(_bag_f1(*tokens), "token F1")


def exact_match(gold: str, prediction: str, question: str) -> Score:
    """Equality of the normalised token lists; two empty ones are 0."""
    tokens = _tokens(gold, prediction, question)
    if tokens is None:
        return _score(0.0, "the published code raises IndexError for this question")
    return _score(right(bool(tokens[0]) and tokens[0] == tokens[1]), "token lists equal")


def evidence_f1(gold_pages: Sequence[int], pages: Sequence[int]) -> Score:
    """F1 of 1-based page sets."""
    return _score(_bag_f1(sorted(set(gold_pages)), sorted(set(pages))), "page F1, sorted and de-duplicated")


def _tokens(gold: str, prediction: str, question: str) -> tuple[list[str], list[str]] | None:
    try:
        return normalize(gold, question).split(), normalize(prediction, question).split()
    except IndexError:
        return None


def _bag_f1(gold: Sequence[object], prediction: Sequence[object]) -> float:
    common = sum((Counter(gold) & Counter(prediction)).values())
    if common == 0:
        return 0.0
    precision, recall = common / len(prediction), common / len(gold)
    return 2 * precision * recall / (precision + recall)


def _score(value: float, rule: str) -> Score:
    return Score(value, f"{NAME}@{VERSION}", rule)
