"""Pages and nodes of the document as objects of the environment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cosee.agents.decision.rendering import cut_text
from cosee.agents.decision.thresholds import PREVIEW_CHARACTERS
from cosee.artifacts.documents.doctree import DocTree
from cosee.models.evidence import node_data


def page_object(tree: DocTree, page: int, relevance: Mapping[str, float], **fields: Any) -> dict[str, Any] | None:
    """A page (1-based) with its readable nodes; None for one without. ``relevance`` is the score of each hit by id."""
    visible = [node.id for node in tree.readable_on(page - 1)]
    if not visible:
        return None
    hits = sorted((each for each in visible if each in relevance), key=lambda each: -relevance[each])
    value = nodes_object(tree, page, visible, hits, **fields)
    for node in value["nodes"]:
        if node["node_id"] in relevance:
            node["relevance"] = round(relevance[node["node_id"]], 6)
    return value


def nodes_object(
    tree: DocTree, page: int, node_ids: Sequence[str], hits: Sequence[str] = (), **fields: Any
) -> dict[str, Any]:
    """Nodes of a page as one object; ``text`` previews the hits, else the first nodes."""
    texts = [tree.node(each).text or tree.node(each).title or "" for each in (hits or node_ids)]
    return {
        "page_number": page,
        "page_label": tree.pages[page - 1].page_label,
        "text": cut_text("\n".join(text for text in texts if text), PREVIEW_CHARACTERS),
        "nodes": [node_data(tree, each) for each in node_ids],
        "hits": list(hits),
        **fields,
    }
