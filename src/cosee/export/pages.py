"""What stands between the nodes of an export: where a page begins, and which text a page does not show."""

from __future__ import annotations

from collections.abc import Iterator

from cosee.artifacts.documents.doctree import UNREADABLE_FLAGS, DocTree, Node


def with_pages(tree: DocTree) -> Iterator[tuple[int | None, Node]]:
    """Every node but the root, in the tree's order; with its 1-based page where that is another than before."""
    page = None
    for node in tree.subtree(tree.root.id):
        if node.id == tree.root.id:
            continue
        begins = node.page_idx + 1 != page
        page = node.page_idx + 1
        yield (page if begins else None), node


def own_title(node: Node) -> str:
    """The caption of a figure or table that no node of its own carries."""
    return node.title or "" if node.type in ("image", "table") and not node.caption_ids else ""


def node_text(node: Node) -> str:
    """A node's own text; a section's is its heading."""
    return (node.text or node.title or "") if node.type == "section" else node.text


def why_unread(node: Node) -> str:
    """Why its text is not to be taken for the page's; empty where it is."""
    return ", ".join(sorted(UNREADABLE_FLAGS & set(node.flags)))
