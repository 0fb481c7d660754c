"""The list of questions as a data script: short rows that ``questions.js`` filters, counts and shows a page at a time.

Pages from ``file://`` cannot read JSON files, so the rows are a script of their own beside ``index.html``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.artifacts.datasets.questions import Question
from cosee.report.causes import CAUSES, LETTERS
from cosee.report.details import cut
from cosee.report.script import script_json
from cosee.report.site import Site
from cosee.report.views import Outcome, RunView, outcome_of

KINDS = {
    "right": "R", "partly": "P", "wrong": "W", "abstained": "A", "failed": "F", "missing": "M", "unscored": "U",
}  # fmt: skip
QUESTION, GOLD = 260, 120
"""Characters that the list shows of a question and of a gold answer."""


def write(site: Site, run: RunView) -> str:
    """Write the rows of one run; returns the path of the script below the site."""
    documents: dict[tuple[str, str], int] = {}
    sources: dict[str, int] = {}
    formats: dict[str, int] = {}
    rows: list[list[Any]] = []
    for position, result in enumerate(run.questions):
        question = result.question
        outcomes = [outcome_of(method, results[position]) for method, results in run.results.items()]
        rows.append(
            [
                site.question_path(run.name, result.dataset, question.question_id),
                cut(question.question, QUESTION)[0],
                gold_text(question),
                documents.setdefault((result.dataset, question.doc_id), len(documents)),
                sources.setdefault(question.source_dataset, len(sources)),
                formats.setdefault(question.answer_format or "unspecified", len(formats)),
                "".join(KINDS[each.kind] for each in outcomes),
                "".join(_flag(each) for each in outcomes),
                "".join(LETTERS[each.cause] if each.cause else "-" for each in outcomes),
            ]
        )
    value = {
        "run": run.name,
        "methods": [[method, site.anchor(method)] for method in run.results],
        "documents": [[dataset, doc_id, site.document_path(dataset, doc_id)] for dataset, doc_id in documents],
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
    return cut(text, GOLD)[0]


def _flag(outcome: Outcome) -> str:
    """``b`` both, ``v`` a quote that is not verified, ``e`` right with wrong evidence, ``-`` neither."""
    if outcome.unverified and outcome.wrong_evidence:
        return "b"
    return "v" if outcome.unverified else "e" if outcome.wrong_evidence else "-"
