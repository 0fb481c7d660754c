"""Measures of a tree, the rules that every tree keeps, and the gate that a tree beyond its thresholds does not pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from cosee.artifacts.documents.content import ContentList
from cosee.artifacts.documents.doctree import Doubt, DoubtReason, Node, TreeQuality
from cosee.artifacts.documents.unread import UNACCOUNTED, page_ranges
from cosee.structure.tree import thresholds

SLIDE = "slide"
"""Page flag that M1 gives to the pages of a deck: no section reaches over their edge."""
TEXT_TYPES = frozenset(("section", "paragraph", "list", "footnote", "caption", "code"))
_UNSEEN = ("merged", "hidden", "ocr_noise", "replaced", "comment", "struck_out")


def measure(nodes: Sequence[Node], content: ContentList) -> TreeQuality:
    """Quality of the tree of ``nodes`` (the root first) that was built from ``content``."""
    kept = sum(_characters(item.text, item.table.rows if item.table else []) for item in content.items)
    lost = sum(len(item.text) for item in content.dropped if item.reason not in _UNSEEN)
    by_id = {node.id: node for node in nodes}
    figures = [node for node in nodes if node.type == "image"]
    tables = [node for node in nodes if node.type == "table"]
    sections = [node for node in nodes if node.type == "section"]
    texts = [node for node in nodes if node.type in TEXT_TYPES]
    pages = {region.page_idx for node in nodes for region in node.regions}
    used = pages | {item.page_idx for item in content.dropped if item.reason not in _UNSEEN}
    quality = TreeQuality(
        pages=len(content.pages),
        pages_with_nodes=len(pages),
        empty_page_idx=sorted(used - pages)[: thresholds.MAX_PAGES_LISTED],
        page_coverage=round(len(pages) / len(used), 6) if used else 1.0,
        items=len(content.items),
        dropped=dict(sorted(Counter(item.reason for item in content.dropped).items())),
        text_characters=kept + lost,
        text_coverage=round(kept / (kept + lost), 6) if kept + lost else 1.0,
        sections=len(sections),
        max_depth=max((node.level for node in sections), default=0),
        heading_share=round(len(sections) / len(texts), 6) if texts else 0.0,
        crowded_page_idx=_crowded(texts)[: thresholds.MAX_PAGES_LISTED],
        long_titles=sum(len(node.title or "") > thresholds.LONG_TITLE for node in sections),
        empty_sections=sum(not node.children for node in sections),
        longest_chain=_longest_chain(sections, by_id),
        figures=len(figures),
        figures_without_caption=sum(not node.title for node in figures),
        tables=len(tables),
        tables_without_caption=sum(not node.title for node in tables),
        tables_without_cells=sum(not (node.table and node.table.rows) for node in tables),
        orphans=sum(node.parent not in by_id for node in nodes[1:]),
        problems=check_tree(nodes, content)[: thresholds.MAX_PROBLEMS],
    )
    doubted = [page.page_idx + 1 for page in content.pages if UNACCOUNTED in page.flags]
    deck = any(SLIDE in page.flags for page in content.pages)
    quality.doubts = _doubts(quality, doubted, shares=len(texts) >= thresholds.FEW_TEXT_NODES and not deck)
    return quality


def _doubts(quality: TreeQuality, doubted: Sequence[int], *, shares: bool) -> list[Doubt]:
    """Each threshold that the measures pass, in the order in which a reader would ask; ``doubted``: pages that show
    more than was read, from 1."""
    found: list[tuple[bool, DoubtReason, str]] = [
        (
            not quality.items and not quality.dropped,
            "no_content",
            f"nothing was found on any of the {quality.pages} pages" if quality.pages else "the document has no pages",
        ),
        (bool(doubted), UNACCOUNTED, f"more is seen on {page_ranges(doubted)} than was read"),
        (
            quality.text_coverage < thresholds.MIN_TEXT_COVERAGE,
            "low_text_coverage",
            f"the tree holds {quality.text_coverage:.0%} of the text, below {thresholds.MIN_TEXT_COVERAGE:.0%}",
        ),
        (
            quality.page_coverage < thresholds.MIN_PAGE_COVERAGE,
            "low_page_coverage",
            f"{quality.page_coverage:.0%} of the pages have a node, below {thresholds.MIN_PAGE_COVERAGE:.0%}",
        ),
        (
            shares and quality.heading_share > thresholds.MAX_HEADING_SHARE,
            "too_many_headings",
            f"{quality.heading_share:.0%} of the text nodes are headings, above {thresholds.MAX_HEADING_SHARE:.0%}",
        ),
        (
            quality.long_titles > thresholds.MAX_LONG_TITLES,
            "long_titles",
            f"{quality.long_titles} headings are longer than {thresholds.LONG_TITLE} characters",
        ),
        (
            quality.longest_chain > thresholds.MAX_CHAIN,
            "single_child_chain",
            f"{quality.longest_chain} headings in a row hold nothing but the next",
        ),
    ]
    return [Doubt(reason=reason, message=message) for holds, reason, message in found if holds]


def _crowded(texts: Sequence[Node]) -> list[int]:
    """Pages on which most text nodes are sections."""
    all_nodes = Counter(node.page_idx for node in texts)
    headings = Counter(node.page_idx for node in texts if node.type == "section")
    return sorted(
        page
        for page, count in headings.items()
        if count > thresholds.CROWDED_HEADINGS and count > thresholds.CROWDED_SHARE * all_nodes[page]
    )


def _longest_chain(sections: Sequence[Node], by_id: Mapping[str, Node]) -> int:
    """Most sections in a row of which each is the only child of the one before."""
    chain: dict[str, int] = {}
    for node in sections:
        parent = by_id.get(node.parent or "")
        alone = parent is not None and parent.type == "section" and len(parent.children) == 1
        chain[node.id] = chain.get(parent.id, 1) + 1 if alone and parent is not None else 1
    return max(chain.values(), default=0)


def check_tree(nodes: Sequence[Node], content: ContentList) -> list[str]:
    """Broken rules of the tree, in words."""
    return [*_check_items(nodes, content), *_check_links(nodes), *_check_order(nodes), *_check_media(nodes)]


def _characters(text: str, rows: list[list[str]]) -> int:
    return max(len(text), sum(len(cell) for row in rows for cell in row))


def _check_items(nodes: Sequence[Node], content: ContentList) -> list[str]:
    """Every item exactly once, none that is dropped."""
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
