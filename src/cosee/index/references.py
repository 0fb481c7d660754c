"""The nodes and pages of a document that a text names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from heapq import nsmallest
from itertools import takewhile

from cosee.artifacts.datasets.names import COLLECTION
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.artifacts.documents.page_labels import cited_as
from cosee.index.thresholds import NEAR_LABELS
from cosee.index.view import labelled
from cosee.text.mentions import Mention, number_key, page_names, parse_label
from cosee.text.part_names import title_names

# General knowledge: words of captions that stand for each other.
_RELATED_KINDS: Mapping[str, tuple[str, ...]] = {
    "chart": ("figure", "exhibit"), "exhibit": ("figure", "table"), "figure": ("chart", "exhibit"), "plate": ("figure",)
}  # fmt: skip


class LabelIndex:
    """From a mention to the nodes of ``tree`` that carry its label; an image or table goes before its caption."""

    def __init__(self, tree: DocTree, nodes: Iterable[Node]) -> None:
        self._tree = tree
        self._ids: dict[tuple[str, str], list[str]] = {}
        self._paths: dict[str, list[str]] = {}
        for node in labelled(nodes):
            parsed = parse_label(node.label or "")
            if parsed is None and node.type == "equation":
                parsed = Mention("equation", number_key(node.label or ""))
            key = (parsed.kind, parsed.number) if parsed else ("", (node.label or "").casefold())
            self._ids.setdefault(key, []).append(node.id)

    def resolve(self, mention: Mention, asking: Node | None = None) -> list[str]:
        """Node ids for a mention, best first; ``Figure 3b`` falls back to ``Figure 3``; empty where nothing fits.

        Where chapters count anew, a label of the chapter that the ``asking`` node is in goes first, then the nearest.
        """
        for number in dict.fromkeys((mention.number, re.sub(r"[a-z]$", "", mention.number))):
            for kind in dict.fromkeys((mention.kind, *_RELATED_KINDS.get(mention.kind, ()))):
                if ids := self._ids.get((kind, number)):
                    return ids if asking is None or len(ids) == 1 else self._nearest(ids, asking)
        return []

    def _nearest(self, ids: list[str], asking: Node) -> list[str]:
        pages = {node_id: abs(self._tree.node(node_id).page_idx - asking.page_idx) for node_id in ids}
        near = nsmallest(NEAR_LABELS, ids, key=pages.__getitem__) if len(ids) > NEAR_LABELS else ids
        return sorted(near, key=lambda node_id: (-self._shared(node_id, asking.id), pages[node_id]))

    def _shared(self, one: str, other: str) -> int:
        """How many sections two nodes share, from the root down."""
        pairs = zip(self._sections(one), self._sections(other), strict=False)
        return len(list(takewhile(lambda pair: pair[0] == pair[1], pairs)))

    def _sections(self, node_id: str) -> list[str]:
        if node_id not in self._paths:
            self._paths[node_id] = [node.id for node in self._tree.path(node_id) if node.type == "section"]
        return self._paths[node_id]


class PartIndex:
    """From a numbered part of a work to the ``sections`` whose title makes them that part, in reading order."""

    def __init__(self, sections: Iterable[Node]) -> None:
        self._ids: dict[Mention, list[str]] = {}
        for section in sections:
            for name in title_names((section.title or section.text).strip()):
                self._ids.setdefault(name, []).append(section.id)

    def resolve(self, part: Mention) -> list[str]:
        """Ids of the sections; a title without the kind's own word stands for a section, chapter, note or appendix."""
        if found := self._ids.get(part):
            return found
        bare = part.kind in ("section", "chapter", "note") or (part.kind == "appendix" and not part.number.isdigit())
        return self._ids.get(Mention("", part.number), []) if bare else []


def page_mentions(text: str, tree: DocTree) -> list[list[int]]:
    """Pages that ``text`` names: for each mention the 0-based pages it can mean, the likeliest first.

    A number can be the one printed on a page (its label) or the page's place in the file; both are given where they
    differ. A label of two numbers is named as a whole (``page 3-12`` of a manual counted by chapters), a spread by
    either number too. A mention that fits no page is left out, and of several documents as one tree any: whose page is
    meant is not said, and each document's own search looks there.
    """
    if tree.doc_id == COLLECTION:
        return []
    names = cited_as(page.page_label for page in tree.pages)
    by_label: dict[str, list[int]] = {}
    for page in tree.pages:
        for name in names.get(page.page_label or "", ()):
            by_label.setdefault(name, []).append(page.page_idx)
    count = len(tree.pages)
    found: list[list[int]] = []
    for named in page_names(text):
        if named.place is not None:
            place = named.place + count if named.place < 0 else named.place
            found += [[place]] if 0 <= place < count else []
            continue
        for item in [named.whole] if named.whole.casefold() in by_label else named.items:
            places = list(by_label.get(item.casefold(), []))
            if item.isdigit() and 1 <= int(item) <= count and int(item) - 1 not in places:
                places.append(int(item) - 1)
            if places:
                found.append(places)
    return found
