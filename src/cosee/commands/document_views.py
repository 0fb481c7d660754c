"""How the artifacts of one document look in a terminal, and a page of it with every node's box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from cosee.artifacts.base import BBox
from cosee.artifacts.content import ContentItem, ContentList, DroppedItem, MinerUItem
from cosee.artifacts.doctree import DocTree, Node
from cosee.artifacts.files import ArtifactError
from cosee.artifacts.layout import Layout
from cosee.commands.console import line, plain, table
from cosee.imaging.upright import Turn

SHOWN_IN_OUTLINE = ("section", "image", "table", "toc", "code")
"""Other leaves are counted at their section, so that an outline stays one."""


@dataclass(frozen=True)
class View:
    """What of a file is shown: ``page`` (1-based), ``item`` (an id), at most ``limit`` rows."""

    page: int | None = None
    item: str | None = None
    limit: int = 40


def show_doctree(tree: DocTree, console: Console, view: View) -> None:
    """The tree as an indented outline; one page or one node in full where asked for."""
    if view.item is not None:
        if view.item not in tree.by_id:
            raise ArtifactError(f"{tree.doc_id}: no node {view.item!r} in the tree")
        _show_nodes(list(tree.subtree(view.item))[: view.limit], console)
        return
    if view.page is not None:
        _check_page(view.page, len(tree.pages), tree.doc_id)
        ids = tree.page_nodes.get(view.page - 1, [])
        line(console, f"page {view.page}: {len(ids)} nodes", "bold")
        _show_nodes([tree.node(node_id) for node_id in ids][: view.limit], console)
        return
    kinds = Counter(node.type for node in tree.nodes if node.type != "document")
    line(console, f"{tree.doc_id}: {tree.title or 'no title'} ({len(tree.pages)} pages)", "bold")
    line(console, f"nodes: {_counts(kinds)}")
    line(console, f"text in nodes: {tree.quality.text_coverage:.1%}; {_dropped(tree.dropped)}")
    for problem in tree.quality.problems:
        line(console, f"problem: {problem}", "red")
    lines = list(_outline(tree))
    for depth, text in lines[: view.limit]:
        line(console, "  " * depth + text)
    _more(console, len(lines), view)


def show_content(content: ContentList, console: Console, view: View) -> None:
    """Items in reading order, a row each."""
    items = [item for item in content.items if _wanted(item.id, item.page_idx, view)]
    columns = ("id", "page#", "role", "label", "text")
    rows = ((item.id, item.page_idx + 1, _role(item), item.label, plain(_text(item), 120)) for item in items)
    title = (
        f"{content.doc_id}: {content.stage} content list from {content.source}, {len(content.pages)} pages, "
        f"{len(content.items)} items, {_dropped(content.dropped)}"
    )
    console.print(table(title, columns, list(rows)[: view.limit]))
    _more(console, len(items), view)


def show_mineru(items: Sequence[MinerUItem], console: Console, view: View) -> None:
    """MinerU's list, a row each; boxes on its 0..1000 grid."""
    chosen = [item for item in items if view.page in (None, item.page_idx + 1)]
    columns = ("page#", "type", "level#", "bbox 0..1000", "text")
    rows = [
        (item.page_idx + 1, item.type, item.text_level, list(item.bbox), plain(item.text or item.img_path or "", 120))
        for item in chosen[: view.limit]
    ]
    console.print(table(f"MinerU content list: {len(items)} items", columns, rows))
    _more(console, len(chosen), view)


def show_layout(layout: Layout, console: Console, view: View) -> None:
    """A row a page; the blocks of one page where asked for."""
    title = f"{layout.doc_id}: {layout.title or 'no title'}, read by {layout.parser}"
    if view.page is not None:
        _check_page(view.page, len(layout.pages), layout.doc_id)
        blocks = layout.pages[view.page - 1].blocks
        rows = [
            (
                block.id,
                block.kind,
                [round(value) for value in block.bbox],
                block.flags,
                plain(" ".join(span.text for row in block.lines for span in row.spans), 100),
            )
            for block in blocks[: view.limit]
        ]
        console.print(table(f"{title}; page {view.page}", ("id", "kind", "bbox in points", "flags", "text"), rows))
        _more(console, len(blocks), view)
        return
    page_rows = [
        (
            page.page_idx + 1,
            page.page_label,
            f"{page.width:.0f} x {page.height:.0f}",
            dict(sorted(Counter(block.kind for block in page.blocks).items())),
            page.flags,
        )
        for page in layout.pages[: view.limit]
    ]
    console.print(table(title, ("page#", "label", "points", "blocks", "flags"), page_rows))
    _more(console, len(layout.pages), view)


def draw_page(path: Path, page: int, out: Path, dpi: int = 110) -> int:
    """Draw a page (1-based) of the document beside ``path`` with the box of each of its nodes, items or blocks.

    Returns the number of boxes.

    Raises:
        ArtifactError: the file has no boxes, there is no such page, or ``full.pdf`` is not beside the file.
        RenderError: the page cannot be rendered.
    """
    import tempfile

    from cosee.artifacts import files
    from cosee.imaging.render import draw_boxes, render_page_isolated

    boxes = _boxes(path, files.read_json(path), page)
    pdf = path.parent / "full.pdf"
    if not pdf.is_file():
        raise ArtifactError(f"{pdf}: no such file; boxes are drawn on the PDF that lies beside the artifact")
    with tempfile.TemporaryDirectory() as scratch:
        draw_boxes(render_page_isolated(pdf, page, dpi, Path(scratch)), boxes, out)
    return len(boxes)


def _boxes(path: Path, value: object, page: int) -> list[tuple[BBox, str]]:
    schema = value.get("schema") if isinstance(value, dict) else None
    if schema == DocTree.schema_name:
        tree = DocTree.load(path)
        _check_page(page, len(tree.pages), tree.doc_id)
        nodes = [tree.node(node_id) for node_id in tree.page_nodes.get(page - 1, [])]
        return [
            (region.bbox, f"{node.id} {node.type}")
            for node in nodes
            for region in node.regions
            if region.page_idx == page - 1
        ]
    if schema == ContentList.schema_name:
        content = ContentList.load(path)
        _check_page(page, len(content.pages), content.doc_id)
        return [(item.bbox, f"{item.id} {item.role}") for item in content.items if item.page_idx == page - 1]
    if schema == Layout.schema_name:
        layout = Layout.load(path)
        _check_page(page, len(layout.pages), layout.doc_id)
        seen = layout.pages[page - 1]
        turn = Turn(seen.width, seen.height, seen.turn)
        return [
            ((b[0] / seen.width, b[1] / seen.height, b[2] / seen.width, b[3] / seen.height), f"{block.id} {block.kind}")
            for block in seen.blocks
            for b in [turn.back(block.bbox)]
        ]
    raise ArtifactError(f"{path}: has no boxes; name a doctree.mm.json, a content list of ours or a layout.json")


def _outline(tree: DocTree, node_id: str | None = None, depth: int = 0) -> list[tuple[int, str]]:
    """(indent, line) for each node worth a line, counts of the other leaves after their parent's line."""
    lines: list[tuple[int, str]] = []
    waiting: list[tuple[Node, int]] = [(tree.root, 0)]
    while waiting:
        node, level = waiting.pop()
        children = tree.children(node.id)
        if node.type != "document":
            others = Counter(child.type for child in children if child.type not in SHOWN_IN_OUTLINE)
            lines.append((level, _node_line(node) + (f"  ({_counts(others)})" if others else "")))
        below = [child for child in children if child.type in SHOWN_IN_OUTLINE or child.children]
        waiting.extend((child, level + (node.type != "document")) for child in reversed(below))
    return lines


def _node_line(node: Node) -> str:
    first, last = node.page_span[0] + 1, node.page_span[1] + 1
    pages = f"p. {first}" if first == last else f"p. {first}-{last}"
    kind = "" if node.type == "section" else f"{node.type} "
    label = f"{node.label}: " if node.label and not (node.title or "").startswith(node.label) else ""
    return f"{kind}{label}{plain(node.title or node.text, 100)}  [{node.id}, {pages}]"


def _show_nodes(nodes: Sequence[Node], console: Console) -> None:
    for node in nodes:
        flags = f" {{{', '.join(node.flags)}}}" if node.flags else ""
        line(console, f"{node.id} {node.type} (page {node.page_idx + 1}, under {node.parent}){flags}", "bold")
        for name, value in (("label", node.label), ("kind", node.kind), ("title", node.title), ("text", node.text)):
            if value and (name != "text" or value != node.title):
                line(console, f"  {name}: {plain(value, 600)}")
        if node.description:
            line(console, f"  description: {plain(node.description, 600)}")


def _role(item: ContentItem) -> str:
    return f"{item.role} {item.level}" if item.level else item.role


def _text(item: ContentItem) -> str:
    return item.text or item.caption or item.image_path or ""


def _wanted(item_id: str, page_idx: int, view: View) -> bool:
    return view.item in (None, item_id) and view.page in (None, page_idx + 1)


def _check_page(page: int, pages: int, doc_id: str) -> None:
    if not 1 <= page <= pages:
        raise ArtifactError(f"{doc_id}: no page {page}; pages are 1 to {pages}")


def _counts(counts: Mapping[Any, int]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(counts.items())) or "none"


def _dropped(dropped: Sequence[DroppedItem]) -> str:
    reasons = Counter(item.reason for item in dropped)
    return f"{len(dropped)} dropped" + (f" ({_counts(reasons)})" if reasons else "")


def _more(console: Console, total: int, view: View) -> None:
    if total > view.limit:
        line(console, f"… {total - view.limit} more (--limit 0 shows all)", "dim")
