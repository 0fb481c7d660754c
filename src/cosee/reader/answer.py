"""The reader's answer to a question over passages: the best places, an answer where it is likely right, else none."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import fsum

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.asked import Asked, analyse
from cosee.reader.evidence import RankedPlace, Rarity, best_passages, places, rank_places
from cosee.reader.passages import Passage, Quote, ReadingAnswer
from cosee.reader.readings import Candidate, log_odds, readings
from cosee.reader.thresholds import MIN_PROBABILITY, MIN_SHAPE_PROBABILITY, QUOTES_SHOWN
from cosee.reader.weights import Weights, fitted, probability, score

COUNTED = "count of parts"
"""The reading whose answer is counted, not looked for."""
SHARED_GROUNDS = ("none", "shape", "p share near", "absent")
"""Features of an answer that tell how far to trust it, and whether there is one."""
CONFIDENCE_DIGITS = 1
"""Digits of a confidence: in tenths, since more was not measured."""


def read(
    question: str,
    passages: Sequence[Passage],
    frequencies: Mapping[str, int] | None = None,
    weights: Weights | None = None,
) -> ReadingAnswer:
    """Answer from ``passages`` alone, with what may be asked for and is likelier right than that there is no answer;
    deterministic, never raises for what they say. ``frequencies``: ``Rarity``."""
    weights = weights or fitted()
    asked, listed, rarity = find_places(question, passages, frequencies, weights)
    shown = best_passages(listed, QUOTES_SHOWN)
    found = [] if is_unknown(asked, rarity) else readings(asked, listed, rarity, passages)
    chosen = rank_answers(found, [score(weights.answer, each.features) for each in found])
    seen = grounds(chosen) if chosen else {"odds": log_odds(0.0), "absent": rarity.absent}
    sure, absent = probability(weights.trust, seen), probability(weights.absence, seen)
    if not chosen or not (chosen[0][1].kind == COUNTED or (may_be_asked_for(seen) and sure >= absent)):
        return _abstention(shown, absent)
    best, sure = chosen[0][1], round(sure, CONFIDENCE_DIGITS)
    own = tuple(dict.fromkeys(place.as_quote for place in best.places))
    further = () if best.kind == COUNTED else tuple(quote for quote in shown if quote not in own)
    return ReadingAnswer(best.text, explanation(best, sure), sure, False, own, further, best.kind)


def find_places(
    question: str, passages: Sequence[Passage], frequencies: Mapping[str, int] | None, weights: Weights
) -> tuple[Asked, list[RankedPlace], Rarity]:
    """The question, the places that may answer it, best first, and how much its words tell."""
    asked, found = analyse(question, weights), places(passages)
    rarity = Rarity(asked, found, frequencies)
    return asked, rank_places(asked, found, rarity, weights), rarity


def is_unknown(asked: Asked, rarity: Rarity) -> bool:
    """Whether the question names somebody or something that stands nowhere; abbreviations may be spelled out there."""
    return any(not rarity.frequencies.get(name, 1) for name in asked.proper)


def rank_answers(found: Sequence[Candidate], points: Sequence[float]) -> list[tuple[float, Candidate]]:
    """The different answers, each as its likeliest candidate, with their probabilities by the ``points`` of the
    candidates (log odds), best first; that there is no answer is one more choice, of log odds 0."""
    top = max([0.0, *points])
    weighed = [math.exp(each - top) for each in points]
    total = math.exp(-top) + fsum(weighed)
    by_text: dict[str, list[tuple[float, Candidate]]] = {}
    for weight, each in zip(weighed, found, strict=True):
        by_text.setdefault(each.key, []).append((weight / total, each))
    told = [(round(fsum(p for p, _ in same), 9), max(same, key=lambda pair: pair[0])[1]) for same in by_text.values()]
    return sorted(told, key=lambda pair: -pair[0])


def grounds(chosen: Sequence[tuple[float, Candidate]]) -> dict[str, float]:
    """What the models of trust and of absence see: how likely the best answer is, before the next and by how it was
    read, and what of the question stands nowhere."""
    likely, best = chosen[0]
    second = max([MIN_PROBABILITY, *(p for p, _ in chosen[1:])])
    return {
        "odds": log_odds(likely), "lead": math.log(max(MIN_PROBABILITY, likely) / second), f"read {best.group}": 1.0,
        **{name: best.features[name] for name in SHARED_GROUNDS},
    }  # fmt: skip


def may_be_asked_for(seen: Mapping[str, float]) -> bool:
    """Whether the best answer is not of a shape that such a question hardly ever asks for."""
    return seen["shape"] >= math.log(MIN_SHAPE_PROBABILITY)


def explanation(best: Candidate, sure: float) -> str:
    """The answer with the words that it was read from, and what its confidence means."""
    quote = best.places[0].as_quote.text
    said = f"“{quote}” " if quote != best.text else ""
    return f"{said}No model read this; such an answer is right in about {round(10 * sure)} of 10."


def _abstention(shown: Sequence[Quote], absent: float) -> ReadingAnswer:
    why = "No model read this, and no answer was found that is likely right. The nearest passages are shown."
    sure = round(absent, CONFIDENCE_DIGITS)
    return ReadingAnswer(NOT_ANSWERABLE, why, sure, True, tuple(shown[:1]), tuple(shown[1:]), "abstain")
