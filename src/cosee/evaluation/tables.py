"""``metrics.parquet``: every question's scores as a typed table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers.score import VARIANTS

if TYPE_CHECKING:
    import pyarrow

TYPES = {"string": "large_string", "bool": "bool_", "float64": "float64", "int64": "int64"}
"""Name of a column's type -> that of Arrow's."""
QUESTION_COLUMNS = {
    "run": "string", "method": "string", "dataset": "string", "source_dataset": "string", "doc_id": "string",
    "question_id": "string", "answer_format": "string", "status": "string", "abstained": "bool",
    "scorer": "string", "metric": "string", "value": "float64", "rule": "string",
}  # fmt: skip
"""Column -> type, by the names of ``TYPES``; the same whether there are rows or none."""


def question_table(run: str, methods: Mapping[str, Sequence[QuestionResult]]) -> pyarrow.Table:
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
    return typed_table(rows, QUESTION_COLUMNS)


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


def typed_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pyarrow.Table:
    """Rows as a table with these columns and types; what a row lacks is null."""
    import pyarrow

    types = {name: getattr(pyarrow, kind)() for name, kind in TYPES.items()}
    return pyarrow.table(
        {name: pyarrow.array([row.get(name) for row in rows], types[kind]) for name, kind in columns.items()}
    )
