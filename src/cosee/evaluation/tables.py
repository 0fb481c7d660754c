"""``metrics.parquet``: every question's scores as a typed table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.evaluation.results import QuestionResult
from cosee.evaluation.scorers.score import VARIANTS

if TYPE_CHECKING:
    import pyarrow

# General knowledge: names of column types of pandas and Arrow.
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
    columns: dict[str, list[Any]] = {name: [] for name in QUESTION_COLUMNS}
    for method, results in methods.items():
        for result in results:
            question = result.question
            rows = _scores(result)
            shared = (
                run,
                method,
                result.dataset,
                question.source_dataset,
                question.doc_id,
                question.question_id,
                question.answer_format,
                result.status,
                result.abstained,
            )
            for value, column in zip(shared, columns.values(), strict=False):
                column += [value] * len(rows)
            for name, values in zip(("scorer", "metric", "value", "rule"), zip(*rows, strict=True), strict=False):
                columns[name] += values
    return _table(columns, QUESTION_COLUMNS)


def _scores(result: QuestionResult) -> list[tuple[str, str, float, str]]:
    """Scorer, metric, value and rule of every score of a result."""
    rows = [(score.scorer, metric, round(score.value, 6), score.rule) for metric, score in result.scores.items()]
    rows += [
        (found.scorer, f"{score.measure} ({variant})", round(found.value, 6), found.rule)
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
    rows += [("pages@1", metric, round(value, 6), "gold evidence pages") for metric, value in pages.items()]
    return rows


def typed_table(rows: Sequence[Mapping[str, Any]], columns: Mapping[str, str]) -> pyarrow.Table:
    """Rows as a table with these columns and types; what a row lacks is null."""
    return _table({name: [row.get(name) for row in rows] for name in columns}, columns)


def _table(values: Mapping[str, Sequence[Any]], columns: Mapping[str, str]) -> pyarrow.Table:
    import pyarrow

    types = {name: getattr(pyarrow, kind)() for name, kind in TYPES.items()}
    return pyarrow.table({name: pyarrow.array(values[name], types[kind]) for name, kind in columns.items()})
