"""``metrics.parquet`` and ``ablations.parquet``: the figures as typed tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.artifacts.metrics import Block, MethodMetrics
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers.official import VARIANTS

if TYPE_CHECKING:
    import pandas as pd

QUESTION_COLUMNS = {
    "run": "string", "method": "string", "dataset": "string", "source_dataset": "string", "doc_id": "string",
    "question_id": "string", "answer_format": "string", "status": "string", "abstained": "bool",
    "scorer": "string", "metric": "string", "value": "float64", "rule": "string",
}  # fmt: skip
ABLATION_COLUMNS = {
    "run": "string", "method": "string", "strategy": "string", "changed": "string", "grouping": "string",
    "group": "string", "questions": "int64", "scored": "int64", "failed": "int64", "accuracy": "float64",
    "accuracy_low": "float64", "accuracy_high": "float64", "accuracy_difference": "float64", "f1": "float64",
    "answerable_accuracy": "float64", "coverage": "float64", "exact_match": "float64", "token_f1": "float64",
    "anls": "float64", "abstain_precision": "float64", "abstain_recall": "float64", "abstain_f1": "float64",
    "page_recall_1": "float64", "page_recall_3": "float64", "page_recall_5": "float64", "page_recall_10": "float64",
    "page_mrr": "float64", "cited_page_precision": "float64", "cited_page_recall": "float64",
    "cited_page_f1": "float64", "quote_verified": "float64", "calls": "float64", "tokens_in": "float64",
    "tokens_out": "float64", "images": "float64",
}  # fmt: skip
"""Column -> pandas type; the same whether there are rows or none. ``accuracy_difference`` is to the first method."""


def question_frame(run: str, methods: Mapping[str, Sequence[QuestionResult]]) -> pd.DataFrame:
    """A row per question, method and score: accuracy, the core metrics, published scores, page scores."""
    rows = []
    for method, results in methods.items():
        for result in results:
            question = result.question
            base = {
                "run": run,
                "method": method,
                "dataset": result.dataset,
                "source_dataset": question.source_dataset,
                "doc_id": question.doc_id,
                "question_id": question.question_id,
                "answer_format": question.answer_format,
                "status": result.status,
                "abstained": result.abstained,
            }
            rows += [{**base, **each} for each in _scores(result)]
    return _frame(rows, QUESTION_COLUMNS)


def ablation_frame(
    run: str, methods: Mapping[str, MethodMetrics], settings: Mapping[str, Mapping[str, Any]]
) -> pd.DataFrame:
    """A row per method and group of questions.

    ``settings`` holds each method's settings where they are known; ``changed`` says what differs from the first
    method of the same strategy.
    """
    rows = []
    first = next(iter(methods.values()), None)
    for method, metrics in methods.items():
        strategy, changed = _changed(method, methods, settings)
        for grouping, group, block, reference in _blocks(metrics, first):
            row = {"run": run, "method": method, "strategy": strategy, "changed": changed}
            rows.append({**row, "grouping": grouping, "group": group, **_figures(block, reference)})
    return _frame(rows, ABLATION_COLUMNS)


def _scores(result: QuestionResult) -> list[dict[str, Any]]:
    rows = [
        {"scorer": score.scorer, "metric": metric, "value": round(score.value, 6), "rule": score.rule}
        for metric, score in result.scores.items()
    ]
    rows += [
        {
            "scorer": found.scorer,
            "metric": f"{score.measure} ({variant})",
            "value": round(found.value, 6),
            "rule": found.rule,
        }
        for score in result.published
        for variant in VARIANTS
        if (found := getattr(score, variant)) is not None
    ]
    pages: dict[str, float] = {}
    if result.pages is not None:
        pages = {f"page_recall@{k}": value for k, value in result.pages.recall.items()}
        pages["page_reciprocal_rank"] = result.pages.reciprocal_rank
    if result.cited is not None:
        pages |= dict(zip(("cited_page_precision", "cited_page_recall", "cited_page_f1"), result.cited, strict=True))
    rows += [
        {"scorer": "pages@1", "metric": metric, "value": round(value, 6), "rule": "gold evidence pages"}
        for metric, value in pages.items()
    ]
    return rows


def _blocks(metrics: MethodMetrics, first: MethodMetrics | None) -> list[tuple[str, str, Block, Block | None]]:
    rows = [("all", "all", metrics.all, first.all if first else None)]
    for grouping, groups in metrics.groups.items():
        for group, block in groups.items():
            rows.append((grouping, group, block, first.groups[grouping].get(group) if first else None))
    return rows


def _figures(block: Block, reference: Block | None) -> dict[str, Any]:
    named = (
        "questions", "scored", "accuracy", "f1", "answerable_accuracy", "coverage", "exact_match", "token_f1", "anls",
        "quote_verified",
    )  # fmt: skip
    figures = {name: getattr(block, name) for name in named}
    interval = block.accuracy_interval
    if block.accuracy is not None and reference is not None and reference.accuracy is not None:
        figures["accuracy_difference"] = round(block.accuracy - reference.accuracy, 6)
    return figures | {
        "failed": sum(block.statuses.get(status, 0) for status in ("failed", "skipped", "missing")),
        "accuracy_low": interval.low if interval else None,
        "accuracy_high": interval.high if interval else None,
        "abstain_precision": block.abstention.precision,
        "abstain_recall": block.abstention.recall,
        "abstain_f1": block.abstention.f1,
        **{f"page_recall_{k}": block.pages.recall.get(str(k)) for k in (1, 3, 5, 10)},
        "page_mrr": block.pages.mrr,
        "cited_page_precision": block.cited_pages.precision,
        "cited_page_recall": block.cited_pages.recall,
        "cited_page_f1": block.cited_pages.f1,
        "calls": block.usage.calls,
        "tokens_in": block.usage.tokens_in,
        "tokens_out": block.usage.tokens_out,
        "images": block.usage.images,
    }


def _changed(
    method: str, methods: Mapping[str, MethodMetrics], settings: Mapping[str, Mapping[str, Any]]
) -> tuple[str, str]:
    own = _flat(settings.get(method, {}))
    strategy = str(own.get("method.strategy", method))
    for other in methods:
        reference = _flat(settings.get(other, {}))
        if str(reference.get("method.strategy", other)) == strategy:
            keys = sorted(own.keys() | reference.keys())
            return strategy, "; ".join(
                f"{key}: {reference.get(key)} -> {own.get(key)}"
                for key in keys
                if own.get(key) != reference.get(key) and key != "method.name"
            )
    return strategy, ""


def _flat(value: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, item in value.items():
        flat |= _flat(item, f"{prefix}{key}.") if isinstance(item, Mapping) else {f"{prefix}{key}": item}
    return flat


def _frame(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pd.DataFrame:
    import pandas

    values = {name: pandas.Series([row.get(name) for row in rows], dtype=kind) for name, kind in columns.items()}
    return pandas.DataFrame(values)
