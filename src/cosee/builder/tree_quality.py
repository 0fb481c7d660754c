"""Measures of a tree and the rules that every tree keeps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from cosee.artifacts.content import ContentList
from cosee.artifacts.doctree import Node, TreeQuality

MAX_PROBLEMS = 20


def measure(nodes: Sequence[Node], content: ContentList) -> TreeQuality:
    """Quality of the tree of ``nodes`` (the root first) that was built from ``content``."""
    kept = sum(_characters(item.text, item.table.rows if item.table else []) for item in content.items)
    lost = sum(
        len(item.text)
        for item in content.dropped
        if item.reason not in ("merged", "hidden", "ocr_noise", "replaced", "comment")
    )
    by_id = {node.id: node for node in nodes}
    figures = [node for node in nodes if node.type == "image"]
    tables = [node for node in nodes if node.type == "table"]
    pages = {region.page_idx for node in nodes for region in node.regions}
    return TreeQuality(
        pages=len(content.pages),
        pages_with_nodes=len(pages),
        text_characters=kept + lost,
        text_coverage=round(kept / (kept + lost), 6) if kept + lost else 1.0,
        sections=sum(node.type == "section" for node in nodes),
        max_depth=max((node.level for node in nodes if node.type == "section"), default=0),
        figures=len(figures),
        figures_without_caption=sum(not node.title for node in figures),
        tables=len(tables),
        tables_without_caption=sum(not node.title for node in tables),
        orphans=sum(node.parent not in by_id for node in nodes[1:]),
        problems=check_tree(nodes, content)[:MAX_PROBLEMS],
    )


def check_tree(nodes: Sequence[Node], content: ContentList) -> list[str]:
    """Broken rules of the tree, in words."""
    if not content.items and not content.dropped:
        return ["the document has no content"] if content.pages else ["the document has no pages"]
    return [*_check_items(nodes, content), *_check_links(nodes), *_check_order(nodes), *_check_media(nodes)]


def _characters(text: str, rows: list[list[str]]) -> int:
    return max(len(text), sum(len(cell) for row in rows for cell in row))


def _check_items(nodes: Sequence[Node], content: ContentList) -> list[str]:
    """Every item exactly once (contract D22), none that is dropped."""
    count = Counter(item_id for node in nodes for item_id in node.item_ids)
    problems = [f"item {item.id!r} is in {count[item.id]} nodes" for item in content.items if count[item.id] != 1]
    wanted = {item.id for item in content.items}
    problems += [f"node for unknown item {item_id!r}" for item_id in sorted(set(count) - wanted)]
    dropped = wanted & {item.id for item in content.dropped}
    return problems + [f"item {item_id!r} is in the tree and in the drop list" for item_id in sorted(dropped)]


def _check_links(nodes: Sequence[Node]) -> list[str]:
    """One parent each, levels that grow downwards, page spans inside the parent's."""
    by_id: dict[str, Node] = {node.id: node for node in nodes}
    problems = [] if len(by_id) == len(nodes) else ["two nodes have the same id"]
    listed = Counter(child for node in nodes for child in node.children)
    for node in nodes[1:]:
        parent = by_id.get(node.parent or "")
        if parent is None:
            problems.append(f"node {node.id!r} has no parent in the tree")
            continue
        if listed[node.id] != 1 or node.id not in parent.children:
            problems.append(f"node {node.id!r} is a child {listed[node.id]} times, or not of its parent")
        if node.level <= parent.level:
            problems.append(f"node {node.id!r} of level {node.level} is under {parent.id!r} of level {parent.level}")
        if not parent.page_span[0] <= node.page_span[0] <= node.page_span[1] <= parent.page_span[1]:
            problems.append(f"pages of node {node.id!r} reach out of those of {parent.id!r}")
    return problems


def _check_order(nodes: Sequence[Node]) -> list[str]:
    """Reading order: nodes stand in preorder, and sections start on ascending pages."""
    preorder = _preorder(nodes)
    problems = [] if preorder == [node.id for node in nodes] else ["nodes are not in reading order"]
    sections = [node for node in nodes if node.type == "section"]
    for one, other in zip(sections, sections[1:], strict=False):
        if other.page_idx < one.page_idx:
            problems.append(f"section {other.id!r} starts on an earlier page than {one.id!r} before it")
    return problems


def _preorder(nodes: Sequence[Node]) -> list[str]:
    by_id = {node.id: node for node in nodes}
    order: list[str] = []
    stack = [nodes[0].id]
    while stack and len(order) <= len(nodes):
        order.append(stack.pop())
        stack.extend(child for child in reversed(by_id[order[-1]].children) if child in by_id)
    return order


def _check_media(nodes: Sequence[Node]) -> list[str]:
    """Captions and what they name point at each other."""
    by_id = {node.id: node for node in nodes}
    problems = []
    for node in nodes:
        for caption_id in node.caption_ids:
            if caption_id not in by_id or by_id[caption_id].caption_of != node.id:
                problems.append(f"caption {caption_id!r} of {node.id!r} does not point back to it")
        if node.caption_of is not None and node.caption_of not in by_id:
            problems.append(f"caption {node.id!r} names {node.caption_of!r}, which is not in the tree")
    return problems
