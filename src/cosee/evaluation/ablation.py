"""``ablations.parquet``: every method beside what it is read against, a module switched off beside the whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cosee.artifacts.results.metrics import Block, Comparison, MethodMetrics
from cosee.artifacts.settings.evaluate import EvaluateSettings
from cosee.evaluation.compare import compare, holm
from cosee.evaluation.flips import setting_differences
from cosee.evaluation.measure import further_measures
from cosee.evaluation.results import QuestionResult
from cosee.evaluation.tables import typed_table

if TYPE_CHECKING:
    import pyarrow

COLUMNS = {
    "run": "string", "method": "string", "strategy": "string", "without": "string", "reference": "string",
    "changed": "string", "grouping": "string", "group": "string", "questions": "int64", "scored": "int64",
    "failed": "int64", "accuracy": "float64", "accuracy_low": "float64", "accuracy_high": "float64",
    "accuracy_difference": "float64", "difference_low": "float64", "difference_high": "float64",
    "only_right": "int64", "only_reference_right": "int64", "mcnemar_p": "float64", "mcnemar_p_holm": "float64",
    "f1": "float64", "answerable_accuracy": "float64", "coverage": "float64", "exact_match": "float64",
    "token_f1": "float64", "anls": "float64", "abstain_precision": "float64", "abstain_recall": "float64",
    "abstain_f1": "float64", "page_recall_1": "float64", "page_recall_3": "float64", "page_recall_5": "float64",
    "page_recall_10": "float64", "page_mrr": "float64", "cited_page_precision": "float64",
    "cited_page_recall": "float64", "cited_page_f1": "float64", "quote_verified": "float64", "calls": "float64",
    "tokens_in": "float64", "tokens_out": "float64", "images": "float64",
}  # fmt: skip
"""Column -> type, by the names of ``tables.TYPES``; the same whether there are rows or none. Each further measure has
one, ``measure_<name>``.

``without`` names the modules that are switched off, ``reference`` the method that the row is read against: of one with
modules off the same method with all of them, of any other the run's first. ``changed`` lists the settings that differ
from the reference, or from the first method of the same strategy. Differences are this method minus the reference;
their paired interval, the questions that only one of the two has right and McNemar's p stand on the rows over all
questions.
"""


def ablation_table(
    run: str,
    results: Mapping[str, Sequence[QuestionResult]],
    figures: Mapping[str, MethodMetrics],
    recorded: Mapping[str, Mapping[str, Any]],
    settings: EvaluateSettings,
) -> pyarrow.Table:
    """A row per method and group of questions; ``recorded``: each method's settings, as far as the run has them."""
    references = {method: reference_of(method, list(results), recorded) for method in results}
    paired = {
        method: compare({method: results[method], reference: results[reference]}, settings)[0]
        for method, reference in references.items()
        if reference != method
    }
    # Corrected for the number of modules tried, or of methods beside the first, each by themselves.
    corrected: dict[str, float] = {}
    for off in (True, False):
        tests = [
            (method, each.mcnemar_p)
            for method, each in paired.items()
            if each.mcnemar_p is not None and bool(switched_off(recorded, method)) == off
        ]
        corrected |= dict(zip((method for method, _ in tests), holm([p for _, p in tests]), strict=True))
    rows = []
    for method, metrics in figures.items():
        reference = references[method]
        shared: dict[str, Any] = {
            "run": run,
            "method": method,
            "strategy": strategy_of(recorded, method),
            "without": ", ".join(switched_off(recorded, method)),
            "reference": reference,
            "changed": _changed(recorded, method, reference, list(results)),
        }
        against = figures[reference]
        difference = _paired(paired.get(method), corrected.get(method))
        rows.append({**shared, "grouping": "all", "group": "all", **_figures(metrics.all, against.all), **difference})
        for grouping, groups in metrics.groups.items():
            for group, block in groups.items():
                found = _figures(block, against.groups[grouping].get(group))
                rows.append({**shared, "grouping": grouping, "group": group, **found})
    return typed_table(rows, COLUMNS | {f"measure_{name}": "float64" for name in further_measures()})


def reference_of(method: str, methods: Sequence[str], recorded: Mapping[str, Mapping[str, Any]]) -> str:
    """The method that a row is read against.

    Of one with modules off: the method of the same strategy with none off whose settings differ least, the first of
    equals. Of any other, and where there is no such method: the run's first.
    """
    if switched_off(recorded, method):
        whole = [
            other
            for other in methods
            if not switched_off(recorded, other) and strategy_of(recorded, other) == strategy_of(recorded, method)
        ]
        if whole:
            return min(
                whole,
                key=lambda other: len(setting_differences(recorded.get(other, {}), recorded.get(method, {}))),
            )
    return methods[0]


def switched_off(recorded: Mapping[str, Mapping[str, Any]], method: str) -> list[str]:
    """The modules that a method's settings switch off."""
    return [str(module) for module in recorded.get(method, {}).get("method", {}).get("without", [])]


def strategy_of(recorded: Mapping[str, Mapping[str, Any]], method: str) -> str:
    """A method's strategy; its name where its settings are not known."""
    return str(recorded.get(method, {}).get("method", {}).get("strategy", method))


def _changed(recorded: Mapping[str, Mapping[str, Any]], method: str, reference: str, methods: Sequence[str]) -> str:
    """The settings in which a method differs from its reference, or else from the first of its strategy."""
    strategy = strategy_of(recorded, method)
    if strategy_of(recorded, reference) != strategy:
        reference = next(other for other in methods if strategy_of(recorded, other) == strategy)
    differences = setting_differences(recorded.get(reference, {}), recorded.get(method, {}))
    return "; ".join(f"{each.setting}: {each.first} -> {each.second}" for each in differences)


def _paired(made: Comparison | None, corrected: float | None) -> dict[str, Any]:
    if made is None:
        return {}
    return {
        "difference_low": made.interval.low if made.interval else None,
        "difference_high": made.interval.high if made.interval else None,
        "only_right": made.first_only_right,
        "only_reference_right": made.second_only_right,
        "mcnemar_p": made.mcnemar_p,
        "mcnemar_p_holm": corrected,
    }


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
        "failed": block.failed,
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
        **{f"measure_{name}": value for name, value in block.measures.items()},
    }
