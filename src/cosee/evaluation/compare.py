"""Method against method on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from cosee.artifacts.results.metrics import Comparison
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.intervals import bootstrap_mean
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.seeds import groups_of
from cosee.evaluation.summary import document_key, mean
from cosee.evaluation.thresholds import RIGHT_SCORE


def compare(
    methods: Mapping[str, Sequence[QuestionResult]],
    settings: EvaluateSettings,
    seeded: Mapping[str, Sequence[str]] | None = None,
) -> list[Comparison]:
    """Every pair of methods on the same questions, in the order given.

    ``seeded`` names the methods that were answered with several seeds: name -> labels. Each takes part once, a
    question's score being the mean over its seeds.
    """
    units = {name: [methods[label] for label in labels] for name, labels in groups_of(methods, seeded or {}).items()}
    values = {name: _values(members) for name, members in units.items()}
    documents = [document_key(result) for result in next(iter(methods.values()), ()) if result.scored]
    comparisons = [
        _compare(pair, values[pair[0]], values[pair[1]], documents, settings) for pair in combinations(units, 2)
    ]
    corrected = holm([each.mcnemar_p for each in comparisons if each.mcnemar_p is not None])
    for each, adjusted in zip((each for each in comparisons if each.mcnemar_p is not None), corrected, strict=True):
        each.mcnemar_p_holm = adjusted
    return comparisons


def mcnemar(first_only: int, second_only: int) -> float:
    """Two-sided p of the exact McNemar test: a fair coin for each question that one of two methods has right.

    McNemar, Psychometrika 12, 1947; the binomial form. 1 where the methods do not differ.
    """
    from scipy.special import bdtr

    return min(1.0, 2 * float(bdtr(min(first_only, second_only), first_only + second_only, 0.5)))


def holm(values: Sequence[float]) -> list[float]:
    """p values after Holm's step-down correction for their number (Holm, Scand. J. Statist. 6, 1979)."""
    adjusted = [0.0] * len(values)
    highest = 0.0
    for rank, place in enumerate(sorted(range(len(values)), key=lambda place: values[place])):
        highest = max(highest, min(1.0, (len(values) - rank) * values[place]))
        adjusted[place] = significant(highest)
    return adjusted


def significant(value: float) -> float:
    """Six significant digits: a small p must not become 0."""
    return float(f"{value:.6g}")


def _values(members: Sequence[Sequence[QuestionResult]]) -> list[float]:
    """Each scored question's mean score over the members (seeds) of one method."""
    rows = ([result.value for result in question] for question in zip(*members, strict=True) if question[0].scored)
    return [sum(row) / len(row) for row in rows]


def _compare(
    names: tuple[str, str],
    first: Sequence[float],
    second: Sequence[float],
    documents: Sequence[str],
    settings: EvaluateSettings,
) -> Comparison:
    differences = [one - other for one, other in zip(first, second, strict=True)]
    right = [(one >= RIGHT_SCORE, other >= RIGHT_SCORE) for one, other in zip(first, second, strict=True)]
    first_only, second_only = right.count((True, False)), right.count((False, True))
    return Comparison(
        first=names[0],
        second=names[1],
        difference=mean(differences) or 0.0,
        interval=bootstrap_mean(differences, documents, resamples=settings.bootstrap, seed=settings.seed),
        first_better=sum(difference > 0 for difference in differences),
        second_better=sum(difference < 0 for difference in differences),
        ties=sum(difference == 0 for difference in differences),
        first_only_right=first_only,
        second_only_right=second_only,
        mcnemar_p=significant(mcnemar(first_only, second_only)) if differences else None,
    )
