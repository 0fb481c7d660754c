"""The first page: figures of every run, and every question with filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cosee.artifacts import files
from cosee.artifacts.metrics import Block, Cause
from cosee.report.charts import share_chart
from cosee.report.views import RunView, outcome_of

if TYPE_CHECKING:
    from cosee.report.site import Site

CAUSES: dict[Cause, str] = {
    "right": "right",
    "not_retrieved": "a gold page not retrieved",
    "retrieved_not_read": "a gold page retrieved, not read",
    "read_not_reasoned": "the gold pages read, the answer wrong",
    "extracted_wrong": "the gold answer said, another one given",
    "scorer": "right by another scorer",
    "answered_unanswerable": "answered an unanswerable question",
    "pages_unknown": "wrong, gold pages unknown",
    "failed": "failed or missing",
}
KINDS = ("answer_format", "evidence_pages", "evidence_source")
"""Groupings of the table of kinds of questions."""


def write(site: Site) -> None:
    """Write ``index.html``."""
    rows = [row for run in site.content.runs for row in _rows(site, run)]
    site.page(
        "index.html",
        "index.html",
        runs=[_run(site, run) for run in site.content.runs],
        rows=rows,
        sources=sorted({row["source"] for row in rows}),
        formats=sorted({row["format"] for row in rows}),
        methods=list(dict.fromkeys(method for run in site.content.runs for method in run.results)),
    )


def _run(site: Site, run: RunView) -> dict[str, Any]:
    metrics = run.metrics
    blocks = {name: metrics.methods[name].all for name in metrics.method_order}
    first = next(iter(blocks.values()))
    chart = share_chart(
        [("“Not answerable”", "reference", first.constant_accuracy, None)]
        + [(name, "", block.accuracy, block.accuracy_interval) for name, block in blocks.items()]
    )
    return {
        "name": run.name,
        "documents": metrics.documents,
        "document_text": ", ".join(f"{count} {status}" for status, count in metrics.documents.statuses.items()),
        "questions": first.questions,
        "scored": first.scored,
        "answers": sum(block.questions for block in blocks.values()),
        "failed": sum(_failed(block) for block in blocks.values()),
        "chart": chart,
        "has_intervals": any(block.accuracy_interval for block in blocks.values()),
        "constant": first.constant_accuracy,
        "majority": first.majority_accuracy,
        "methods": [{"name": name, "block": block} for name, block in blocks.items()],
        "ks": sorted(first.pages.recall, key=int),
        "ceilings": first.pages.recall_ceiling,
        "sources": _groups(run, ("source_dataset",)),
        "kinds": _groups(run, KINDS),
        "official": [
            {
                "name": name,
                "questions": score.questions,
                "scores": [block.official.get(name) for block in blocks.values()],
            }
            for name, score in first.official.items()
        ],
        "causes": [
            {"name": CAUSES[cause], "counts": [block.causes.get(cause, 0) for block in blocks.values()]}
            for cause in CAUSES
            if any(cause in block.causes for block in blocks.values())
        ],
        "comparisons": metrics.comparisons,
        "notes": metrics.notes,
        "mode": metrics.provenance.mode,
        "document_links": [
            {"name": document.doc_id, "href": site.document_path(document.dataset, document.doc_id)}
            for document in site.content.documents
            if document.dataset in metrics.datasets
        ],
    }


def _failed(block: Block) -> int:
    return sum(block.statuses.get(status, 0) for status in ("failed", "skipped", "missing"))


def _groups(run: RunView, groupings: tuple[str, ...]) -> list[dict[str, Any]]:
    methods = [run.metrics.methods[name] for name in run.metrics.method_order]
    rows = []
    for grouping in groupings:
        for name, block in methods[0].groups[grouping].items():
            rows.append(
                {
                    "name": name if len(groupings) == 1 else f"{grouping.replace('_', ' ')}: {name}",
                    "questions": block.questions,
                    "constant": block.constant_accuracy,
                    "blocks": [method.groups[grouping][name] for method in methods],
                }
            )
    return rows


def _rows(site: Site, run: RunView) -> list[dict[str, Any]]:
    rows = []
    for position, result in enumerate(next(iter(run.results.values()), ())):
        question = result.question
        outcomes = [outcome_of(method, results[position]) for method, results in run.results.items()]
        kinds = {each.method: "failed" if each.outcome == "missing" else each.outcome for each in outcomes}
        rows.append(
            {
                "run": run.name,
                "source": question.source_dataset,
                "format": question.answer_format or "unspecified",
                "outcomes": files.canonical_json(kinds),
                "href": site.question_path(run.name, result.dataset, question.question_id),
                "question": question.question,
                "gold": question.answer,
                "document": question.doc_id,
                "document_href": site.document_path(result.dataset, question.doc_id),
                "results": outcomes,
            }
        )
    return rows
