"""MP-DocVQA's ANLS and accuracy, as the published ``metrics.py`` gives them.

``corrected_...`` mend: ``NA``, which the published code lower-cases before it looks for it, is an abstention like
``none``; an abstention counts for both measures, an empty answer for neither; a gold answer that reads ``none`` can be
given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.evaluation.scorers.normalisation import normalise
from cosee.evaluation.scorers.score import Answered, PublishedScore, Score, right, scorer
from cosee.evaluation.scorers.text import similarity
from cosee.evaluation.scorers.thresholds import LEAST_SIMILARITY

NAME = "mp_docvqa"
VERSION = "1"
CITATION = "Tito et al., Hierarchical multimodal transformers for Multipage DocVQA, 2023, arXiv 2212.05935; metrics.py"


def anls(golds: Sequence[str], prediction: str, *, answerable: bool = True) -> Score:
    """Best similarity over ``golds``, below 0.5 is 0; an empty answer is 0 always, ``none`` is the abstention."""
    found = prediction.lower().strip()
    if not answerable:
        return _score(right(found == "none"), "not answerable: 'none' expected")
    if found in ("", "none"):
        return _score(0.0, "empty answer or 'none'")
    best = max((similarity(gold.lower().strip(), found) for gold in golds), default=0.0)
    return _score(best if best >= LEAST_SIMILARITY else 0.0, "best ANLS of at least 0.5")


def accuracy(golds: Sequence[str], prediction: str, *, answerable: bool = True) -> Score:
    """Equality with any of ``golds`` in lower case; unanswerable rows want an empty answer or ``none``."""
    found = prediction.lower().strip()
    if not answerable:
        return _score(right(found in ("", "none")), "not answerable: '' or 'none' expected")
    if found == "none":
        return _score(0.0, "'none' for an answerable question")
    return _score(right(found in {gold.lower().strip() for gold in golds}), "equality in lower case")


def corrected_anls(golds: Sequence[str], prediction: str, *, answerable: bool = True) -> Score:
    """As ``anls``, corrected (see the module)."""
    found = prediction.lower().strip()
    if not answerable or not found:
        return _abstention(found, answerable)
    best = max((similarity(gold.lower().strip(), found) for gold in golds), default=0.0)
    return _score(best if best >= LEAST_SIMILARITY else 0.0, "best ANLS of at least 0.5")


def corrected_accuracy(golds: Sequence[str], prediction: str, *, answerable: bool = True) -> Score:
    """As ``accuracy``, corrected (see the module)."""
    found = prediction.lower().strip()
    if not answerable or not found:
        return _abstention(found, answerable)
    return _score(right(found in {gold.lower().strip() for gold in golds}), "equality in lower case")


def page_accuracy(gold_page_idx: int, predicted_page_idx: int | None) -> Score:
    """APPA: equality of the answer page, 0-based inside the window of at most 20 pages."""
    return _score(right(gold_page_idx == predicted_page_idx), "answer page, 0-based in the window")


def _abstention(found: str, answerable: bool) -> Score:
    if answerable:
        return _score(0.0, "empty answer")
    return _score(right(found in ("none", "na", "n/a")), "not answerable: 'none' or 'NA' expected")


def _score(value: float, rule: str) -> Score:
    return Score(value, f"{NAME}@{VERSION}", rule)


@scorer("mp_docvqa", order=30, version=VERSION, citation=CITATION, datasets=("mpdocvqa",))
def published(answered: Answered) -> list[PublishedScore]:
    """ANLS and accuracy, and of the cited pages the first one."""
    golds = [str(gold) for gold in [answered.question.answer, *answered.question.answer_alt]]
    answerable = not answered.question.unanswerable
    # An abstention has one spelling in our answers; the benchmark's own is "none".
    strict = "none" if answered.answer == NOT_ANSWERABLE else answered.answer
    plain = normalise(answered.final, "Str", abstention="none")
    pairs: list[tuple[str, Callable[..., Score], Callable[..., Score]]] = [
        ("anls", anls, corrected_anls),
        ("accuracy", accuracy, corrected_accuracy),
    ]
    scores = [
        PublishedScore(
            measure,
            as_published(golds, strict, answerable=answerable),
            as_published(golds, plain, answerable=answerable),
            mended(golds, plain, answerable=answerable),
        )
        for measure, as_published, mended in pairs
    ]
    if answered.question.evidence_pages:
        page = answered.cited[0] - 1 if answered.cited else None
        scores.append(PublishedScore("page_accuracy", page_accuracy(answered.question.evidence_pages[0] - 1, page)))
    return scores
