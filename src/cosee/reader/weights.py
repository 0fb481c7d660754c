"""The fitted table: linear models of what a question wants, of passages, of answers, and how sure an answer is.

``weights.json`` is written by ``python -m benchmarks.fit_reader``, with what was measured out of fold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum
from pathlib import Path

from cosee.artifacts import files

TABLE = Path(__file__).with_name("weights.json")


@dataclass(frozen=True)
class Weights:
    """One set of weights, by feature name."""

    shape: Mapping[str, Mapping[str, float]]
    """Shape of an answer -> question feature -> weight; a multinomial logit."""
    reading: Mapping[str, Mapping[str, float]]
    """The same to the group of readings that finds the answer, or to none."""
    passage: Mapping[str, float]
    answer: Mapping[str, float]
    trust: Mapping[str, float]
    """Of the grounds of the best answer, to the log odds that it is right; see ``answer.grounds``."""
    absence: Mapping[str, float]
    """Of the same grounds, to the log odds that the question has no answer, where a quarter of all have none."""


def probability(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """What a linear model of log odds says."""
    return 1 / (1 + math.exp(-score(weights, features)))


def likely(table: Mapping[str, Mapping[str, float]], features: Sequence[str]) -> dict[str, float]:
    """The probability of each class of a multinomial logit, from the names of the features that are there."""
    there = dict.fromkeys(features, 1.0)
    raw = {name: score(weights, there) for name, weights in table.items()}
    top = max(raw.values(), default=0.0)
    scaled = {name: math.exp(value - top) for name, value in raw.items()}
    total = fsum(scaled.values())
    return {name: value / total for name, value in scaled.items()}


def score(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The log odds of a linear model; a feature that it does not know counts nothing."""
    return fsum([weights.get("bias", 0.0), *(weights.get(name, 0.0) * value for name, value in features.items())])


@lru_cache(maxsize=1)
def fitted() -> Weights:
    """The weights of all documents."""
    return Weights(**files.read_json(TABLE)["weights"])
