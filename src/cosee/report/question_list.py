"""The list of questions as a data script: short rows that ``questions.js`` filters, counts and shows a page at a time.

Pages from ``file://`` cannot read JSON files, so the rows are a script of their own beside ``index.html``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cosee.artifacts.datasets.questions import Question
from cosee.report.causes import CAUSES, LETTERS
from cosee.report.details import shortened
from cosee.report.kept import DocumentKey, Kept
from cosee.report.node_names import SEVERAL
from cosee.report.site import Site, script_json
from cosee.report.thresholds import LISTED_GOLD_CHARACTERS, LISTED_QUESTION_CHARACTERS
from cosee.report.views import Outcome, RunView, outcome_of

KINDS = {
    "right": "R", "partly": "P", "wrong": "W", "abstained": "A", "failed": "F", "missing": "M", "unscored": "U",
}  # fmt: skip


def rows_of(site: Site, run: RunView) -> dict[DocumentKey, dict[str, list[Any]]]:
    """Document -> question id -> the question's row, for the results of a run; source and format in words."""
    rows: dict[DocumentKey, dict[str, list[Any]]] = {}
    for position, result in enumerate(run.questions):
        question = result.question
        outcomes = [outcome_of(method, results[position]) for method, results in run.results.items()]
        rows.setdefault((result.dataset, question.doc_id), {})[question.question_id] = [
            site.question_path(run.name, result.dataset, question.question_id),
            shortened(question.question, LISTED_QUESTION_CHARACTERS),
            gold_text(question),
            question.source_dataset,
            question.answer_format or "unspecified",
            "".join(KINDS[each.kind] for each in outcomes),
            "".join(_flag(each) for each in outcomes),
            "".join(LETTERS[each.cause] if each.cause else "-" for each in outcomes),
        ]
    return rows


def write(site: Site, run: RunView, documents: Mapping[DocumentKey, Kept]) -> str:
    """Write the rows of one run; returns the path of the script below the site."""
    places: dict[DocumentKey, int] = {}
    sources: dict[str, int] = {}
    formats: dict[str, int] = {}
    rows: list[list[Any]] = []
    for dataset, doc_id, question_id in run.order:
        path, question, gold, source, form, *letters = documents[dataset, doc_id].rows[run.name][question_id]
        numbers = (
            places.setdefault((dataset, doc_id), len(places)),
            sources.setdefault(source, len(sources)),
            formats.setdefault(form, len(formats)),
        )
        rows.append([path, question, gold, *numbers, *letters])
    value = {
        "run": run.name,
        "methods": [[method, site.anchor(method)] for method in run.results],
        "documents": [[dataset, doc_id or SEVERAL, site.document_path(dataset, doc_id)] for dataset, doc_id in places],
        "sources": list(sources),
        "formats": list(formats),
        "causes": [[LETTERS[each], words] for each, words in CAUSES.items()],
        "rows": rows,
    }
    path = site.list_path(run.name)
    site.write(path, f"(window.coseeRuns = window.coseeRuns || []).push({script_json(value)});\n".encode())
    return path


def gold_text(question: Question) -> str:
    """The gold answer in one line; empty where there is none."""
    answer: str | Sequence[str] | None = question.answer
    text = answer if isinstance(answer, str) else "; ".join(answer or ())
    return shortened(text, LISTED_GOLD_CHARACTERS)


def _flag(outcome: Outcome) -> str:
    """``b`` both, ``v`` a quote that is not verified, ``e`` right with wrong evidence, ``-`` neither."""
    if outcome.unverified and outcome.wrong_evidence:
        return "b"
    return "v" if outcome.unverified else "e" if outcome.wrong_evidence else "-"
