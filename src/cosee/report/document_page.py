"""A document's page: its questions, its pages with the nodes boxed, its tree and quality, what the stages said."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cosee.artifacts.documents.doctree import DocTree, TreeQuality
from cosee.report.outline import outline
from cosee.report.site import Site, pages_folder
from cosee.report.thresholds import FAULTY_PAGES_LISTED, LEAST_NODE_BOX_PERCENT, PAGES_DRAWN
from cosee.report.views import DocumentView, outcome_of


def write(site: Site, document: DocumentView) -> str:
    """Write the page of one document; returns its path below the site."""
    path = site.document_path(document.dataset, document.doc_id)
    assert path is not None
    root = "../" * path.count("/")
    tree = document.tree
    pages = _pages(site, document, tree, root) if tree else []
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
        pages=pages,
        pages_folder=root + pages_folder(document.dataset, document.doc_id),
        drawn={page["number"] for page in pages},
        types=_types(tree) if tree else [],
        quality=_quality(tree.quality) if tree else [],
        dropped=sorted(Counter(item.reason for item in tree.dropped).items()) if tree else [],
        statuses=[
            {"stage": stage, "status": row.status, "reason": row.reason, "message": row.message}
            for stage, row in document.statuses
        ],
        runs=_questions(site, document, root),
    )
    return path


def _pages(site: Site, document: DocumentView, tree: DocTree, root: str) -> list[dict[str, Any]]:
    """The first pages, and every later one that has a picture."""
    shown = []
    for info in tree.pages:
        number = info.page_idx + 1
        picture = site.pictures.get((document.dataset, document.doc_id, number))
        if number > PAGES_DRAWN and not isinstance(picture, tuple):
            continue
        width, height = (picture[1], picture[2]) if isinstance(picture, tuple) else (info.width, info.height)
        shown.append(
            {
                "number": number,
                "label": info.page_label,
                "image": root + picture[0] if isinstance(picture, tuple) else None,
                "width": round(max(width, 1)),
                "height": round(max(height, 1)),
                "flags": info.flags,
                "boxes": _boxes(tree, info.page_idx),
            }
        )
    return shown


def _boxes(tree: DocTree, page_idx: int) -> list[tuple[str, str, float, float, float, float]]:
    """(node id, type, left, top, width, height) in percent of the page, the last four, kept inside it."""
    boxes: list[tuple[str, str, float, float, float, float]] = []
    for node_id in tree.page_nodes.get(page_idx, []):
        node = tree.by_id[node_id]
        for region in node.regions:
            if region.page_idx == page_idx:
                left, top, right, bottom = (100 * min(max(edge, 0.0), 1.0) for edge in region.bbox)
                width, height = (max(side, LEAST_NODE_BOX_PERCENT) for side in (right - left, bottom - top))
                boxes.append((node_id, node.type, round(left, 2), round(top, 2), round(width, 2), round(height, 2)))
    return boxes


def _types(tree: DocTree) -> list[tuple[str, int]]:
    counts = Counter(node.type for node in tree.nodes if node.type != "document")
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def _quality(quality: TreeQuality) -> list[tuple[str, str]]:
    """The quality report as (what, figure)."""

    def share(value: float) -> str:
        return f"{100 * value:.1f} %"

    def pages(indexes: list[int]) -> str:
        more = " …" if len(indexes) > FAULTY_PAGES_LISTED else ""
        return ", ".join(str(index + 1) for index in indexes[:FAULTY_PAGES_LISTED]) + more

    rows = [
        ("pages", f"{quality.pages}, {quality.pages_with_nodes} with nodes"),
        ("pages with content that have a node", share(quality.page_coverage)),
        ("text in the tree", f"{share(quality.text_coverage)} of {quality.text_characters:,} characters"),
        ("sections", f"{quality.sections}, {quality.max_depth} deep, {quality.empty_sections} empty"),
        ("share of headings", share(quality.heading_share)),
        ("titles over 200 characters", str(quality.long_titles)),
        ("longest chain of only children", str(quality.longest_chain)),
        ("figures", f"{quality.figures}, {quality.figures_without_caption} without caption"),
        (
            "tables",
            f"{quality.tables}, {quality.tables_without_caption} without caption, "
            f"{quality.tables_without_cells} without cells",
        ),
        ("nodes without a parent", str(quality.orphans)),
    ]
    listed = (("pages without a node", quality.empty_page_idx), ("pages full of headings", quality.crowded_page_idx))
    return rows + [(name, pages(indexes)) for name, indexes in listed if indexes]


def _questions(site: Site, document: DocumentView, root: str) -> list[dict[str, Any]]:
    """The document's questions by run, with every method's outcome."""
    runs = []
    for run in site.content.runs:
        rows = [
            {
                "href": root + site.question_path(run.name, result.dataset, result.question.question_id),
                "question": result.question.question,
                "results": [outcome_of(method, results[position]) for method, results in run.results.items()],
            }
            for position, result in site.questions_of(run, (document.dataset, document.doc_id))
        ]
        if rows:
            runs.append({"name": run.name, "methods": list(run.results), "rows": rows})
    return runs
