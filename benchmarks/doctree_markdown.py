"""A page of a tree as Markdown text with HTML tables: what a reader of the tree would be given to read."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from cosee.artifacts.doctree import DocTree, Node


def page_markdown(tree: DocTree, page_idx: int) -> str:
    """The nodes that begin on a page (0-based) in reading order; hidden text and furniture are not among them."""
    return "\n\n".join(part for node in _nodes(tree, page_idx) if (part := _markdown(node)))


def page_plain(tree: DocTree, page_idx: int) -> str:
    """The same without marks: one node a line, a table's cells between spaces, a spanning cell once."""
    return "\n".join(part for node in _nodes(tree, page_idx) if (part := _plain(node)))


def _nodes(tree: DocTree, page_idx: int) -> Iterator[Node]:
    return (node for node in tree.nodes[1:] if node.page_idx == page_idx and "hidden" not in node.flags)


def _markdown(node: Node) -> str:
    if node.type == "section":
        return f"{'#' * min(6, max(1, node.level))} {node.title or node.text}"
    if node.table:
        header = node.table.header_rows
        rows = [_row(row, "th" if number < header else "td") for number, row in enumerate(node.table.rows)]
        return "<table>\n" + "\n".join(rows) + "\n</table>"
    return node.text


def _row(cells: list[str], tag: str) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"


def _plain(node: Node) -> str:
    if node.table is None:
        return (node.title or node.text) if node.type == "section" else node.text
    return "\n".join(" ".join(_once(row)) for row in node.table.rows)


def _once(row: list[str]) -> list[str]:
    """A row's cells without blanks and repeats of a spanning cell's text."""
    return [
        cell for n, cell in enumerate(row) if cell and not (n and cell == row[n - 1] and any(map(str.isalpha, cell)))
    ]
