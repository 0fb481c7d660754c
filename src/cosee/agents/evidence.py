"""Holding what a method says against the document: known nodes, quotes that are there, boxes on pages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from cosee.agents.thresholds import MAX_GAP_CHARACTERS, MIN_QUOTE_SHARE, MIN_QUOTE_WORDS
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.doctree import DocTree, Node, split_id
from cosee.artifacts.results.prediction import Support
from cosee.text.cleaning import without_leaders
from cosee.text.content_words import terms
from cosee.text.sentences import split_sentences

ReadPlace = Callable[[int, BBox | None, str], BBox | Literal[False] | None]
"""1-based page, box in 0..1 and words -> the box in which recognition reads them, be it another one of the page; False
where the page does not have them, None where nothing can be read."""
_LOOK_ALIKE = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-", "‐": "-", "‑": "-", "|": " "}
)
_ELLIPSIS = re.compile(r" ?(?:\[ ?\.\.\. ?\]|\.\.\.) ?")


@dataclass(frozen=True)
class Evidence:
    """Evidence as a method names it: a node, a 1-based page, words, a box in 0..1; each may be absent or wrong."""

    node_id: str | None = None
    page: int | None = None
    quote: str = ""
    bbox: BBox | None = None


def known_node(tree: DocTree, node_id: str | None) -> Node | None:
    """The node that an id means: without variant or chunk suffix, in any case, without blanks; None for others."""
    try:
        plain = split_id((node_id or "").strip())[0]
    except ValueError:
        return None
    if plain in tree.by_id:
        return tree.by_id[plain]
    return next((node for node in tree.nodes if node.id.lower() == plain.lower()), None)


def find_quote(tree: DocTree, page: int, quote: str) -> tuple[bool, Node | None]:
    """Whether ``quote`` is in the readable text of a 1-based page, and the smallest node that holds all of it.

    Of a node that goes on over several pages counts what is on this one, and a quote that begins on one page and ends
    on another is on both. Case, spacing, kinds of quotation marks and dashes, and the bars between table cells do not
    matter; three dots stand for what the quote leaves out.
    """
    pattern = _pattern(quote)
    if pattern is None or not 1 <= page <= len(tree.pages):
        return False, None
    nodes = tree.readable_on(page - 1)
    holders = [node for node in nodes if _holds_on(node, page, pattern)]
    if holders:
        return True, min(holders, key=lambda node: len(node.text) + len(node.title or ""))
    return bool(pattern.search(_normalised("\n".join(node.text_on(page - 1) for node in nodes)))), None


def box_on_page(node: Node, page: int) -> BBox | None:
    """The union of a node's regions on a 1-based page, in 0..1; None where it has none there."""
    boxes = [region.bbox for region in node.regions if region.page_idx == page - 1]
    if not boxes and node.bbox and node.page_idx == page - 1:
        boxes = [node.bbox]
    if not boxes:
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def ground(
    tree: DocTree, evidence: Evidence, pages: Sequence[int] | None = None, read_place: ReadPlace | None = None
) -> Support | None:
    """The evidence as support, or None where neither its node nor its quote nor its place is there.

    The quote is looked for on the named page, then on the node's, then on ``pages``; where it is found decides page,
    node and box. A node without a quote supports with its own page. A place, which is a box on one of ``pages`` or a
    quote on one of them that has no text to look it up in, is kept with the reason why it is not verified: evidence
    may be what only a picture shows. Where ``read_place`` recognises the quote, in the box or elsewhere on the page,
    that is the place, and it is verified. An unknown quote's words stay with ``quote_verified`` false where their node
    exists, or where a sentence or row of the pages says the same in other words.
    """
    node = known_node(tree, evidence.node_id)
    node = node if node is not None and node.readable else None
    named = [] if evidence.page is None else [evidence.page]
    own = [region.page_idx + 1 for region in node.regions] or [node.page_idx + 1] if node else []
    shown = [page for page in own if page in (pages or [])]
    if node and evidence.quote and (page := _page_of_quote(tree, node, [*named, *shown, *own], evidence.quote)):
        return _support(tree, node, page, evidence, verified=True)
    for page in dict.fromkeys([*named, *own, *(pages or [])]) if evidence.quote else ():
        found, holder = find_quote(tree, page, evidence.quote)
        if found:
            return _support(tree, holder, page, evidence, verified=True)
    if node is None or (evidence.bbox is not None and not node.text.strip()):
        place = _at_place(tree, evidence, pages or [], read_place) or _in_other_words(tree, evidence, pages or [])
        if node is None or place is not None:
            return place
    return _support(tree, node, next((page for page in named if page in own), own[0]), evidence, verified=False)


def _at_place(tree: DocTree, evidence: Evidence, pages: Sequence[int], read_place: ReadPlace | None) -> Support | None:
    """A place on a page that was shown, with the node that stands there; None for no such place."""
    page = evidence.page
    if page is None or page not in pages or not 1 <= page <= len(tree.pages):
        return None
    readable = tree.readable_on(page - 1)
    has_text = any(tree.node(name).text_on(page - 1).strip() for name in tree.page_nodes.get(page - 1, []))
    if evidence.bbox is None and (has_text or not evidence.quote):
        return None
    placed = read_place(page, evidence.bbox, evidence.quote) if read_place is not None and evidence.quote else None
    box = placed or evidence.bbox
    node = _node_at(readable, page, box) if box is not None else None
    if not has_text:
        reason = "the page has no text"
    elif evidence.quote:
        reason = "the words are not in the text of the page"
    elif node is not None and node.text_on(page - 1).strip():
        return _support(tree, node, page, evidence, verified=False)
    else:
        reason = "nothing was read at this place"
    if placed is False:
        reason = f"{reason}, and recognition does not read them there"
    support = _support(tree, node, page, evidence, verified=bool(placed))
    return support.model_copy(update={"bbox": box, "unverified": None if placed else reason})


def _in_other_words(tree: DocTree, evidence: Evidence, pages: Sequence[int]) -> Support | None:
    """The first sentence, or row of a table with its heads, on the pages shown that has the words of a quote."""
    wanted = frozenset(terms(evidence.quote))
    if len(wanted) < MIN_QUOTE_WORDS:
        return None
    figures = {word for word in wanted if any(map(str.isdigit, word))}
    there = [page for page in pages if 1 <= page <= len(tree.pages)]
    for page in sorted(there, key=lambda page: page != evidence.page):
        for node in tree.readable_on(page - 1):
            for held in map(frozenset, map(terms, _statements(node, page))):
                if figures <= held and len(wanted & held) >= MIN_QUOTE_SHARE * len(wanted):
                    return _support(tree, node, page, evidence, verified=False)
    return None


def _statements(node: Node, page: int) -> list[str]:
    """What a node says on a 1-based page, piece by piece: sentences, or rows under the heads of their columns."""
    if node.table is None:
        return split_sentences(node.text_on(page - 1))
    heads, rows = node.table.rows[: node.table.header_rows], node.table.rows[node.table.header_rows :]
    above = " ".join([node.title or "", *(cell for row in heads for cell in row)])
    return [f"{above} {' '.join(row)}" for row in rows]


def _node_at(nodes: Sequence[Node], page: int, box: BBox) -> Node | None:
    """The smallest node that holds the middle of a box."""
    across, down = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    there = [
        ((right - left) * (bottom - top), number)
        for number, node in enumerate(nodes)
        if (area := box_on_page(node, page)) is not None
        for left, top, right, bottom in [area]
        if left <= across <= right and top <= down <= bottom
    ]
    return nodes[min(there)[1]] if there else None


def _page_of_quote(tree: DocTree, node: Node, pages: Sequence[int], quote: str) -> int | None:
    """The page on which this very node holds the quote."""
    pattern = _pattern(quote)
    if pattern is None:
        return None
    there = (page for page in pages if node.id in tree.page_nodes.get(page - 1, []))
    return next((page for page in there if _holds_on(node, page, pattern)), None)


def _holds_on(node: Node, page: int, pattern: re.Pattern[str]) -> bool:
    """Whether what a node says on a 1-based page, or the caption that is its title, has the words."""

    def has(text: str | None) -> bool:
        return bool(text) and pattern.search(_normalised(text or "")) is not None

    if has(node.text_on(page - 1)) or has(node.title):
        return True
    others = dict.fromkeys(region.page_idx for region in node.regions if region.page_idx != page - 1)
    return has(node.text) and not has("\n".join(node.text_on(other) for other in others))


def _support(tree: DocTree, node: Node | None, page: int, evidence: Evidence, *, verified: bool) -> Support:
    return Support(
        node_id=node.id if node else None,
        page=page,
        page_label=tree.pages[page - 1].page_label if page <= len(tree.pages) else None,
        bbox=box_on_page(node, page) if node else evidence.bbox,
        quote=evidence.quote,
        quote_verified=verified,
    )


def _normalised(text: str) -> str:
    return " ".join(without_leaders(unicodedata.normalize("NFKC", text)).translate(_LOOK_ALIKE).lower().split())


def _pattern(quote: str) -> re.Pattern[str] | None:
    """The quote as a pattern that does not match inside a longer word or number; None for a quote without words."""
    parts = [part for part in _ELLIPSIS.split(_normalised(quote).strip(" .")) if re.search(r"\w", part)]
    if not parts:
        return None
    first, *others = map(_whole_words, parts)
    # Atomic groups: a quote of many dots, which a model may write, must not be tried in every way.
    return re.compile(first + "".join(f"(?>.{{0,{MAX_GAP_CHARACTERS}}}?{other})" for other in others))


def _whole_words(normalised: str) -> str:
    before = r"(?<![a-z0-9])" if normalised[0].isascii() and normalised[0].isalnum() else ""
    after = r"(?![a-z0-9])" if normalised[-1].isascii() and normalised[-1].isalnum() else ""
    return before + re.escape(normalised) + after
