"""How a document's tree looks in a terminal: outline and quality, one page, one node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rich.console import Console

from cosee.artifacts.documents.content import DroppedItem
from cosee.artifacts.documents.doctree import DocTree, Node, TreeQuality
from cosee.artifacts.files import ArtifactError
from cosee.commands.console import line, plain
from cosee.commands.views.document_views import View, check_page, drop_list, in_words, more
from cosee.commands.views.thresholds import LIKE_NODES, LIKENESS, NODE_TEXT, PAGES, WIDE_CELL
from cosee.text.counts import counted
from cosee.text.likeness import nearest

SHOWN_IN_OUTLINE = ("section", "image", "table", "toc", "code")
"""Other leaves are counted at their section, so that an outline stays one."""


def show_doctree(tree: DocTree, console: Console, view: View) -> None:
    """The tree as an indented outline; one page or one node in full where asked for.

    Raises:
        ArtifactError: there is no such page or node; the message says which there are.
    """
    if view.item is not None:
        _show_nodes(list(tree.subtree(node_of(tree, view.item).id))[: view.limit], console)
        return
    if view.page is not None:
        _show_page(tree, console, view, view.page)
        return
    kinds = Counter(node.type for node in tree.nodes if node.type != "document")
    line(console, f"{tree.doc_id}: {tree.title or 'no title'} ({counted(len(tree.pages), 'page')})", "bold")
    line(console, f"nodes: {in_words(kinds)}")
    _show_quality(tree.quality, tree.dropped, console)
    lines = list(_outline(tree))
    for depth, text in lines[: view.limit]:
        line(console, "  " * depth + text)
    more(console, len(lines), view)


def node_of(tree: DocTree, node_id: str) -> Node:
    """The node of an id; a dropped item's id, or one that does not exist, is an ArtifactError that says so."""
    if node_id in tree.by_id:
        return tree.by_id[node_id]
    # A heading's item id is its section's with another prefix; both name the same thing to a person.
    for node in tree.nodes:
        if node_id in node.item_ids:
            return node
    gone = next((item for item in tree.dropped if item.id == node_id), None)
    if gone is not None:
        raise ArtifactError(
            f"{tree.doc_id}: {node_id!r} is no node; it was dropped as {gone.reason!r} (page {gone.page_idx + 1})"
        )
    near = nearest(node_id, tree.by_id, least=LIKENESS, count=LIKE_NODES)
    hint = f"; like it are {', '.join(near)}" if near else ""
    raise ArtifactError(f"{tree.doc_id}: no node {node_id!r} in the tree{hint}")


def _show_quality(quality: TreeQuality, dropped: Sequence[DroppedItem], console: Console) -> None:
    """What is in the tree and what is not; broken rules in red, doubts in yellow."""
    line(console, f"text in nodes: {quality.text_coverage:.1%}; {drop_list(dropped)}")
    pages = f"pages with a node: {quality.pages_with_nodes} of {quality.pages}"
    line(console, pages + _pages("; only dropped content on", quality.empty_page_idx))
    line(
        console,
        f"headings: {quality.sections}, {quality.max_depth} deep, {quality.heading_share:.0%} of the text nodes, "
        f"{quality.empty_sections} with nothing under them, {quality.long_titles} long as a paragraph"
        + _pages("; crowded on", quality.crowded_page_idx),
    )
    line(
        console,
        f"figures: {quality.figures}, {quality.figures_without_caption} without caption; tables: {quality.tables}, "
        f"{quality.tables_without_caption} without caption, {quality.tables_without_cells} without cells",
    )
    for problem in quality.problems:
        line(console, f"problem: {problem}", "red")
    for doubt in quality.doubts:
        line(console, f"doubt: {doubt.message} ({doubt.reason})", "yellow")


def _pages(words: str, indices: Sequence[int]) -> str:
    if not indices:
        return ""
    named = ", ".join(str(index + 1) for index in indices[:PAGES])
    return f"{words} p. {named}" + (" …" if len(indices) > PAGES else "")


def _show_page(tree: DocTree, console: Console, view: View, page: int) -> None:
    check_page(page, len(tree.pages), tree.doc_id)
    info = tree.pages[page - 1]
    ids = tree.page_nodes.get(page - 1, [])
    label = f", printed number {info.page_label}" if info.page_label else ""
    flags = f" {{{', '.join(info.flags)}}}" if info.flags else ""
    line(console, f"page {page}: {len(ids)} nodes{label}, {info.width:.0f} x {info.height:.0f} points{flags}", "bold")
    _show_nodes([tree.node(node_id) for node_id in ids][: view.limit], console)
    more(console, len(ids), view)
    for item in tree.dropped:
        if item.page_idx == page - 1 and item.reason != "merged":
            line(console, f"dropped {item.id} ({item.reason}): {plain(item.text, WIDE_CELL)}", "dim")


def _outline(tree: DocTree) -> list[tuple[int, str]]:
    """(indent, line) for each node worth a line, counts of the other leaves after their parent's line."""
    lines: list[tuple[int, str]] = []
    waiting: list[tuple[Node, int]] = [(tree.root, 0)]
    while waiting:
        node, level = waiting.pop()
        children = tree.children(node.id)
        if node.type != "document":
            others = Counter(child.type for child in children if child.type not in SHOWN_IN_OUTLINE)
            lines.append((level, _node_line(node) + (f"  ({in_words(others)})" if others else "")))
        below = [child for child in children if child.type in SHOWN_IN_OUTLINE or child.children]
        waiting.extend((child, level + (node.type != "document")) for child in reversed(below))
    return lines


def _node_line(node: Node) -> str:
    first, last = node.page_span[0] + 1, node.page_span[1] + 1
    pages = f"p. {first}" if first == last else f"p. {first}-{last}"
    kind = "" if node.type == "section" else f"{node.type} "
    label = f"{node.label}: " if node.label and not (node.title or "").startswith(node.label) else ""
    flags = f" {{{', '.join(node.flags)}}}" if node.flags else ""
    return f"{kind}{label}{plain(node.title or node.text, WIDE_CELL)}  [{node.id}, {pages}]{flags}"


def _show_nodes(nodes: Sequence[Node], console: Console) -> None:
    for node in nodes:
        flags = f" {{{', '.join(node.flags)}}}" if node.flags else ""
        level = f" {node.level}" if node.type == "section" else ""
        line(console, f"{node.id} {node.type}{level} (page {node.page_idx + 1}, under {node.parent}){flags}", "bold")
        for region in node.regions:
            box = ", ".join(f"{value:.3f}" for value in region.bbox)
            line(console, f"  box: [{box}] on page {region.page_idx + 1}", "dim")
        values = (
            ("label", node.label),
            ("kind", node.kind),
            ("chart form", node.chart_form),
            ("picture", node.image_path),
            ("caption" if node.type in ("image", "table") else "title", node.title),
            ("caption of", node.caption_of),
            ("text", node.text),
            ("description", node.description),
        )
        for name, value in values:
            if value and (name != "text" or value != node.title):
                line(console, f"  {name}: {plain(value, NODE_TEXT)}")
