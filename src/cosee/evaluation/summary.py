"""From question results to the figures of a method: overall and by groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.artifacts.results.metrics import (
    Abstention,
    Block,
    CitedPages,
    Interval,
    MethodMetrics,
    OfficialScore,
    PageRetrieval,
    UsageMeans,
)
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.attribution import count_causes, is_right
from cosee.evaluation.intervals import bootstrap_mean, bootstrap_ratio
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers import accuracy, judge
from cosee.evaluation.scorers.mmlongbench import ORIGINAL_GOLD
from cosee.evaluation.scorers.score import VARIANTS, PublishedScore
from cosee.registry import MEASURES, SCORERS


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
    whole = block(results, settings)
    groups: dict[str, dict[str, Block]] = {}
    for grouping, key in GROUPINGS.items():
        members: dict[str, list[QuestionResult]] = {}
        for result in results:
            for name in key(result):
                members.setdefault(name, []).append(result)
        intervals = grouping in WITH_INTERVALS
        if list(members.values()) == [list(results)]:
            # One group of everything, as where there is one dataset.
            groups[grouping] = {name: whole if intervals else without_intervals(whole) for name in members}
        else:
            groups[grouping] = {name: block(members[name], settings, intervals=intervals) for name in sorted(members)}
    return MethodMetrics(
        all=whole,
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
    cited = [each for result in results if result.prediction is not None for each in result.prediction.support]
    verified = [found for each in cited if (found := each.quote_found) is not None]
    resamples = settings.bootstrap if intervals else 0
    measured = {
        each.name: mean(result.scores[each.name].value for result in results if each.name in result.scores)
        for each in MEASURES.entries()
    }
    return Block(
        questions=len(results),
        scored=len(scored),
        documents=len(set(map(document_key, results))),
        statuses=dict(sorted(Counter(result.status for result in results).items())),
        accuracy=mean(values),
        accuracy_interval=bootstrap_mean(values, documents, resamples=resamples, seed=settings.seed),
        f1=generalized_f1(scored),
        f1_interval=f1_interval(scored, resamples=resamples, seed=settings.seed),
        answerable_accuracy=mean(result.value for result in scored if not result.question.unanswerable),
        answered_accuracy=mean(
            result.value for result in scored if result.answered and not result.question.unanswerable
        ),
        coverage=mean(float(result.answered) for result in results),
        **{name: value for name, value in measured.items() if name in Block.model_fields},
        constant_accuracy=constant_accuracy(scored, NOT_ANSWERABLE),
        majority_accuracy=constant_accuracy(scored, most_frequent_answer(scored)),
        official=official(scored),
        abstention=abstention(scored),
        pages=page_retrieval(results, resamples=resamples, seed=settings.seed),
        cited_pages=citations(results, resamples=resamples, seed=settings.seed),
        causes=count_causes(scored),
        quotes=len(verified),
        quote_verified=mean(map(float, verified)),
        unverified_places=sum(each.unverified is not None for each in cited),
        usage=usage_means(results),
        measures=measure_means(results)
        | {name: value for name, value in measured.items() if name not in Block.model_fields and value is not None},
        measure_intervals=measure_intervals(results, resamples=resamples, seed=settings.seed),
    )


def without_intervals(figures: Block) -> Block:
    """What ``block`` gives without intervals."""
    return figures.model_copy(
        update={
            "accuracy_interval": None,
            "f1_interval": None,
            "pages": figures.pages.model_copy(update={"recall_interval": {}}),
            "cited_pages": figures.cited_pages.model_copy(update={"f1_interval": None}),
        }
    )


def mean(values: Iterable[float]) -> float | None:
    """The mean rounded to six places; None of nothing."""
    numbers = list(values)
    return round(sum(numbers) / len(numbers), 6) if numbers else None


def generalized_f1(scored: Sequence[QuestionResult]) -> float | None:
    """MMLongBench-Doc's F1; failed and missing rows count as answered, as its published code has it."""
    return _f1(_f1_parts((result, result.value, not result.abstained) for result in scored))


def f1_interval(scored: Sequence[QuestionResult], *, resamples: int, seed: int) -> Interval | None:
    """Bootstrap interval of ``generalized_f1``."""
    parts = _f1_parts((result, result.value, not result.abstained) for result in scored)
    if not parts:
        return None
    hits, sizes = zip(*parts, strict=True)
    return bootstrap_ratio(hits, sizes, list(map(document_key, scored)), resamples=resamples, seed=seed)


def _f1_parts(answers: Iterable[tuple[QuestionResult, float, bool]]) -> list[tuple[float, float]]:
    """Each answer's share of the F1's two sums, from its score and whether it counts as answered; nothing where no
    question is answerable. With recall h / a and precision h / c, F1 is 2 h / (a + c)."""
    rows = [(not result.question.unanswerable, value, answered) for result, value, answered in answers]
    if not any(answerable for answerable, _, _ in rows):
        return []
    return [(2 * value if answerable else 0.0, float(answerable) + answered) for answerable, value, answered in rows]


def _f1(parts: Sequence[tuple[float, float]]) -> float | None:
    return round(sum(hits for hits, _ in parts) / sum(size for _, size in parts), 6) if parts else None


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


def page_retrieval(results: Sequence[QuestionResult], *, resamples: int, seed: int) -> PageRetrieval:
    """Means of the page scores; empty where no question has gold pages."""
    scores = [result.pages for result in results if result.pages is not None]
    if not scores:
        return PageRetrieval(questions=0)
    documents = [document_key(result) for result in results if result.pages is not None]
    interval = partial(bootstrap_mean, documents=documents, resamples=resamples, seed=seed)
    intervals = {str(k): interval([score.recall[k] for score in scores]) for k in scores[0].recall}

    def means(part: str) -> dict[str, float]:
        by_rank = list(map(attrgetter(part), scores))
        return {str(k): mean(map(itemgetter(k), by_rank)) or 0.0 for k in scores[0].recall}

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
        recall_interval={k: found for k, found in intervals.items() if found is not None},
    )


def citations(results: Sequence[QuestionResult], *, resamples: int, seed: int) -> CitedPages:
    """Macro means of the cited pages' scores."""
    judged = [(result, result.cited) for result in results if result.cited is not None]
    scores = [cited for _, cited in judged]
    documents = [document_key(result) for result, _ in judged]
    # Where no gold page is among the cited ones, precision is 0, or nothing is cited and recall is.
    right = [cited for result, cited in judged if result.scored and is_right(result)]
    unanswerable = [result for result in results if result.question.unanswerable]
    return CitedPages(
        questions=len(scores),
        precision=mean(score[0] for score in scores),
        recall=mean(score[1] for score in scores),
        f1=mean(score[2] for score in scores),
        f1_interval=bootstrap_mean([score[2] for score in scores], documents, resamples=resamples, seed=seed),
        right_answers=len(right),
        right_wrong_evidence=mean(float(recall == 0) for _, recall, _ in right),
        unanswerable_uncited=mean(
            float(result.abstained or (result.prediction is not None and not result.prediction.support))
            for result in unanswerable
        ),
    )


def official(scored: Sequence[QuestionResult]) -> dict[str, OfficialScore]:
    """Means of the published scores, each over the questions that it can score; F1 where the benchmark has one."""
    found: dict[str, list[tuple[QuestionResult, PublishedScore]]] = {}
    for result in scored:
        for score in result.published:
            found.setdefault(score.name, []).append((result, score))
    figures = {}
    with_f1 = {judge.NAME, *(each.name for each in SCORERS.entries() if each.about["f1"])}
    for name in sorted(found):
        variants = {
            variant: [getattr(score, variant).value for _, score in found[name]]
            for variant in VARIANTS
            if all(getattr(score, variant) is not None for _, score in found[name])
        }
        count = len(found[name])
        means = {variant: mean(values) or 0.0 for variant, values in variants.items()}
        figures[name] = OfficialScore(questions=count, **means)
        scorer, _, measure = name.partition(" ")
        if scorer.partition("@")[0] in with_f1:
            results = [result for result, _ in found[name]]
            if measure.endswith(ORIGINAL_GOLD):
                results = [replace(result, question=result.question.before_corrections()) for result in results]
            judged = scorer.startswith(judge.NAME)
            f1s = {name: _official_f1(results, values, name, judged=judged) for name, values in variants.items()}
            if f1s["strict"] is not None:
                f1 = measure.replace("accuracy", "f1")
                figures[f"{scorer} {f1}"] = OfficialScore(questions=count, **f1s)
    return figures


def _official_f1(
    results: Sequence[QuestionResult], values: Sequence[float], variant: str, *, judged: bool
) -> float | None:
    """The F1 as published: what is not the exact abstention, or so judged, counts as answered."""

    def claimed(result: QuestionResult) -> bool:
        if judged:
            return result.judgement is None or not result.judgement.abstained
        if variant == "strict":
            return result.prediction is None or result.prediction.answer != NOT_ANSWERABLE
        return not result.abstained

    return _f1(_f1_parts((result, value, claimed(result)) for result, value in zip(results, values, strict=True)))


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


def measure_intervals(results: Sequence[QuestionResult], *, resamples: int, seed: int) -> dict[str, Interval]:
    """Bootstrap intervals of the measures that have no field of their own in a block."""
    found: dict[str, Interval] = {}
    for name in (each.name for each in MEASURES.entries() if each.name not in Block.model_fields):
        having = [result for result in results if name in result.scores]
        values = [result.scores[name].value for result in having]
        interval = bootstrap_mean(values, list(map(document_key, having)), resamples=resamples, seed=seed)
        found |= {} if interval is None else {name: interval}
    return found


def document_key(result: QuestionResult) -> str:
    """What intervals draw: the document of a result, or a question over several by itself."""
    return f"{result.dataset}/{result.question.place}"
