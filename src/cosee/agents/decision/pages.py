"""Pages and nodes of the document as objects of the environment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cosee.agents.decision.rendering import cut_text
from cosee.artifacts.doctree import DocTree
from cosee.models.evidence import node_data

PREVIEW = 1_200
"""Characters of a page's best nodes in ``text``: enough for the rows of a table that answer."""


def page_object(tree: DocTree, page: int, hits: Sequence[str], **fields: Any) -> dict[str, Any] | None:
    """A page (1-based) with its visible nodes; None for one without. ``hits`` are the nodes that were looked for."""
    visible = visible_nodes(tree, page)
    if not visible:
        return None
    return nodes_object(tree, page, visible, [each for each in hits if each in visible], **fields)


def nodes_object(
    tree: DocTree, page: int, node_ids: Sequence[str], hits: Sequence[str] = (), **fields: Any
) -> dict[str, Any]:
    """Nodes of a page as one object; ``text`` previews the hits, else the first nodes."""
    texts = [tree.node(each).text or tree.node(each).title or "" for each in (hits or node_ids)]
    return {
        "page_number": page,
        "page_label": tree.pages[page - 1].page_label,
        "text": cut_text("\n".join(text for text in texts if text), PREVIEW),
        "nodes": [node_data(tree, each) for each in node_ids],
        "hits": list(hits),
        **fields,
    }


def visible_nodes(tree: DocTree, page: int) -> list[str]:
    """Ids of the nodes that a reader of a page (1-based) sees, in reading order."""
    return [each for each in tree.page_nodes.get(page - 1, []) if "hidden" not in tree.node(each).flags]
