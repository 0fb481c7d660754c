"""Exact match, token F1 and ANLS, by their published signatures.

``gold`` is one answer or a list of acceptable ones, of which the best counts. An empty gold is an error, not a score.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from cosee.evaluation.scorers.text import similarity
from cosee.evaluation.scorers.thresholds import LEAST_SIMILARITY

NAME = "core"
VERSION = "1"
CITATION = "Rajpurkar et al., SQuAD, EMNLP 2016 (EM, F1); Biten et al., Scene Text VQA, ICCV 2019 (ANLS)"

_MINUS = dict.fromkeys(map(ord, "\u2010\u2011\u2012\u2013\u2014\u2212"), "-")
_QUOTES = dict.fromkeys(map(ord, "'\u2018\u2019\u201b`\u00b4"), "")


@lru_cache(maxsize=16_384)
def normalize_answer(text: str) -> str:
    """Lower case, one spelling of dashes and blanks, no punctuation or articles; numbers keep their value.

    Signs, decimal points, percent signs and ranges survive (``-3`` is not ``3``, ``3.140`` not ``3.14``), thousands
    separators go, and an answer that is nothing but an article or punctuation stays as it is.
    """
    text = unicodedata.normalize("NFKC", text).lower().translate(_MINUS).translate(_QUOTES)
    text = re.sub(r"(?<=\d)[,\u202f](?=\d{3}(?!\d))", "", text)
    text = re.sub(r"(?<=\d)\s+%", "%", text)
    kept = re.sub(r"(?<!\d)\.|\.(?!\d)", "", text)
    kept = re.sub(r"(?<![\s(])-(?!\d)|(?<=[^\W\d])-|-(?!\d)", " ", kept)
    kept = re.sub(r"[^\w\s.%$\u00a3\u20ac-]|_", " ", kept)
    words = kept.split()
    without_articles = [word for word in words if word not in ("a", "an", "the")]
    return " ".join(without_articles or words) or " ".join(text.split())


def exact_match(pred: str, gold: str | list[str]) -> float:
    """1.0 when the normalised prediction equals a normalised gold answer, else 0.0."""
    wanted = normalize_answer(pred)
    return max(float(wanted == normalize_answer(answer)) for answer in _answers(gold))


def f1_score(pred: str, gold: str | list[str]) -> float:
    """Best token-level F1. ``yes it is`` against ``yes`` is scored like any other answer (0.5)."""
    return max(_token_f1(normalize_answer(pred).split(), normalize_answer(answer).split()) for answer in _answers(gold))


def anls(pred: str, gold: str | list[str], *, tau: float = LEAST_SIMILARITY) -> float:
    """Best normalised Levenshtein similarity in lower case with blanks squeezed; ``tau`` and less is 0."""
    found = _squeeze(pred)
    best = max(similarity(_squeeze(answer), found) for answer in _answers(gold))
    return best if best > tau else 0.0


def aggregate_metrics(preds: list[str], golds: Sequence[str | list[str]]) -> dict[str, float]:
    """Means of ``em``, ``f1`` and ``anls``; 0.0 each for no questions at all.

    Raises:
        ValueError: the lists differ in length, or a gold answer is empty.
    """
    if len(preds) != len(golds):
        raise ValueError(f"{len(preds)} predictions for {len(golds)} gold answers")
    count = max(len(preds), 1)
    return {
        name: sum(metric(pred, gold) for pred, gold in zip(preds, golds, strict=True)) / count
        for name, metric in (("em", exact_match), ("f1", f1_score), ("anls", anls))
    }


def _answers(gold: str | list[str]) -> list[str]:
    answers = [answer for answer in ([gold] if isinstance(gold, str) else gold) if answer.strip()]
    if not answers:
        raise ValueError("the gold answer is empty")
    return answers


def _squeeze(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).lower().split())


def _token_f1(pred: list[str], gold: list[str]) -> float:
    if not pred or not gold:
        # As in SQuAD 2.0: an answer of signs alone has no token, and is itself all the same.
        return float(pred == gold)
    if set(pred).isdisjoint(gold):
        return 0.0
    common = sum((Counter(pred) & Counter(gold)).values())
    precision, recall = common / len(pred), common / len(gold)
    return 2 * precision * recall / (precision + recall)
