"""From the document's tree to evidence blocks: what a message says about a node or a page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from cosee.artifacts.documents.doctree import DocTree
from cosee.models.blocks import Block
from cosee.models.chart_table import chart_rows
from cosee.models.messages import node_block, page_text_block, table_block


def node_data(tree: DocTree, node_id: str) -> dict[str, Any]:
    """The node as a block's data. ``page`` is 1-based, ``path`` the titles of the sections above it, outermost first.

    A table adds ``rows`` (cells as text) and ``header_rows``, a chart that was read ``chart_rows`` (``chart_table``).
    What is known of it beside the tree is added where a prompt is made: ``relevance``, the score of the retriever's
    hit; ``told``, what of it stands in an earlier block (``title`` or ``whole``); ``shown_as``, its name in the prompt
    where it is no node of the tree; ``not_shown``, that a model which sees is not shown its picture.
    """
    node = tree.node(node_id)
    data: dict[str, Any] = {
        "node_id": node.id,
        "type": node.type,
        "page": node.page_idx + 1,
        "page_label": tree.pages[node.page_idx].page_label if node.page_idx < len(tree.pages) else None,
        "bbox": list(node.bbox) if node.bbox else None,
        "text": node.text,
        "title": node.title,
        "label": node.label,
        "path": [
            step.title for step in tree.path(node_id)[:-1] if step.type == "section" and step.title and step.readable
        ],
        "level": node.level,
    }
    if node.table is not None:
        data |= {"rows": [list(row) for row in node.table.rows], "header_rows": node.table.header_rows}
    if node.type == "image":
        data |= {"chart_form": node.chart_form, "image_kind": node.kind, "description": node.description}
    if node.chart is not None and (rows := chart_rows(node.chart, node.text)):
        data["chart_rows"] = rows
    if node.caption_of:
        data["caption_of"] = node.caption_of
    return data


def is_picture(node: Mapping[str, Any]) -> bool:
    """Whether only a picture shows what a node (node data) is: a figure, or a table whose cells were not read."""
    return node.get("type") == "image" or (node.get("type") == "table" and not node.get("rows"))


def unseen(node: Mapping[str, Any]) -> dict[str, Any]:
    """The node data, which says that its picture is not shown where only that would tell what it is."""
    return {**node, "not_shown": True} if is_picture(node) else dict(node)


def page_evidence(
    tree: DocTree,
    page: int,
    found: Mapping[str, Any] | None = None,
    relevance: Mapping[str, float] | None = None,
    *,
    is_shown: bool = True,
) -> Block:
    """A page (1-based) with its readable nodes in reading order.

    ``found`` is what the search tells (``rank``: the page's place from 1) and what the client asked to be told of the
    document, ``relevance`` the score of each hit by node id. Both stand in the block's data alone, so that a model's
    prompt does not hang on them. Where a model that sees is not shown the page (``is_shown``), its figures say so.
    """
    label = tree.pages[page - 1].page_label if 0 < page <= len(tree.pages) else None
    nodes = [node_data(tree, node.id) for node in tree.readable_on(page - 1)]
    for node in nodes:
        if node["node_id"] in (relevance or {}):
            node["relevance"] = round((relevance or {})[node["node_id"]], 6)
    if not is_shown:
        nodes = list(map(unseen, nodes))
    return page_text_block(page, label, tree.page_text(page - 1), nodes, found)


def cut_page_evidence(page: Block, fits: Callable[[Block], bool]) -> Block | None:
    """A page's evidence with as many of its nodes, from the first on, as ``fits`` takes; None where none does."""
    nodes = list(page.data["nodes"])
    kept = None
    for count in range(1, len(nodes) + 1):
        text = "\n".join(str(node["text"]) for node in nodes[:count])
        shorter = page_text_block(page.data["page"], page.data["page_label"], text, nodes[:count])
        if not fits(shorter):
            break
        kept = shorter
    return kept


def node_evidence(tree: DocTree, node_id: str, text: str | None = None, *, is_shown: bool = True) -> Block:
    """A node as a block of its own; a table with its cells. ``text`` stands for a piece of the node's."""
    data = node_data(tree, node_id) if is_shown else unseen(node_data(tree, node_id))
    if text is not None:
        data["text"] = text
    return table_block(data) if "rows" in data else node_block(data)
