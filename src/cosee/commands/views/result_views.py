"""How questions, answers, traces, ledgers, index records and metrics look in a terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel
from rich.console import Console

from cosee.artifacts.datasets.questions import Question
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.ledger import LedgerRow
from cosee.artifacts.results.costs import Costs
from cosee.artifacts.results.metrics import (
    Block,
    Comparison,
    MeasureNote,
    Metrics,
    MetricsSummary,
    Reference,
    SeedGroup,
)
from cosee.artifacts.results.prediction import Prediction
from cosee.artifacts.results.sample_log import SampleLine
from cosee.artifacts.results.trace import TraceEvent
from cosee.commands.console import cell_text, line, plain, show_table
from cosee.commands.reasons import remedy
from cosee.commands.views.document_views import View
from cosee.commands.views.thresholds import CELL, LAST_PROBLEMS, NARROW_CELL, PAIRS, PROBLEMS, WIDE_CELL, WIDEST_CELL
from cosee.commands.views.trace_view import show_trace
from cosee.report.charts import signed
from cosee.text.counts import counted

METHOD_COLUMNS = (
    "method", "accuracy#", "95 %", "F1#", "ANLS#", "recall#", "cited F1#", "wrong pages#", "no answer#",
    "calls#",
)  # fmt: skip
UNSCORED_COLUMNS = ("method", "answered#", "no answer#", "failed#", "quotes#", "verified#", "calls#")
"""Where no question has a gold answer."""
RECALL_AT = "5"


def show_rows(name: str, rows: Sequence[BaseModel], console: Console, view: View, asked: Mapping[str, str]) -> None:
    """Rows of JSON lines as a table; a trace as a story. ``asked``: question id -> what was asked, for predictions."""
    if isinstance(rows[0], TraceEvent):
        show_trace([event for event in rows if isinstance(event, TraceEvent)], console)
        return
    columns, cells = _cells(rows[: view.limit], asked)
    counts = Counter(getattr(row, "status", "") for row in rows)
    statuses = "" if set(counts) == {""} else f" ({cell_text(dict(sorted(counts.items())))})"
    show_table(console, f"{name}: {len(rows)} rows{statuses}", columns, cells)
    if len(rows) > view.limit:
        line(console, f"… {len(rows) - view.limit} more (--limit 0 shows all)", "dim")
    for reason in sorted({row.reason for row in rows if isinstance(row, LedgerRow) and row.reason}):
        line(console, f"{reason}: {remedy(reason)}", "yellow")


def show_summary(summary: MetricsSummary, console: Console) -> None:
    """Every run: its methods side by side, its documents, what a reader must know."""
    for run, block in summary.runs.items():
        title = f"run {run} on {', '.join(block.datasets)}"
        _methods(console, title, block.methods, block.references, block.seeds, block.measures)
        _official(console, block.methods)
        _comparisons(console, block.comparisons)
        line(console, f"{counted(block.documents.documents, 'document')} with {counted(block.documents.pages, 'page')}")
        _problems(console, block.documents.problems)
        for kind, counts in block.counts.items():
            line(console, f"{kind}: {cell_text(counts)} ({block.failure_shares.get(kind, 0.0):.1%} failed or skipped)")
        if not block.within_budget:
            line(console, f"more failed than failure_budget {summary.failure_budget:g} allows", "red")
        for note in block.notes:
            line(console, f"note: {note}")
        line(console)
    legend = (
        f"recall: gold pages among the first {RECALL_AT} retrieved; wrong pages: right answers that cite no gold page; "
        "no answer: 'Not answerable'; calls: a question"
    )
    line(console, f"accuracy: MMLongBench-Doc's rules; {legend}", "dim")


def show_methods(summary: MetricsSummary, console: Console) -> None:
    """Every run's methods and problems alone: the end of a run."""
    for run, block in summary.runs.items():
        _methods(console, f"run {run} on {', '.join(block.datasets)}", block.methods, (), (), block.measures)
        _problems(console, block.documents.problems[:LAST_PROBLEMS])
        for kind, counts in block.counts.items():
            if block.failure_shares.get(kind):
                line(console, f"{kind}: {cell_text(counts)}")


def show_metrics(metrics: Metrics, console: Console, view: View) -> None:
    """One run: its methods overall, then by groups of questions."""
    blocks = {method: figures.all for method, figures in metrics.methods.items()}
    title = f"run {metrics.run} on {', '.join(metrics.datasets)}"
    _methods(console, title, blocks, metrics.references, metrics.seeds, metrics.measures)
    _official(console, blocks)
    _comparisons(console, metrics.comparisons)
    for method, figures in metrics.methods.items():
        grouped = [
            (grouping, value, block.questions, block.accuracy, block.f1, block.anls)
            for grouping, values in figures.groups.items()
            for value, block in values.items()
        ]
        columns = ("grouping", "value", "questions#", "accuracy#", "F1#", "ANLS#")
        show_table(console, f"{method} by groups", columns, grouped[: view.limit])
    _problems(console, metrics.documents.problems)
    for note in metrics.notes:
        line(console, f"note: {note}")


ABLATION_COLUMNS = (
    "method", "without", "read against", "accuracy#", "difference#", "95 %", "lost#", "won#", "p#", "p, Holm#",
    "recall@5#", "calls#", "tokens#",
)  # fmt: skip


def show_ablations(rows: Sequence[Mapping[str, Any]], console: Console, view: View) -> None:
    """The rows over all questions, each with its difference to what it is read against; or, with ``--id`` the name of
    a method, that method's rows by groups."""
    overall = [row for row in rows if row["grouping"] == "all"]
    if view.item is not None:
        own = [row for row in rows if row["method"] == view.item]
        if not own:
            known = ", ".join(str(row["method"]) for row in overall)
            raise ArtifactError(f"no method {view.item!r} among the ablations; there are {known}")
        cells = [
            (row["grouping"], row["group"], row["questions"], row["accuracy"], row["accuracy_difference"])
            for row in own[: view.limit]
        ]
        columns = ("grouping", "group", "questions#", "accuracy#", "difference#")
        show_table(console, f"{view.item} against {own[0]['reference']}", columns, cells)
        line(console, f"changed: {own[0]['changed'] or 'another strategy'}", "dim")
        return
    cells = [_ablation_row(row) for row in overall[: view.limit]]
    questions = overall[0]["scored"] if overall else 0
    show_table(
        console,
        f"{counted(len(overall), 'method')} on {counted(questions, 'scored question')}",
        ABLATION_COLUMNS,
        cells,
    )
    legend = "lost, won: questions that only the other, or only this method has right; p: McNemar's test of these"
    line(console, f"difference: to what the row is read against, paired, 95 % over documents; {legend}", "dim")


def _ablation_row(row: Mapping[str, Any]) -> tuple[Any, ...]:
    same = row["reference"] == row["method"]
    low, high = row["difference_low"], row["difference_high"]

    def p(value: float | None) -> str | None:
        return None if same or value is None else f"{value:.2g}"

    return (
        row["method"],
        row["without"],
        None if same else row["reference"],
        row["accuracy"],
        None if same or row["accuracy_difference"] is None else signed(row["accuracy_difference"]),
        None if same or low is None else f"{signed(low)} to {signed(high)}",
        row["only_reference_right"],
        row["only_right"],
        p(row["mcnemar_p"]),
        p(row["mcnemar_p_holm"]),
        row["page_recall_5"],
        f"{row['calls']:.1f}",
        f"{row['tokens_in'] + row['tokens_out']:.0f}",
    )


def show_costs(costs: Costs, console: Console) -> None:
    """Totals of each method and each stage."""
    columns = (
        "method", "questions#", "calls#", "tokens in#", "tokens out#", "cached#", "images#", "accuracy/1k tokens#",
        "median s#", "peak MB#",
    )  # fmt: skip
    rows = [
        (
            name, cost.questions, cost.calls, cost.tokens_in, cost.tokens_out, cost.tokens_cached, cost.images,
            cost.accuracy_per_1000_tokens, cost.seconds.p50 if cost.seconds else None, cost.peak_rss_mb,
        )
        for name, cost in costs.methods.items()
    ]  # fmt: skip
    show_table(console, f"costs of run {costs.run}", columns, rows)
    stages = [
        (
            name, stage.documents, stage.seconds.p50 if stage.seconds else None,
            stage.seconds.total if stage.seconds else None, stage.peak_rss_mb, stage.jobs, stage.cpu_seconds,
            stage.calls, stage.tokens_in, stage.tokens_out,
        )
        for name, stage in costs.stages.items()
    ]  # fmt: skip
    if stages:
        headings = ("stage", "documents#", "median s#", "total s#", "peak MB#", "jobs#", "CPU s#", "calls#",
                    "tokens in#", "tokens out#")  # fmt: skip
        show_table(console, "stages", headings, stages)


def _method_row(method: str, block: Block, measures: Mapping[str, MeasureNote]) -> tuple[Any, ...]:
    interval = block.accuracy_interval
    between = f"{interval.low:.2f}-{interval.high:.2f}" if interval else None
    values = ((block.measures.get(name), note.digits) for name, note in measures.items())
    further = [None if value is None else f"{value:.{digits}f}" for value, digits in values]
    return (
        method, block.accuracy, between, block.f1, block.anls, block.pages.recall.get(RECALL_AT),
        block.cited_pages.f1, block.cited_pages.right_wrong_evidence, block.abstention.abstained,
        f"{block.usage.calls:.1f}", *further,
    )  # fmt: skip


def _outcomes(block: Block) -> tuple[int, int, int, int, int]:
    """Questions answered, without an answer and failed; quotes given, and those that stand on the page they name."""
    answered = round((block.coverage or 0.0) * block.questions)
    verified = round((block.quote_verified or 0.0) * block.quotes)
    return answered, block.questions - answered - block.failed, block.failed, block.quotes, verified


def _methods(
    console: Console,
    title: str,
    methods: Mapping[str, Block],
    references: Sequence[Reference],
    seeds: Sequence[SeedGroup],
    measures: Mapping[str, MeasureNote],
) -> None:
    """Methods side by side, below them the rows that they are read against and the spread over seeds."""
    asked = next((block.questions for block in methods.values()), 0)
    if asked and not any(block.scored for block in methods.values()):
        outcomes = [(method, *_outcomes(block), f"{block.usage.calls:.1f}") for method, block in methods.items()]
        heading = f"{title}: {counted(asked, 'question')} without a gold answer"
        show_table(console, heading, UNSCORED_COLUMNS, outcomes)
        return
    rows = [_method_row(method, block, measures) for method, block in methods.items()]
    rows += [_method_row(f"[{each.name}]", each.figures, measures) for each in references if each.figures is not None]
    columns = (*METHOD_COLUMNS, *(f"{name}#" for name in measures))
    show_table(console, f"{title}: {counted(asked, 'question')}", columns, rows)
    for name, note in measures.items():
        line(console, f"{name}: {note.description}{f'; {note.better} is better' if note.better else ''}", "dim")
    for reference in references:
        line(console, f"[{reference.name}] {reference.method or ''}{': ' if reference.method else ''}{reference.note}")
    for group in seeds:
        figures = ", ".join(
            f"{name} {found.mean:.3f} (sd {found.sd or 0.0:.3f})"
            for name, found in group.figures.items()
            if name in ("accuracy", "f1", f"page_recall@{RECALL_AT}")
        )
        line(console, f"{group.method} ({len(group.seeds)} seeds): {figures}")


def _official(console: Console, methods: Mapping[str, Block]) -> None:
    """Published scores: strict, normalised, corrected."""
    names = list(dict.fromkeys(name for block in methods.values() for name in block.official))
    rows = [
        (name, method, score.questions, score.strict, score.normalised, score.corrected)
        for name in names
        for method, block in methods.items()
        if (score := block.official.get(name)) is not None
    ]
    if rows:
        columns = ("published score", "method", "questions#", "strict#", "normalised#", "corrected#")
        show_table(console, "as the benchmarks score", columns, rows)


def _comparisons(console: Console, comparisons: Sequence[Comparison]) -> None:
    comparisons = [each for each in comparisons if each.first_better + each.second_better + each.ties]
    for each in comparisons[:PAIRS]:
        spread = f" (95 %: {signed(each.interval.low)} to {signed(each.interval.high)})" if each.interval else ""
        tested = "" if each.mcnemar_p_holm is None else f"; McNemar p {each.mcnemar_p_holm:.2g} for all pairs"
        line(
            console,
            f"{each.first} against {each.second}: {signed(each.difference)}{spread}; "
            f"{each.first_better} better, {each.second_better} worse, {each.ties} equal{tested}",
        )
    if len(comparisons) > PAIRS:
        line(console, f"… {len(comparisons) - PAIRS} more pairs in the file", "dim")


def _problems(console: Console, problems: Sequence[Any]) -> None:
    for each in problems[:PROBLEMS]:
        line(
            console, f"{each.dataset}/{each.doc_id}: {each.stage} {each.status} ({each.reason}: {each.message})", "red"
        )


def _cells(rows: Sequence[BaseModel], asked: Mapping[str, str]) -> tuple[Sequence[str], list[Sequence[Any]]]:
    """Columns and cells: the chosen fields of rows that people read, else all fields that any row has."""
    chosen = [_chosen_fields(row, asked) for row in rows]
    if chosen[0]:
        return list(chosen[0]), [list(fields.values()) for fields in chosen]
    dumped = [row.model_dump(mode="json") for row in rows]
    used = [name for name in dumped[0] if any(row[name] not in (None, "", [], {}) for row in dumped)]
    return used, [[plain(cell_text(row[name]), CELL) for name in used] for row in dumped]


def _chosen_fields(row: BaseModel, asked: Mapping[str, str]) -> dict[str, Any]:
    """Column -> value; empty for a kind of row of which every field is shown."""
    match row:
        case Prediction():
            return {
                "question_id": row.question_id, "question": plain(asked.get(row.question_id, ""), NARROW_CELL),
                "status": row.status, "answer": plain(row.answer, CELL), "confidence#": row.confidence,
                "pages": sorted({support.page for support in row.support}), "ended by": row.reason or row.exit_reason,
            }  # fmt: skip
        case Question():
            return {
                "question_id": row.question_id, "doc_id": row.doc_id, "question": plain(row.question, WIDE_CELL),
                "answer": row.answer, "pages": row.evidence_pages,
            }  # fmt: skip
        case LedgerRow():
            return {
                "doc_id": row.doc_id, "status": row.status, "reason": row.reason,
                "message": plain(row.message or "", WIDEST_CELL), "counts": row.counts, "edited": row.edited,
            }  # fmt: skip
        case SampleLine():
            return {
                "question_id": row.question_id, "method": row.method, "answer": plain(row.answer or "", NARROW_CELL),
                "gold": plain(str(row.gold), NARROW_CELL), "correct": row.correct, "cause": row.cause,
                "pages": row.cited_pages, "cells#": len(row.board or []),
            }  # fmt: skip
    return {}
