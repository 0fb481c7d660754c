"""What is the same for every question about a node: its sections, pages, terms and units, worked out once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.index.features import units_in
from cosee.index.view import searchable_text, table_schema
from cosee.retrieval.page_index import pages_of
from cosee.text.tokens import analyze


@dataclass(frozen=True)
class NodeFacts:
    """Of one node. ``sections`` are the ids of those above it and, for a section, its own; ``section`` is the nearest.

    Terms are read when first asked for, since most candidates are never reranked.
    """

    tree: DocTree
    node: Node
    sections: tuple[str, ...]
    pages: tuple[int, ...]

    @property
    def section(self) -> str | None:
        """The section that it is in, or is."""
        return self.sections[-1] if self.sections else None

    @cached_property
    def title_terms(self) -> frozenset[str]:
        """Terms of its own title."""
        return frozenset(analyze(self.node.title or ""))

    @cached_property
    def path_terms(self) -> frozenset[str]:
        """Terms of the titles of the sections above it."""
        above = self.sections[:-1] if self.node.type == "section" else self.sections
        return frozenset(term for each in above for term in analyze(self.tree.node(each).title or ""))

    @cached_property
    def schema_terms(self) -> frozenset[str]:
        """Terms of a table's column names."""
        return frozenset(analyze(" ".join(table_schema(self.node)))) if self.node.type == "table" else frozenset()

    @cached_property
    def text_terms(self) -> frozenset[str]:
        """Terms of everything that it says."""
        return frozenset(analyze(searchable_text(self.node)))

    @cached_property
    def units(self) -> frozenset[str]:
        """Units that it uses."""
        return frozenset(units_in(searchable_text(self.node)))


class DocumentFacts:
    """The facts of the nodes of one document."""

    def __init__(self, tree: DocTree) -> None:
        self.tree = tree
        self._known: dict[str, NodeFacts] = {}

    def of(self, node_id: str) -> NodeFacts:
        """The facts of one node."""
        known = self._known.get(node_id)
        if known is None:
            node = self.tree.node(node_id)
            sections = tuple(each.id for each in self.tree.path(node_id) if each.type == "section")
            known = self._known[node_id] = NodeFacts(self.tree, node, sections, tuple(pages_of(node)))
        return known
