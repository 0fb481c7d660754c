"""What of a tree is indexed, and the texts that several index files share."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from cosee.artifacts.documents.content import TableData
from cosee.artifacts.documents.doctree import ROOT_ID, DocTree, Node

LEAF_TYPES = ("paragraph", "list", "caption", "equation", "footnote", "code", "toc")
PATH_SEPARATOR = " > "


class IndexView:
    """A tree without the text that must not be searched, with the lookups that indexing needs."""

    def __init__(self, tree: DocTree) -> None:
        self.tree = tree
        garbage = {page.page_idx for page in tree.pages if "garbage_text" in page.flags}
        self.nodes = [
            node
            for node in tree.nodes
            if node.id != ROOT_ID and node.readable and (node.page_idx not in garbage or "ocr" in node.flags)
        ]
        self.visible = {node.id for node in self.nodes}

    @cached_property
    def media(self) -> list[Node]:
        """Visible images and tables in reading order."""
        return [node for node in self.nodes if node.type in ("image", "table")]

    @cached_property
    def leaves(self) -> list[Node]:
        """Visible leaves that have text, in reading order."""
        return [node for node in self.nodes if node.type in LEAF_TYPES and node.text.strip()]

    @cached_property
    def parent_section(self) -> dict[str, str | None]:
        """Node id -> id of the nearest section above it."""
        found: dict[str, str | None] = {}
        for node in self.tree.nodes:
            section = self.tree.section_of(node.id)
            found[node.id] = section.id if section else None
        return found

    def title(self, section_id: str | None) -> str:
        """A section's heading; empty for none and for one whose heading must not be searched."""
        if section_id is None or section_id not in self.visible:
            return ""
        node = self.tree.node(section_id)
        return node.title or node.text

    def heading_path(self, node_id: str) -> list[str]:
        """Titles of the sections above a node, outermost first; a section's own title is the last."""
        titles = (self.title(node.id) for node in self.tree.path(node_id) if node.type == "section")
        return [title for title in titles if title]

    def visible_subtree(self, node_id: str) -> list[Node]:
        """Visible nodes under a node, without itself, in reading order."""
        return [node for node in self.tree.subtree(node_id) if node.id != node_id and node.id in self.visible]

    def own_text(self, node: Node) -> str:
        """A section's (or the document's) own text: that of its leaf children, in order."""
        children = self.tree.children(node.id)
        return "\n".join(
            child.text for child in children if child.id in self.visible and child.type in ("paragraph", "list")
        )


def table_schema(node: Node) -> list[str]:
    """Column names of a table: the cells of its header rows, joined downwards, each once; none without a header."""
    return list(dict.fromkeys(name for name in column_names(node.table) if name)) if node.table else []


def column_names(table: TableData) -> list[str]:
    """Of each column the path of names above it: its header cells from top to bottom, each once."""
    header = table.rows[: table.header_rows]
    return [" ".join(dict.fromkeys(filter(None, map(str.strip, column)))) for column in zip(*header, strict=False)]


def row_names(node: Node) -> list[str]:
    """First cells of a table's body rows."""
    if node.table is None:
        return []
    body = node.table.rows[node.table.header_rows :]
    return [row[0].strip() for row in body if row and row[0].strip()]


def labelled(nodes: Iterable[Node]) -> list[Node]:
    """Nodes with a label in reading order, images, tables and equations before their captions."""
    return sorted(
        (node for node in nodes if node.label), key=lambda node: node.type not in ("image", "table", "equation")
    )


def media_text(node: Node) -> str:
    """Everything searchable that an image or table says, its caption apart."""
    parts = [node.description or "", node.text]
    return "\n".join(part for part in parts if part.strip())


def searchable_text(node: Node) -> str:
    """Everything that a node says, its caption included."""
    return f"{node.title or ''}\n{media_text(node)}" if node.type in ("image", "table") else node.text
