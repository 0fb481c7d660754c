"""From the enhanced content list to the document tree."""

from __future__ import annotations

import re

from cosee.artifacts.documents.content import ContentItem, ContentList, Region
from cosee.artifacts.documents.doctree import ROOT_ID, DocTree, Node, NodeType
from cosee.structure.tree.tree_quality import SLIDE, measure

_TAG = re.compile(r"<[^<>]{1,200}>")
_TYPES: dict[str, NodeType] = {
    "heading": "section",
    "paragraph": "paragraph",
    "list": "list",
    "image": "image",
    "table": "table",
    "equation": "equation",
    "caption": "caption",
    "footnote": "footnote",
    "code": "code",
    "toc": "toc",
}


def build_tree(content: ContentList) -> DocTree:
    """The tree of an enhanced content list: every item is one node, in reading order, headings open sections.

    Furniture that was left in the list (furniture removal switched off) becomes paragraphs.
    """
    root = Node(id=ROOT_ID, type="document", parent=None, page_idx=0, page_span=(0, 0), title=content.title)
    nodes = [root]
    open_sections: list[tuple[int, Node]] = [(0, root)]
    slides = {page.page_idx for page in content.pages if SLIDE in page.flags}
    page_idx = -1
    ordered = _captions_beside_media(content.items)
    taken = {item.id for item in ordered}
    for item in ordered:
        if item.page_idx != page_idx and item.page_idx in slides:
            del open_sections[1:]
        page_idx = item.page_idx
        node = _node(item)
        if node.type == "section":
            node.id = _section_id(item.id, taken)
            level = item.level or 1
            while open_sections[-1][0] >= level:
                open_sections.pop()
        parent = open_sections[-1][1]
        node.parent, node.level = parent.id, parent.level + 1
        parent.children.append(node.id)
        nodes.append(node)
        if node.type == "section":
            open_sections.append((item.level or 1, node))
    _set_spans(nodes, len(content.pages))
    root.title = content.title or _first_title(nodes)
    return DocTree(
        doc_id=content.doc_id,
        title=root.title,
        language=content.language,
        pages=content.pages,
        nodes=nodes,
        dropped=content.dropped,
        quality=measure(nodes, content),
    )


def _captions_beside_media(items: list[ContentItem]) -> list[ContentItem]:
    """Reading order with each caption next to its figure or table when a heading would come between them.

    A caption before its medium stays before it, one after it after it.
    """
    section_of: dict[str, int] = {}
    current = 0
    for item in items:
        current += item.role == "heading"
        section_of[item.id] = current
    moved = {
        item.id: item
        for item in items
        if item.role == "caption"
        and item.caption_of in section_of
        and section_of[item.id] != section_of[item.caption_of]
    }
    if not moved:
        return items
    before: dict[str, list[ContentItem]] = {}
    after: dict[str, list[ContentItem]] = {}
    for item in moved.values():
        medium = str(item.caption_of)
        side = before if section_of[item.id] < section_of[medium] else after
        side.setdefault(medium, []).append(item)
    ordered: list[ContentItem] = []
    for item in items:
        if item.id not in moved:
            ordered += [*before.get(item.id, []), item, *after.get(item.id, [])]
    return ordered


def _node(item: ContentItem) -> Node:
    regions = item.regions or [Region(page_idx=item.page_idx, bbox=item.bbox)]
    kind = _TYPES.get(item.role, "paragraph")
    return Node(
        id=item.id,
        type=kind,
        parent=None,
        item_ids=[item.id],
        page_idx=item.page_idx,
        page_span=(min(region.page_idx for region in regions), max(region.page_idx for region in regions)),
        bbox=item.bbox,
        regions=regions,
        title=" ".join(item.text.split()) if kind == "section" else item.caption,
        text=_table_text(item) if kind == "table" else item.text,
        label=item.label,
        caption_ids=item.caption_ids,
        caption_of=item.caption_of,
        image_path=item.image_path,
        table=item.table,
        kind=item.kind,
        chart_type=item.chart_type,
        chart_form=item.chart_form,
        chart=item.chart,
        description=item.description,
        members=item.members,
        flags=item.flags,
        quality=item.quality,
        latex=item.latex if kind == "equation" else None,
    )


def _section_id(item_id: str, taken: set[str]) -> str:
    """``sec_<n>`` for ``t_<n>``; an id of another shape, or one in use, is prefixed whole."""
    section = f"sec_{item_id.rpartition('_')[2]}"
    return section if section not in taken else f"sec_{item_id}"


def _table_text(item: ContentItem) -> str:
    """A table's cells as lines of ``a | b``, without HTML; its plain text where it has no cells."""
    if item.table is None or not item.table.rows:
        return _TAG.sub(" ", item.text).strip()
    return "\n".join(" | ".join(" ".join(cell.split()) for cell in row) for row in item.table.rows)


def _set_spans(nodes: list[Node], page_count: int) -> None:
    """Widen each section's pages to what is under it; the document spans every page."""
    by_id = {node.id: node for node in nodes}
    for node in reversed(nodes):
        if node.parent is not None:
            parent = by_id[node.parent]
            low, high = parent.page_span
            parent.page_span = (min(low, node.page_span[0]), max(high, node.page_span[1]))
    nodes[0].page_span = (0, max(nodes[0].page_span[1], page_count - 1, 0))


def _first_title(nodes: list[Node]) -> str | None:
    """The first heading of the first two pages, where the file itself names no title."""
    return next((node.title for node in nodes if node.type == "section" and node.page_idx <= 1), None)
