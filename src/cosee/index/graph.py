"""Edges between nodes, chunks, pages and columns; and the maps from labels and page numbers to them."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.documents.index import DenseLeaf, GraphEdge, IdMaps
from cosee.index.columns import column_units
from cosee.index.view import IndexView, labelled
from cosee.text.mentions import parse_label


def graph_edges(view: IndexView, leaves: Sequence[DenseLeaf]) -> list[GraphEdge]:
    """Every edge once, in reading order of its source, by kind.

    ``parent`` and ``child`` hold the whole tree, hidden nodes included; ``prev_next`` goes from a child to the next;
    ``same_page`` from ``P<page_idx>`` to a visible node on it; ``ref`` from a chunk to what it mentions; ``has_col``
    from a table to ``<table>:col:<name>``.
    """
    edges: list[GraphEdge] = []
    for node in view.tree.nodes:
        if node.parent is not None:
            edges.append(GraphEdge(src=node.id, dst=node.parent, type="parent"))
        edges.extend(GraphEdge(src=node.id, dst=child, type="child") for child in node.children)
        edges.extend(
            GraphEdge(src=left, dst=right, type="prev_next")
            for left, right in zip(node.children, node.children[1:], strict=False)
        )
    for page_idx, ids in sorted(view.tree.page_nodes.items()):
        edges.extend(
            GraphEdge(src=f"P{page_idx}", dst=node_id, type="same_page") for node_id in ids if node_id in view.visible
        )
    for leaf in leaves:
        edges.extend(GraphEdge(src=leaf.node_id, dst=ref.target, type="ref", label=ref.label) for ref in leaf.refs)
    for table in view.media:
        for name, unit in column_units(table) if table.type == "table" else ():
            edges.append(GraphEdge(src=table.id, dst=f"{table.id}:col:{name}", type="has_col", label=name, unit=unit))
    return edges


def id_maps(view: IndexView) -> IdMaps:
    """Labels, figure and table numbers and printed page numbers; the first in reading order, the rest in duplicates."""
    by_label: dict[str, list[Node]] = {}
    for node in labelled(view.nodes):
        by_label.setdefault(node.label or "", []).append(node)
    maps = IdMaps()
    for label, nodes in by_label.items():
        maps.label2id[label] = nodes[0].id
        # A caption repeats the label of its image; only nodes of the same type are duplicates of each other.
        same = [node.id for node in nodes if node.type == nodes[0].type]
        if len(same) > 1:
            maps.duplicates[label] = same
        parsed = parse_label(label)
        if parsed and parsed.kind in ("figure", "table"):
            numbers = maps.figure if parsed.kind == "figure" else maps.table
            numbers.setdefault(parsed.number, nodes[0].id)
    for page in view.tree.pages:
        if page.page_label:
            maps.page_labels.setdefault(page.page_label, page.page_idx)
    return maps
