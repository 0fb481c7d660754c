"""From a method's outcome to its ``Prediction``: answer, evidence and confidence, one way for all methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cosee.agents.context import Context
from cosee.agents.evidence import Evidence, ground
from cosee.agents.extractor import extract_answer
from cosee.agents.prompts import EXTRACT
from cosee.agents.replies import supported_confidence
from cosee.agents.short_answer import short_answer
from cosee.agents.thresholds import MAX_PLACES_READ, UNVERIFIED_WEIGHT
from cosee.artifacts.datasets.questions import NOT_ANSWERABLE, Question
from cosee.artifacts.documents.unread import unread_sentences
from cosee.artifacts.results.prediction import Prediction, Status, Support, Usage
from cosee.geometry import overlap
from cosee.models.metering import MeteredClient
from cosee.retrieval.ranking import Ranking


@dataclass(frozen=True)
class Outcome:
    """What a method ends with. ``answer`` may be long or badly formed; ``evidence`` may name what does not exist."""

    answer: str
    exit_reason: str
    answer_long: str = ""
    confidence: float | None = None
    evidence: Sequence[Evidence] = ()
    status: Status = "ok"
    reason: str | None = None
    pages_read: Sequence[int] = ()
    """1-based pages the method was shown, in that order; there quotes without a page are looked for."""
    measures: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    """What the trace's last event holds beside the usual."""
    prompt_ids: Sequence[str] = ()


def finish(question: Question, context: Context, method: str, outcome: Outcome, ranking: Ranking) -> Prediction:
    """The prediction, all but ``config_hash``; usage is that of a metered client.

    The answer is shortened by rule, where the run asks for it after one more request to the same client; an abstention
    becomes ``Not answerable``, and is no sure one while pages are unread; a failure has an empty answer and is no
    abstention. An abstention cites nothing where a model read, and what was nearest to the question where none did.
    Evidence is held against the document's tree; each piece that does not exist lowers the confidence, by half where
    none does, and each place or quote that is not verified by half as much.
    """
    failed = outcome.status == "failed"
    answer = "" if failed else short_answer(question.question, outcome.answer)
    prompts = set(outcome.prompt_ids)
    if context.extractor and not failed and answer != NOT_ANSWERABLE:
        answer = short_answer(question.question, extract_answer(question, context, outcome.answer) or answer)
        prompts.add(EXTRACT.ref)
    abstained = answer == NOT_ANSWERABLE
    grounded = [
        ground(context.tree, evidence, outcome.pages_read, context.read_place if number < MAX_PLACES_READ else None)
        for number, evidence in enumerate(outcome.evidence)
    ]
    support = _without_repeats([piece for piece in grounded if piece is not None])
    confidence = outcome.confidence
    if confidence is not None:
        share = sum(map(_evidence_weight, grounded)) / len(grounded) if grounded else 1.0
        confidence = supported_confidence(min(max(confidence, 0.0), 1.0), share)
    usage, left_out = Usage(), set[int]()
    if isinstance(context.client, MeteredClient):
        usage, left_out = context.client.usage, context.client.pages_left_out
    read = [page for page in dict.fromkeys(outcome.pages_read) if page not in left_out]
    status, reason = outcome.status, outcome.reason
    unread = "; ".join(unread_sentences(context.tree.pages, read if context.client.sees_images else ())) or None
    if abstained and unread and status == "ok":
        status, reason, confidence = "partial", "unread_pages", None
    prediction = Prediction(
        question_id=question.question_id,
        doc_id=question.doc_id,
        dataset=context.dataset,
        method=method,
        status=status,
        reason=reason,
        exit_reason=outcome.exit_reason,
        answer=answer,
        abstained=abstained,
        answer_long=outcome.answer_long.strip(),
        confidence=confidence,
        support=[] if failed or (abstained and context.client.is_model) else support,
        retrieved=ranking.hits,
        retrieved_pages=ranking.pages,
        read_pages=read,
        unread=unread,
        usage=usage,
        measures={name: round(float(value), 6) for name, value in sorted(outcome.measures.items())},
        model=context.client.name,
        model_revision=context.client.revision,
        prompt_ids=sorted(prompts),
        seed=context.seed,
    )
    context.trace.add(
        "complete",
        message=answer,
        status=prediction.status,
        exit_reason=prediction.exit_reason,
        confidence=confidence,
        support=[piece.model_dump(mode="json") for piece in prediction.support],
        dropped_evidence=sum(piece is None for piece in grounded),
        unverified_places=sum(piece is not None and piece.unverified is not None for piece in grounded),
        stray_boxes=sum(map(_is_stray, outcome.evidence, grounded)),
        **outcome.details,
    )
    return prediction


def _is_stray(evidence: Evidence, piece: Support | None) -> bool:
    """Whether a box was named, and the place that was found for it lies outside: a model that draws in another grid."""
    named, found = evidence.bbox, None if piece is None else piece.bbox
    return named is not None and found is not None and not overlap(named, found)


def _evidence_weight(piece: Support | None) -> float:
    """How much a piece of evidence counts for the confidence: less where it or its quote is unverified."""
    if piece is None:
        return 0.0
    return UNVERIFIED_WEIGHT if piece.unverified or (piece.quote and not piece.quote_verified) else 1.0


def _without_repeats(support: Sequence[Support]) -> list[Support]:
    """Support without repeats; of a node without a quote, none where the node is there with one."""
    quoted = {(piece.node_id, piece.page) for piece in support if piece.quote_verified}
    kept: dict[tuple[str | None, int, str], Support] = {}
    for piece in support:
        if piece.node_id is None or piece.quote_verified or (piece.node_id, piece.page) not in quoted:
            kept.setdefault((piece.node_id, piece.page, piece.quote), piece)
    return list(kept.values())
