"""The first page: figures of every run with their intervals, and the list of questions with its filters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cosee.artifacts.results.metrics import Block
from cosee.report import question_list
from cosee.report.causes import CAUSES
from cosee.report.charts import Plot, Share, share_plot, stack
from cosee.report.kept import DocumentKey, Kept
from cosee.report.site import Site
from cosee.report.spending import names, spending
from cosee.report.views import RunView

GROUPINGS = {
    "source_dataset": "source of the questions",
    "answer_format": "answer format",
    "evidence_source": "kind of evidence",
    "evidence_pages": "number of evidence pages",
}


def write(site: Site, documents: Mapping[DocumentKey, Kept]) -> None:
    """Write ``index.html`` and the rows of its list."""
    lists = [question_list.write(site, run, documents) for run in site.content.runs]
    site.page("index.html", "index.html", runs=[_run(site, run) for run in site.content.runs], lists=lists)


def _run(site: Site, run: RunView) -> dict[str, Any]:
    metrics = run.metrics
    blocks = {name: metrics.methods[name].all for name in metrics.method_order}
    first = next(iter(blocks.values()))
    links = {name: site.method_path(run.name, name) for name in blocks}
    gold = set(run.gold)
    return {
        "name": run.name,
        "datasets": metrics.datasets,
        "documents": metrics.documents,
        "document_text": ", ".join(f"{count} {status}" for status, count in metrics.documents.statuses.items()),
        "questions": first.questions,
        "scored": first.scored,
        "answers": sum(block.questions for block in blocks.values()),
        "failed": sum(block.failed for block in blocks.values()),
        "accuracy": accuracy_plot(blocks, links, gold),
        "has_intervals": any(block.accuracy_interval for block in blocks.values()),
        "constant": first.constant_accuracy,
        "majority": first.majority_accuracy,
        "methods": [
            {"name": name, "block": block, "href": links[name], "gold": name in gold} for name, block in blocks.items()
        ],
        "ks": sorted(first.pages.recall, key=int),
        "ceilings": first.pages.recall_ceiling,
        "causes": [stack(name, block.causes, CAUSES, links[name]) for name, block in blocks.items()],
        "cause_names": {
            kind: words for kind, words in CAUSES.items() if any(kind in block.causes for block in blocks.values())
        },
        "groups": [{"name": words, "rows": rows} for key, words in GROUPINGS.items() if (rows := _groups(run, key))],
        "official": [
            {
                "name": name,
                "questions": score.questions,
                "scores": [block.official.get(name) for block in blocks.values()],
            }
            for name, score in first.official.items()
        ],
        "comparisons": metrics.comparisons,
        "measures": metrics.measures,
        "best": _best(blocks, links, gold),
        "references": metrics.references,
        "seeds": metrics.seeds,
        "notes": metrics.notes,
        "listed": run.listed,
        "stale": run.stale,
        "spending": spending(run),
        "spending_names": names(run),
        "provenance": metrics.provenance,
        "document_links": [
            {"name": doc_id, "href": site.document_path(dataset, doc_id)}
            for dataset, doc_id in site.content.present
            if dataset in metrics.datasets
        ],
    }


def accuracy_plot(blocks: Mapping[str, Block], links: Mapping[str, str], gold: set[str]) -> Plot:
    """Methods by accuracy, the best first, against the constant answer; those given gold pages are hollow."""
    ranked = sorted(blocks, key=lambda name: -(blocks[name].accuracy or 0.0))
    constant = next(iter(blocks.values())).constant_accuracy
    return share_plot(
        [
            Share(
                name=name,
                value=blocks[name].accuracy,
                interval=blocks[name].accuracy_interval,
                href=links[name],
                note="was given gold fields of the question" if name in gold else "",
                hollow=name in gold,
            )
            for name in ranked
        ],
        line=constant,
        line_text="always “Not answerable”" if constant is not None else "",
    )


def _best(blocks: Mapping[str, Block], links: Mapping[str, str], gold: set[str]) -> dict[str, Any] | None:
    """The method with the highest accuracy among those that were not given gold pages."""
    scored = [name for name, block in blocks.items() if block.accuracy is not None and name not in gold]
    if not scored:
        return None
    name = max(scored, key=lambda each: blocks[each].accuracy or 0.0)
    return {"name": name, "block": blocks[name], "href": links[name]}


def _groups(run: RunView, grouping: str) -> list[dict[str, Any]]:
    """One row a group of questions, the methods' figures side by side; none where all questions are in one group."""
    methods = [run.metrics.methods[name] for name in run.metrics.method_order]
    groups = methods[0].groups.get(grouping, {})
    rows = []
    for name, block in groups.items():
        blocks = [method.groups[grouping][name] for method in methods]
        best = max((each.accuracy for each in blocks if each.accuracy is not None), default=None)
        rows.append(
            {
                "name": name,
                "questions": block.questions,
                "constant": block.constant_accuracy,
                "blocks": blocks,
                "best": best,
            }
        )
    return rows if len(rows) > 1 else []
