"""What a tool suggests to a model that named what is not there: what it can name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cosee.agents.decision.rendering import cut_text
from cosee.agents.decision.thresholds import MAX_NAME_CHARACTERS, MAX_NAMES_LISTED
from cosee.agents.decision.tree_data import TreeData
from cosee.artifacts.documents.doctree import DocTree, Node, NodeType
from cosee.text.likeness import nearest


def listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are; ``none`` where there is none."""
    more = len(names) - MAX_NAMES_LISTED
    return ", ".join(names[:MAX_NAMES_LISTED]) + (f" and {more} more" if more > 0 else "") or "none"


def tables(tree: DocTree) -> str:
    """The document's tables."""
    return f"Tables are {listed([_named(node) for node in tree.of_type('table') if node.readable])}"


def nodes_like(wanted: str, tree_data: TreeData, tree: DocTree) -> str:
    """The nodes that the evidence shows, those whose ids are most like ``wanted`` first; the sections where it shows
    none."""
    shown = {str(node["node_id"]) for value in tree_data.environment.objects() for node in value.get("nodes") or ()}
    known = [each for each in nearest(wanted.strip(), shown, count=len(shown)) if each in tree.by_id]
    if known:
        return f"Ids in the evidence are {listed([_named(tree.node(each)) for each in known])}"
    return f"Sections are {listed([_named(node) for node in tree.of_type('section') if node.readable])}"


def on_page(tree: DocTree, page: int) -> str:
    """The figures and tables of a page, counted from 1."""
    nodes = [node for node in tree.readable_on(page - 1) if node.type in ("image", "table")]
    return f"Figures and tables of page {page} are {listed([_named(node) for node in nodes])}"


def kinds(tree: DocTree, types: Mapping[str, tuple[NodeType, ...]]) -> str:
    """How many nodes of each kind the document has."""
    counts = {name: sum(node.readable for node in tree.of_type(*each)) for name, each in types.items()}
    return f"The document has {listed([f'{count} of kind {name!r}' for name, count in counts.items() if count])}"


def pages(tree: DocTree) -> str:
    """The range of pages."""
    return f"Pages are 1 to {len(tree.pages)}"


def quoted(words: Sequence[str]) -> str:
    """Words as a document has them, in quotes."""
    return listed([repr(cut_text(each, MAX_NAME_CHARACTERS)) for each in words])


def _named(node: Node) -> str:
    name = node.label or cut_text(node.title or "", MAX_NAME_CHARACTERS)
    return f"{node.id} ({f'{name}, ' if name else ''}page {node.page_idx + 1})"
