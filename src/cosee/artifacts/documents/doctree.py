"""``doctree.mm.json``: the document as a tree of typed nodes with immutable ids."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby, pairwise
from typing import ClassVar, Literal

from pydantic import ConfigDict, Field

from cosee.artifacts.base import Artifact, BBox, NumerousRecord, Record, is_none
from cosee.artifacts.documents.chart import ChartData, ChartForm
from cosee.artifacts.documents.content import DroppedItem, ImageKind, PageInfo, Region, TableData
from cosee.artifacts.documents.picture_quality import PictureQuality

NodeType = Literal[
    "document", "section", "paragraph", "image", "table", "list", "equation", "caption", "footnote", "code", "toc"
]

ROOT_ID = "doc"
UNREADABLE_FLAGS = frozenset(("hidden", "garbage_text"))
"""A node with one of these stays in the tree and out of every prompt and index."""


class Node(NumerousRecord):
    """One node. A section's id is ``sec_<n>`` where ``t_<n>`` is its heading item; other nodes keep the item's id."""

    id: str
    type: NodeType
    parent: str | None
    children: list[str] = Field(default_factory=list)
    item_ids: list[str] = Field(default_factory=list)
    """Content items this node stands for: one, the heading's for a section, none for the document."""
    page_idx: int
    """0-based page of its first region; for a section that of its heading."""
    page_span: tuple[int, int]
    """First and last 0-based page of the node and everything under it."""
    bbox: BBox | None = None
    regions: list[Region] = Field(default_factory=list)
    """Every region of the node itself, in reading order."""
    title: str | None = None
    """A section's heading; an image's or table's caption."""
    text: str = ""
    """A leaf's text; a section's heading; a table's cells as lines of ``a | b``."""
    level: int = 0
    """Sections: depth from 1. Document 0. Leaves: parent's level + 1."""
    label: str | None = None
    caption_ids: list[str] = Field(default_factory=list)
    caption_of: str | None = None
    image_path: str | None = None
    table: TableData | None = None
    kind: ImageKind | None = None
    chart_type: str | None = None
    chart_form: ChartForm | None = None
    chart: ChartData | None = None
    """Series and values, where they could be read from vector paths."""
    description: str | None = None
    members: list[str] = Field(default_factory=list)
    flags: list[str] = Field(default_factory=list)
    quality: PictureQuality | None = None
    """Of the picture of an image that is a bitmap."""
    latex: str | None = Field(default=None, exclude_if=is_none)
    """An equation as LaTeX, where all of its signs are known; ``text`` has it in plain characters, or is the LaTeX of
    MinerU or docling. ``image_path`` is its picture where it was read as a formula in M0."""

    @property
    def readable(self) -> bool:
        """Whether its text may be searched and shown: neither hidden nor of an unreadable text layer."""
        return UNREADABLE_FLAGS.isdisjoint(self.flags)

    def text_on(self, page_idx: int) -> str:
        """The part of its text that a 0-based page holds; all of it where that is not known."""
        begins = [region.begins for region in self.regions]
        if len(begins) < 2 or any(one >= other for one, other in pairwise(begins)):
            return self.text
        rows = self.table is not None and bool(self.table.rows)
        whole: Sequence[str] = self.text.split("\n") if rows else self.text
        parts = []
        placed = zip(self.regions, [*begins[1:], len(whole)], strict=True)
        for page, regions in groupby(placed, lambda each: each[0].page_idx):
            if page == page_idx:
                (first, end), *more = regions
                parts.append(whole[first.begins : more[-1][1] if more else end])
        return "\n".join("\n".join(part) if rows else str(part) for part in parts)


DoubtReason = Literal[
    "no_content", "unaccounted_ink", "low_text_coverage", "low_page_coverage", "too_many_headings", "long_titles",
    "single_child_chain",
]  # fmt: skip


class Doubt(Record):
    """A measure beyond its threshold: a name for programs and a sentence for a person."""

    reason: DoubtReason
    message: str


class TreeQuality(Record):
    """What a reader should know before trusting a tree. ``problems`` names each broken rule in words, empty when all
    hold; ``doubts`` are measures beyond the settings of stage build, empty when none is."""

    pages: int
    pages_with_nodes: int
    empty_page_idx: list[int] = Field(default_factory=list)
    """0-based pages that have something on them, kept or dropped, and no node (at most 50 are listed)."""
    page_coverage: float = 1.0
    """Share of the pages with something on them that have a node, 0..1."""
    items: int = 0
    """Items of the enhanced content list; each is one node."""
    dropped: dict[str, int] = Field(default_factory=dict)
    """Reason -> entries of the drop list."""
    text_characters: int
    """Characters of all items, dropped ones included; text that a reader of the page does not see is left out."""
    text_coverage: float
    """Share of those characters that are in a node, 0..1."""
    sections: int
    max_depth: int
    heading_share: float = 0.0
    """Share of the text nodes (sections, paragraphs, lists, footnotes, captions, code) that are sections, 0..1."""
    crowded_page_idx: list[int] = Field(default_factory=list)
    """0-based pages on which most text nodes are sections, and more than five are."""
    long_titles: int = 0
    """Sections whose title is longer than 200 characters: body text as a rule."""
    empty_sections: int = 0
    """Sections with nothing under them."""
    longest_chain: int = 0
    """Most sections in a row of which each is all that the one above holds."""
    figures: int
    figures_without_caption: int
    tables: int
    tables_without_caption: int
    tables_without_cells: int = 0
    orphans: int
    problems: list[str] = Field(default_factory=list)
    doubts: list[Doubt] = Field(default_factory=list)


class DocTree(Artifact):
    """``doctree.mm.json``. ``nodes`` is in reading order, the root first."""

    model_config = ConfigDict(extra="forbid", allow_inf_nan=False, ignored_types=(cached_property,))
    schema_name: ClassVar[str] = "cosee.doctree"

    doc_id: str
    title: str | None = None
    language: str | None = None
    pages: list[PageInfo]
    nodes: list[Node]
    dropped: list[DroppedItem] = Field(default_factory=list)
    quality: TreeQuality

    @cached_property
    def by_id(self) -> dict[str, Node]:
        """Node id -> node."""
        return {node.id: node for node in self.nodes}

    @cached_property
    def page_nodes(self) -> dict[int, list[str]]:
        """0-based page -> ids of the nodes with a region on it, in reading order (the page view)."""
        view: dict[int, list[str]] = {page.page_idx: [] for page in self.pages}
        for node in self.nodes:
            for page_idx in dict.fromkeys(region.page_idx for region in node.regions):
                view.setdefault(page_idx, []).append(node.id)
        return view

    @cached_property
    def labels(self) -> dict[str, list[str]]:
        """Label (``Figure 3``) -> ids that carry it; duplicates are kept."""
        found: dict[str, list[str]] = {}
        for node in self.nodes:
            if node.label:
                found.setdefault(node.label, []).append(node.id)
        return found

    @cached_property
    def headings(self) -> dict[str, list[str]]:
        """Section title -> section ids; duplicate titles are kept as lists."""
        found: dict[str, list[str]] = {}
        for node in self.of_type("section"):
            found.setdefault(node.title or "", []).append(node.id)
        return found

    @property
    def root(self) -> Node:
        """The document node."""
        return self.nodes[0]

    def node(self, node_id: str) -> Node:
        """The node; KeyError for an unknown id."""
        return self.by_id[node_id]

    def of_type(self, *types: NodeType) -> list[Node]:
        """Nodes of the given types in reading order."""
        return [node for node in self.nodes if node.type in types]

    def parent(self, node_id: str) -> Node | None:
        """The parent node, None for the root."""
        parent = self.by_id[node_id].parent
        return self.by_id[parent] if parent is not None else None

    def children(self, node_id: str) -> list[Node]:
        """Child nodes in reading order."""
        return [self.by_id[child] for child in self.by_id[node_id].children]

    def siblings(self, node_id: str) -> list[Node]:
        """The parent's other children in reading order."""
        parent = self.parent(node_id)
        return [] if parent is None else [node for node in self.children(parent.id) if node.id != node_id]

    def path(self, node_id: str) -> list[Node]:
        """Nodes from the root down to the node itself."""
        chain: list[Node] = []
        node: Node | None = self.by_id[node_id]
        while node is not None:
            chain.append(node)
            node = self.parent(node.id)
        return chain[::-1]

    def subtree(self, node_id: str) -> Iterator[Node]:
        """The node and everything under it, in reading order."""
        stack = [node_id]
        while stack:
            node = self.by_id[stack.pop()]
            yield node
            stack.extend(reversed(node.children))

    def section_of(self, node_id: str) -> Node | None:
        """The nearest section above a node (None directly under the document)."""
        node = self.parent(node_id)
        while node is not None and node.type != "section":
            node = self.parent(node.id)
        return node

    def page_text(self, page_idx: int) -> str:
        """Text of a page's readable nodes in reading order, one node a line."""
        return "\n".join(node.text for node in self.readable_on(page_idx) if node.text)

    def readable_on(self, page_idx: int) -> list[Node]:
        """The nodes of a page that a reader may be shown, in reading order."""
        nodes = (self.by_id[node_id] for node_id in self.page_nodes.get(page_idx, []))
        return [node for node in nodes if node.readable]


def split_id(node_id: str) -> tuple[str, str | None, int | None]:
    """Split an index id into (node id, kind or None, number or None).

    ``sec_12#c`` is the child variant (of ``h|g|c|p``), ``t_230#c0`` chunk 0, without a kind: a ``#c`` with digits is a
    chunk (contract, settled 5). ``tab_7#r3`` is row 3 of a table, of kind ``r``.
    """
    node, separator, suffix = node_id.partition("#")
    if not separator:
        return node, None, None
    if suffix in ("h", "g", "c", "p"):
        return node, suffix, None
    if suffix[:1] in ("c", "r") and suffix[1:].isdigit():
        return node, "r" if suffix[0] == "r" else None, int(suffix[1:])
    raise ValueError(f"{node_id!r} is not an index id: suffix {suffix!r} is no variant, chunk or row")
