"""Method against method on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from cosee.artifacts.metrics import Comparison
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.intervals import bootstrap_mean
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.summary import document_key, mean


def compare(methods: Mapping[str, Sequence[QuestionResult]], settings: EvaluateSettings) -> list[Comparison]:
    """Every pair of methods on the same questions, in the order given."""
    comparisons = []
    for first, second in combinations(methods, 2):
        pairs = [
            (one.value - other.value, document_key(one))
            for one, other in zip(methods[first], methods[second], strict=True)
            if one.scored
        ]
        differences = [difference for difference, _ in pairs]
        documents = [document for _, document in pairs]
        comparisons.append(
            Comparison(
                first=first,
                second=second,
                difference=mean(differences) or 0.0,
                interval=bootstrap_mean(differences, documents, resamples=settings.bootstrap, seed=settings.seed),
                first_better=sum(difference > 0 for difference in differences),
                second_better=sum(difference < 0 for difference in differences),
                ties=sum(difference == 0 for difference in differences),
            )
        )
    return comparisons
