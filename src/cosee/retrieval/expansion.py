"""From a hit to its neighbours in the tree, within fixed limits."""

from __future__ import annotations

from collections.abc import Sequence

from cosee.artifacts.documents.doctree import DocTree, split_id
from cosee.index.document_index import DocumentIndex
from cosee.retrieval.thresholds import CHILDREN, REFERRING, SAME_PAGE, SIBLINGS


class Expander:
    """Neighbours of hits in one document."""

    def __init__(self, tree: DocTree, index: DocumentIndex) -> None:
        self.tree = tree
        self._representatives: dict[str, list[str]] = {}
        self._referring = index.referring
        self._indexed = set(index.node_ids)
        for node_id, record in index.nodes.items():
            if record.subtree_sketch is not None:
                ids = [split_id(each)[0] for each in record.subtree_sketch.representatives.values()]
                self._representatives[node_id] = ids

    def neighbours(self, node_id: str) -> dict[str, str]:
        """Indexed neighbour of a hit -> how they are related, nearest kinds first. A leaf has its parent section only.

        Relations are ``representative``, ``child``, ``sibling``, ``same_page``, ``parent``, ``caption`` and ``ref``.
        """
        node = self.tree.node(node_id)
        section = self.tree.section_of(node_id)
        found: dict[str, str] = {}

        def add(relation: str, ids: Sequence[str], limit: int | None = None) -> None:
            fresh = [
                each for each in dict.fromkeys(ids) if each in self._indexed and each != node_id and each not in found
            ]
            found.update(dict.fromkeys(fresh[:limit], relation))

        if node.type == "section":
            add("representative", self._representatives.get(node_id, []))
            add("child", node.children, CHILDREN)
            add("sibling", self._nearest_siblings(node_id), SIBLINGS)
        elif node.type in ("image", "table"):
            add("caption", node.caption_ids)
            add("ref", self._referring.get(node_id, []), REFERRING)
        if section is not None:
            add("parent", [section.id])
        if node.type == "section":
            add("same_page", self.tree.page_nodes.get(node.page_idx, []), SAME_PAGE)
        return found

    def _nearest_siblings(self, node_id: str) -> list[str]:
        """Siblings, the nearest in reading order first, the later one of two equally near."""
        parent = self.tree.parent(node_id)
        family = parent.children if parent is not None else []
        own = family.index(node_id) if node_id in family else 0
        return [
            each
            for _, _, each in sorted((abs(place - own), -place, each) for place, each in enumerate(family))
            if each != node_id
        ]
