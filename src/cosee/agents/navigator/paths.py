"""How a node is reached: steps over the tree and over the edges of the index, so that a path can be checked."""

from __future__ import annotations

from typing import Literal

from cosee.agents.navigator.document import NavigatedDocument
from cosee.artifacts.base import Record
from cosee.artifacts.documents.doctree import DocTree, Node

Edge = Literal["page", "same_page", "child", "caption", "referred_by", "next", "previous"]
DirectiveAction = Literal["MOVE_TO", "EXPAND_CHILDREN", "OBSERVE"]


class Step(Record):
    """One step of a path, from node to node; a page stands as ``P<page_idx>``, 0-based."""

    src: str
    dst: str
    edge: Edge


class Directive(Record):
    """Where a plan goes: the id of a node, or ``P<page_idx>``."""

    action: DirectiveAction = "MOVE_TO"
    target: str


Reached = tuple[str, tuple[Step, ...]]
"""A node and the path to it from the document's root."""


def reach(document: NavigatedDocument, directive: Directive) -> list[Reached]:
    """The readable nodes that a directive leads to, nearest first, each with its path.

    MOVE_TO a page gives everything on it; a section, its heading and what stands directly under it; a figure or
    table, also its captions and the leaves that mention it; a leaf, also the ones before and after it.
    EXPAND_CHILDREN gives everything under a node, in reading order; OBSERVE the node alone.
    """
    tree = document.tree
    page = document.page_of(directive.target)
    if page is not None:
        name = directive.target
        start = Step(src=tree.root.id, dst=name, edge="page")
        found = [(each, (start, Step(src=name, dst=each, edge="same_page"))) for each in tree.page_nodes[page]]
        return [each for each in found if document.readable(each[0])]
    node = tree.node(directive.target)
    down = down_to(tree, node.id)
    if directive.action == "EXPAND_CHILDREN":
        below = [each for each in tree.subtree(node.id) if each.type != "document"]
        return [(each.id, down_to(tree, each.id)) for each in below if document.readable(each.id)]
    if directive.action == "OBSERVE":
        return [(node.id, down)] if document.readable(node.id) else []
    around = [(node.id, down), *((each, (*down, step)) for each, step in _around(document, node))]
    return [each for each in around if document.readable(each[0]) and each[0] != tree.root.id]


def down_to(tree: DocTree, node_id: str) -> tuple[Step, ...]:
    """The way from the root down to a node."""
    chain = tree.path(node_id)
    return tuple(Step(src=above.id, dst=below.id, edge="child") for above, below in zip(chain, chain[1:], strict=False))


def _around(document: NavigatedDocument, node: Node) -> list[tuple[str, Step]]:
    if node.type in ("section", "document"):
        return [(each, Step(src=node.id, dst=each, edge="child")) for each in node.children]
    if node.type in ("image", "table"):
        found = [(each, Step(src=node.id, dst=each, edge="caption")) for each in node.caption_ids]
        mentions = document.referring.get(node.id, [])
        return found + [(each, Step(src=node.id, dst=each, edge="referred_by")) for each in mentions]
    family = document.tree.by_id[node.parent].children if node.parent else []
    place = family.index(node.id) if node.id in family else 0
    before = [(each, Step(src=node.id, dst=each, edge="previous")) for each in family[max(0, place - 1) : place]]
    after = [(each, Step(src=node.id, dst=each, edge="next")) for each in family[place + 1 : place + 2]]
    return before + after
