"""A document as the navigator looks things up in it: summaries, labels, who mentions whom. Made once a document."""

from __future__ import annotations

from functools import cached_property

from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.index.references import LabelIndex
from cosee.retrieval.retriever import Retriever
from cosee.text.mentions import Mention


class NavigatedDocument:
    """The tree of one document with the look-ups that its index allows."""

    def __init__(self, tree: DocTree, retriever: Retriever) -> None:
        self.tree = tree
        self.retriever = retriever

    @cached_property
    def summaries(self) -> dict[str, str]:
        """Node id -> its summary of at most about 100 tokens (a section's gist, a leaf's first chunk)."""
        found: dict[str, str] = {}
        for record in self.retriever.index.coarse:
            found.setdefault(split_id(record.node_id)[0], record.summary)
        for leaf in self.retriever.index.leaves:
            found.setdefault(leaf.orig_node_id, leaf.dense_text)
        return found

    def summary(self, node_id: str) -> str:
        """A node's summary, empty where it has none."""
        return self.summaries.get(node_id, "")

    @cached_property
    def referring(self) -> dict[str, list[str]]:
        """Figure, table or equation -> ids of the leaves that mention it, in reading order."""
        found: dict[str, list[str]] = {}
        for edge in self.retriever.index.edges:
            if edge.type == "ref":
                source = split_id(edge.src)[0]
                if source not in found.setdefault(edge.dst, []):
                    found[edge.dst].append(source)
        return found

    @cached_property
    def _labels(self) -> LabelIndex:
        return LabelIndex(self.tree, (node for node in self.tree.nodes if self.readable(node.id)))

    def labelled(self, mention: Mention) -> list[str]:
        """Nodes that carry a label, best first."""
        return self._labels.resolve(mention)

    def readable(self, node_id: str) -> bool:
        """Whether a node may be shown: neither hidden nor of an unreadable text layer."""
        return self.tree.node(node_id).readable

    def title(self, node: Node) -> str:
        """A node's title, empty for one that may not be shown."""
        return (node.title or "") if self.readable(node.id) else ""

    def page_of(self, target: str) -> int | None:
        """The 0-based page that a place ``P<page_idx>`` means; None for no page of the document."""
        number = target[1:]
        if target[:1] != "P" or not number.isdecimal() or not number.isascii():
            return None
        return int(number) if int(number) in self.tree.page_nodes else None
