"""Whether the evidence carries the answer, and whether it stands where the gold evidence does."""

from __future__ import annotations

from cosee.evaluation.evidence_checks import is_necessary, is_sufficient
from cosee.evaluation.measure import measure
from cosee.evaluation.results import QuestionResult
from cosee.geometry import area_f1

ERASER = "after sufficiency and comprehensiveness of DeYoung et al., ERASER, ACL 2020"


@measure(
    "evidence_sufficient",
    order=140,
    description="Share of answers that a model (evaluate.evidence) gives again from what they cite, and nothing else",
    citation=ERASER,
)
def evidence_sufficient(result: QuestionResult) -> float | None:
    """1 or 0 of everything but an abstention: a failed or missing answer, and one that cites nothing, are 0."""
    if not result.evidence_asked or result.abstained:
        return None
    return float(is_sufficient(result.question, result.answer, result.evidence))


@measure(
    "evidence_necessary",
    order=150,
    description="Share of answers that a model (evaluate.evidence) does not give again from the pages read, with what "
    "they cite taken out",
    citation=ERASER,
)
def evidence_necessary(result: QuestionResult) -> float | None:
    """1 or 0 of the same answers as ``evidence_sufficient``."""
    if not result.evidence_asked or result.abstained:
        return None
    return float(is_necessary(result.question, result.answer, result.evidence))


@measure(
    "box_f1",
    order=160,
    description="F1 of the area of cited boxes and gold boxes, page by page",
    citation="area precision and recall of Wolf and Jolion, IJDAR 8(4), 2006",
)
def box_f1(result: QuestionResult) -> float | None:
    """For questions about one document with gold boxes; 0 where nothing is cited. Where boxes overlap, each place
    counts once.

    Where each gold page alone holds the evidence, the best of them counts.
    """
    gold = [(box.page, box.bbox) for box in result.question.evidence_boxes]
    if not gold or result.question.unanswerable or not result.question.doc_id:
        return None
    support = result.prediction.support if result.prediction is not None else []
    cited = [(piece.page, piece.bbox) for piece in support if piece.bbox is not None]
    if result.question.evidence_mode == "all":
        return area_f1(cited, gold)
    pages = dict.fromkeys(page for page, _ in gold)
    return max(area_f1(cited, [each for each in gold if each[0] == page]) for page in pages)
