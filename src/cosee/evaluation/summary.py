"""From question results to the figures of a method: overall and by groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from cosee.artifacts.metrics import (
    Abstention,
    Block,
    CitedPages,
    MethodMetrics,
    OfficialScore,
    PageRetrieval,
    UsageMeans,
)
from cosee.artifacts.questions import NOT_ANSWERABLE
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.attribution import count_causes
from cosee.evaluation.intervals import bootstrap_mean
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers import accuracy


def _evidence_kind(result: QuestionResult) -> list[str]:
    pages = len(set(result.question.evidence_pages))
    if result.question.unanswerable:
        return ["unanswerable"]
    return ["unknown" if pages == 0 else "one page" if pages == 1 else "several pages"]


GROUPINGS: dict[str, Callable[[QuestionResult], list[str]]] = {
    "dataset": lambda result: [result.dataset],
    "source_dataset": lambda result: [result.question.source_dataset],
    "answer_format": lambda result: [result.question.answer_format or "unspecified"],
    "evidence_pages": _evidence_kind,
    "evidence_source": lambda result: result.question.evidence_sources or ["unlabelled"],
}
"""Grouping -> the groups a result belongs to (evidence sources are several)."""

WITH_INTERVALS = ("dataset", "source_dataset")


def method_metrics(results: Sequence[QuestionResult], settings: EvaluateSettings) -> MethodMetrics:
    """All figures of one method."""
    predictions = [result.prediction for result in results if result.prediction is not None]
    groups: dict[str, dict[str, Block]] = {}
    for grouping, key in GROUPINGS.items():
        members: dict[str, list[QuestionResult]] = {}
        for result in results:
            for name in key(result):
                members.setdefault(name, []).append(result)
        intervals = grouping in WITH_INTERVALS
        groups[grouping] = {name: block(members[name], settings, intervals=intervals) for name in sorted(members)}
    return MethodMetrics(
        all=block(results, settings),
        groups=groups,
        config_hashes=sorted({prediction.config_hash for prediction in predictions if prediction.config_hash}),
        models=sorted({f"{each.model}@{each.model_revision}" for each in predictions if each.model}),
        exit_reasons=dict(sorted(Counter(prediction.exit_reason for prediction in predictions).items())),
    )


def block(results: Sequence[QuestionResult], settings: EvaluateSettings, *, intervals: bool = True) -> Block:
    """The figures of one set of results."""
    scored = [result for result in results if result.scored]
    values = [result.value for result in scored]
    documents = [document_key(result) for result in scored]
    quotes = [
        support.quote_verified
        for result in results
        if result.prediction is not None
        for support in result.prediction.support
        if support.quote
    ]
    resamples = settings.bootstrap if intervals else 0
    return Block(
        questions=len(results),
        scored=len(scored),
        documents=len({document_key(result) for result in results}),
        statuses=dict(sorted(Counter(result.status for result in results).items())),
        accuracy=mean(values),
        accuracy_interval=bootstrap_mean(values, documents, resamples=resamples, seed=settings.seed),
        f1=generalized_f1(scored),
        answerable_accuracy=mean(result.value for result in scored if not result.question.unanswerable),
        coverage=mean(float(result.answered) for result in results),
        exact_match=mean(result.scores["exact_match"].value for result in scored),
        token_f1=mean(result.scores["token_f1"].value for result in scored),
        anls=mean(result.scores["anls"].value for result in scored),
        constant_accuracy=constant_accuracy(scored, NOT_ANSWERABLE),
        majority_accuracy=constant_accuracy(scored, most_frequent_answer(scored)),
        official=official(scored),
        abstention=abstention(scored),
        pages=page_retrieval(results),
        cited_pages=citations(results),
        causes=count_causes(scored),
        quotes=len(quotes),
        quote_verified=mean(map(float, quotes)),
        usage=usage_means(results),
        measures=measure_means(results),
    )


def mean(values: Iterable[float]) -> float | None:
    """The mean rounded to six places; None of nothing."""
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 6) if numbers else None


def generalized_f1(scored: Sequence[QuestionResult]) -> float | None:
    """MMLongBench-Doc's F1; failed and missing rows count as answered, as its published code has it."""
    answerable = [result for result in scored if not result.question.unanswerable]
    claimed = sum(not result.abstained for result in scored)
    if not answerable:
        return None
    hits = sum(result.value for result in answerable)
    if not hits or not claimed:
        return 0.0
    recall, precision = hits / len(answerable), hits / claimed
    return round(2 * precision * recall / (precision + recall), 6)


def abstention(scored: Sequence[QuestionResult]) -> Abstention:
    """Abstaining as a decision: which questions, and were they unanswerable."""
    unanswerable = sum(result.question.unanswerable for result in scored)
    abstained = sum(result.abstained for result in scored)
    right = sum(result.abstained and result.question.unanswerable for result in scored)
    both = unanswerable + abstained
    return Abstention(
        unanswerable=unanswerable,
        abstained=abstained,
        precision=round(right / abstained, 6) if abstained else None,
        recall=round(right / unanswerable, 6) if unanswerable else None,
        f1=round(2 * right / both, 6) if unanswerable and both else None,
    )


def page_retrieval(results: Sequence[QuestionResult]) -> PageRetrieval:
    """Means of the page scores; empty where no question has gold pages."""
    scores = [result.pages for result in results if result.pages is not None]
    if not scores:
        return PageRetrieval(questions=0)

    def means(part: str) -> dict[str, float]:
        return {str(k): mean(getattr(score, part)[k] for score in scores) or 0.0 for k in scores[0].recall}

    return PageRetrieval(
        questions=len(scores),
        recall=means("recall"),
        recall_ceiling=means("recall_ceiling"),
        hit=means("hit"),
        all_gold=means("all_gold"),
        all_gold_ceiling=means("all_gold_ceiling"),
        ndcg=means("ndcg"),
        precision=means("precision"),
        mrr=mean(score.reciprocal_rank for score in scores),
    )


def citations(results: Sequence[QuestionResult]) -> CitedPages:
    """Macro means of the cited pages' scores."""
    scores = [result.cited for result in results if result.cited is not None]
    unanswerable = [result for result in results if result.question.unanswerable]
    return CitedPages(
        questions=len(scores),
        precision=mean(score[0] for score in scores),
        recall=mean(score[1] for score in scores),
        f1=mean(score[2] for score in scores),
        unanswerable_uncited=mean(
            float(result.prediction is not None and not result.prediction.support) for result in unanswerable
        ),
    )


def official(scored: Sequence[QuestionResult]) -> dict[str, OfficialScore]:
    """Means of the published scores, each over the questions that it can score."""
    values: dict[str, list[float]] = {}
    for result in scored:
        for score in result.published:
            values.setdefault(score.scorer, []).append(score.value)
    return {
        name: OfficialScore(questions=len(values[name]), value=mean(values[name]) or 0.0) for name in sorted(values)
    }


def most_frequent_answer(scored: Sequence[QuestionResult]) -> str:
    """The most frequent gold answer, the alphabetically first of equals."""
    counts = Counter(str(result.question.answer) for result in scored)
    return min(counts, key=lambda answer: (-counts[answer], answer), default=NOT_ANSWERABLE)


def constant_accuracy(scored: Sequence[QuestionResult], answer: str) -> float | None:
    """Accuracy of one fixed answer to every question."""
    return mean(accuracy.score_text(result.question, answer).value for result in scored)


def usage_means(results: Sequence[QuestionResult]) -> UsageMeans:
    """Means over all questions; missing ones cost nothing."""
    usages = [result.prediction.usage for result in results if result.prediction is not None]
    count = max(len(results), 1)
    return UsageMeans(
        **{field: round(sum(getattr(usage, field) for usage in usages) / count, 3) for field in UsageMeans.model_fields}
    )


def measure_means(results: Sequence[QuestionResult]) -> dict[str, float]:
    """Means of the methods' own measures (board coverage, redundancy ...)."""
    values: dict[str, list[float]] = {}
    for result in results:
        for name, value in (result.prediction.measures if result.prediction is not None else {}).items():
            values.setdefault(name, []).append(value)
    return {name: mean(values[name]) or 0.0 for name in sorted(values)}


def document_key(result: QuestionResult) -> str:
    """What intervals draw: the document of a result."""
    return f"{result.dataset}/{result.question.doc_id}"
