"""Reading the document's tree: a node, a table, the list of its figures and tables."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from typing import Any, Literal

from pydantic import Field

from cosee.agents.decision import suggestions
from cosee.agents.decision.pages import nodes_object
from cosee.agents.decision.rendering import cut_text
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Inputs, Output, Tool, tool
from cosee.agents.decision.tools.thresholds import MAX_LISTED_CHARACTERS, MAX_NODES_LISTED, MAX_NODES_OPENED
from cosee.agents.decision.tree_data import TreeData
from cosee.agents.evidence import known_node
from cosee.artifacts.documents.doctree import DocTree, Node, NodeType
from cosee.models.evidence import node_data

Kind = Literal["figure", "table", "section", "equation", "any"]
_TYPES: dict[str, tuple[NodeType, ...]] = {
    "figure": ("image",), "table": ("table",), "section": ("section",), "equation": ("equation",),
    "any": ("section", "image", "table", "equation"),
}  # fmt: skip


class OpenNodeInputs(Inputs):
    """Which node."""

    node_id: str = Field(min_length=1, max_length=80, description="Id of a node, as the evidence gives it.")


@tool(
    "open_node",
    order=40,
    description="Read one node of the document in full: a paragraph, a figure, or a section with all that is in it.",
    status="Opening a part of the document...",
    inputs=OpenNodeInputs,
)
class OpenNode(Tool):
    """A node with everything under it."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """The node's readable nodes, page by page."""
        tree = self.services.context.tree
        node = known_node(tree, inputs["node_id"])
        opened = [each for each in tree.subtree(node.id) if each.readable] if node else []
        if node is None or not opened:
            known = suggestions.nodes_like(inputs["node_id"], tree_data, tree)
            yield Error(f"There is no node {inputs['node_id']!r}", suggestion=known)
            return
        yield Result(
            _by_page(tree, opened[:MAX_NODES_OPENED]),
            {"node_id": node.id, "opened": len(opened[:MAX_NODES_OPENED]), "of": len(opened)},
            "nodes",
            "chunks",
            "Opened {node_id}: {opened} of {of} nodes.",
        )


class ReadTableInputs(Inputs):
    """Which table, and of its rows those with certain words."""

    table: str = Field(
        min_length=1, max_length=80, description="Node id of a table, or its label, as the evidence gives it."
    )
    rows: str = Field("", max_length=200, description="Words of the rows that are wanted; empty for all.")


@tool(
    "read_table",
    order=50,
    description="Read the cells of one table in full, or only its rows with certain words.",
    status="Reading a table...",
    inputs=ReadTableInputs,
)
class ReadTable(Tool):
    """The cells of a table."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """The table as one object; with ``rows`` its header and the rows that hold one of the words."""
        tree = self.services.context.tree
        node = find_table(tree, inputs["table"])
        if node is None or node.table is None:
            yield Error(f"There is no table {inputs['table']!r}", suggestion=suggestions.tables(tree))
            return
        words = [word.lower() for word in inputs["rows"].split()]
        header = node.table.header_rows
        kept = [
            row
            for number, row in enumerate(node.table.rows)
            if number < header or not words or any(word in " ".join(row).lower() for word in words)
        ]
        if len(kept) <= header and words:
            firsts = suggestions.quoted([row[0] for row in node.table.rows[header:]])
            told = f"Its rows begin with {firsts}; leave rows empty to read them all"
            yield Error(f"No row of {node.id} holds {inputs['rows']!r}", suggestion=told)
            return
        value = nodes_object(tree, node.page_idx + 1, [node.id])
        text = "\n".join(" | ".join(row) for row in kept)
        value["nodes"] = [{**value["nodes"][0], "rows": [list(row) for row in kept], "text": text}]
        yield Result(
            [value | {"text": text}],
            {"table": node.label or node.id, "node_id": node.id, "rows": len(kept), "page": node.page_idx + 1},
            "tables",
            "table",
            "Read {rows} rows of {table} on page {page}.",
        )


class ListFiguresInputs(Inputs):
    """What to list."""

    kind: Kind = Field("figure", description="'figure', 'table', 'section', 'equation', or 'any' of them.")
    page: int | None = Field(None, ge=1, description="Only this page, counted from 1.")


@tool(
    "list_figures",
    order=60,
    description="List the document's figures (charts, diagrams, photos), tables, sections or equations, to count them",
    status="Listing figures and tables...",
    inputs=ListFiguresInputs,
)
class ListFigures(Tool):
    """What the document has of a kind."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """One object each, with page, label, caption and kind of chart."""
        tree = self.services.context.tree
        page = inputs["page"]
        found = [
            node
            for node in tree.of_type(*_TYPES[inputs["kind"]])
            if node.readable and (page is None or node.page_idx == page - 1)
        ]
        if page is not None and page > len(tree.pages):
            yield Error(f"There is no page {page}", suggestion=suggestions.pages(tree))
            return
        if not found:
            where = f"on page {page}" if page else "in the document"
            told = f"{suggestions.kinds(tree, _TYPES)}; or search the text instead"
            yield Error(f"There is no {inputs['kind']} {where}", suggestion=told)
            return
        yield Result(
            [_listed(tree, node) for node in found[:MAX_NODES_LISTED]],
            {"kind": inputs["kind"], "listed": len(found[:MAX_NODES_LISTED]), "of": len(found)},
            "items",
            "list",
            "{of} of kind '{kind}', {listed} listed.",
        )


def find_table(tree: DocTree, name: str) -> Node | None:
    """The table that an id or a label means, or None."""
    node = known_node(tree, name)
    if node is None:
        tables = [each for each in tree.of_type("table") if each.readable]
        same = [each for each in tables if (each.label or "").lower() == name.strip().lower()]
        node = next(iter(same), None)
    return node if node is not None and node.type == "table" and node.readable else None


def _listed(tree: DocTree, node: Node) -> dict[str, Any]:
    data = {key: value for key, value in node_data(tree, node.id).items() if key not in ("rows", "header_rows")}
    data["text"] = cut_text(str(data["text"] or ""), MAX_LISTED_CHARACTERS)
    words = [node.label, node.title, node.chart_form, node.kind]
    return {
        "page_number": node.page_idx + 1,
        "page_label": data["page_label"],
        "text": ", ".join(dict.fromkeys(word for word in words if word)),
        "nodes": [data],
        "hits": [node.id],
    }


def _by_page(tree: DocTree, nodes: Iterable[Node]) -> list[dict[str, Any]]:
    pages: dict[int, list[str]] = {}
    for node in nodes:
        pages.setdefault(node.page_idx + 1, []).append(node.id)
    return [nodes_object(tree, page, ids) for page, ids in pages.items()]
