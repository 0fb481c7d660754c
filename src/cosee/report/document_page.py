"""A document's page: what the stages said of it, its outline, its questions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from cosee.report.outline import outline
from cosee.report.views import DocumentView, outcome_of

if TYPE_CHECKING:
    from cosee.report.site import Site


def write(site: Site, document: DocumentView) -> None:
    """Write the page of one document."""
    path = site.document_path(document.dataset, document.doc_id)
    assert path is not None
    root = "../" * path.count("/")
    tree = document.tree
    site.page(
        path,
        "document.html",
        document={
            "dataset": document.dataset,
            "doc_id": document.doc_id,
            "name": f"{document.dataset}/{document.doc_id}",
            "title": tree.title if tree else None,
        },
        tree=tree,
        tree_note=document.tree_note,
        outline=outline(tree) if tree else None,
        dropped=sorted(Counter(item.reason for item in tree.dropped).items()) if tree else [],
        statuses=[
            {"stage": stage, "status": row.status, "reason": row.reason, "message": row.message}
            for stage, row in document.statuses
        ],
        questions=_questions(site, document, root),
    )


def _questions(site: Site, document: DocumentView, root: str) -> list[dict[str, Any]]:
    rows = []
    for run in site.content.runs:
        for position, result in enumerate(next(iter(run.results.values()), ())):
            if (result.dataset, result.question.doc_id) == (document.dataset, document.doc_id):
                rows.append(
                    {
                        "href": root + site.question_path(run.name, result.dataset, result.question.question_id),
                        "question": result.question.question,
                        "results": [outcome_of(method, rows[position]) for method, rows in run.results.items()],
                    }
                )
    return rows
