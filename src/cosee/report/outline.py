"""A document's tree as an outline of its sections, with what each of them holds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.report.thresholds import CAPTION_CHARACTERS, LINE_CHARACTERS, OUTLINE_DEPTH

SHOWN_TYPES = ("section", "image", "table")
"""Nodes with a line of their own; others are counted in their parent's."""


@dataclass(frozen=True)
class OutlineNode:
    """A section, figure or table; ``contents`` counts the leaves directly under it."""

    title: str
    pages: str
    first: int
    """Its first page, from 1."""
    contents: str
    depth: int
    children: list[OutlineNode] = field(default_factory=list)


def outline(tree: DocTree) -> OutlineNode:
    """The outline from the document down; pages are 1-based."""
    return _branch(tree, tree.root, 0)


def _branch(tree: DocTree, node: Node, depth: int) -> OutlineNode:
    children = tree.children(node.id)
    shown = [child for child in children if child.type in SHOWN_TYPES] if depth < OUTLINE_DEPTH else []
    counts = Counter(child.type for child in children if child.type not in SHOWN_TYPES)
    return OutlineNode(
        title=_title(tree, node),
        pages=_pages(node),
        first=node.page_span[0] + 1,
        contents=", ".join(f"{count} {_plural(kind, count)}" for kind, count in sorted(counts.items())),
        depth=depth,
        children=[_branch(tree, child, depth + 1) for child in shown],
    )


def _title(tree: DocTree, node: Node) -> str:
    if node.type == "document":
        return tree.title or tree.doc_id
    title = node.title or node.text or node.id
    if node.type in ("image", "table"):
        if node.title or len(title) <= CAPTION_CHARACTERS:
            title = title.split("\n", 1)[0]
        else:
            title = f"{title[: CAPTION_CHARACTERS - 1]}…"
        title = title if node.label is None or title.startswith(node.label) else f"{node.label}: {title}"
        kind = node.type if node.kind is None else f"{node.kind} {node.type}"
        title = f"[{kind}] {title}"
    return title if len(title) <= LINE_CHARACTERS else f"{title[: LINE_CHARACTERS - 1]}…"


def _pages(node: Node) -> str:
    first, last = node.page_span[0] + 1, node.page_span[1] + 1
    return f"page {first}" if first == last else f"pages {first}–{last}"


def _plural(kind: str, count: int) -> str:
    return kind if count == 1 or kind in ("code", "toc") else f"{kind}s"
