"""Where a lost answer was lost: before, at or after its evidence was found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from cosee.artifacts.metrics import Cause
from cosee.evaluation.results import QuestionResult

HALF = 0.5
"""Scores of at least this much count as right; published scorers give fractions for near misses."""


def cause(result: QuestionResult) -> Cause:
    """The first step that went wrong, in the order of the steps; ``result`` has a gold answer."""
    if result.value >= HALF:
        return "right"
    if result.prediction is None or result.status in ("failed", "skipped"):
        return "failed"
    if result.question.unanswerable:
        return "answered_unanswerable"
    if result.pages is None:
        return "abstained_pages_unknown" if result.abstained else "wrong_pages_unknown"
    if not any(result.pages.hit.values()):
        return "page_not_retrieved"
    if result.abstained:
        return "abstained"
    gold = set(result.question.evidence_pages)
    cited = {support.page for support in result.prediction.support}
    return "wrong_on_gold_page" if cited & gold else "page_not_cited"


def count_causes(scored: Iterable[QuestionResult]) -> dict[Cause, int]:
    """Cause -> questions."""
    return dict(sorted(Counter(cause(result) for result in scored).items()))
