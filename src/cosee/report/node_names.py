"""Words for the nodes of a document, so that a list of ids can be read."""

from __future__ import annotations

import re
from functools import lru_cache

from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.report.thresholds import NODE_NAME_CHARACTERS

SEVERAL = "several documents"
"""What stands for the document of a question over more than one."""
_PAGE = re.compile(r"P(\d+)")


class NodeNames:
    """Names the nodes of one document; one that is not in its tree has no name."""

    def __init__(self, tree: DocTree | None) -> None:
        self._tree = tree
        self.name = lru_cache(maxsize=None)(self._name)
        """Node id, with or without ``#`` suffix, or ``P<0-based page>`` -> words, or an empty text."""

    def type(self, node_id: str) -> str:
        """The type of a node; empty for one that is not in the tree."""
        node = self._node(node_id)
        return node.type if node is not None else ""

    def _node(self, node_id: str) -> Node | None:
        return self._tree.by_id.get(node_id.partition("#")[0]) if self._tree else None

    def _name(self, node_id: str) -> str:
        page = _PAGE.fullmatch(node_id)
        if page:
            return f"page {int(page[1]) + 1}"
        node = self._node(node_id)
        return "" if node is None else _words(self._tree.title if self._tree else None, node)


def _words(title: str | None, node: Node) -> str:
    if node.type == "document":
        return title or "document"
    text = " ".join((node.title or node.text or node.description or "").split())
    if node.label and not text.startswith(node.label):
        text = f"{node.label}: {text}" if text else node.label
    return text if len(text) <= NODE_NAME_CHARACTERS else f"{text[: NODE_NAME_CHARACTERS - 1].rstrip()}…"
