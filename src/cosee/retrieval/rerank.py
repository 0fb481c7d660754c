"""Nine light features that move a hit, and say why (seed 002 section 10.4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from cosee.artifacts.doctree import DocTree, Node
from cosee.index.features import aliases_for, units_in
from cosee.index.tokens import STOP_TERMS, analyze
from cosee.index.view import searchable_text, table_schema
from cosee.retrieval.intent import Intent


@dataclass(frozen=True)
class RerankWeights:
    """What each feature adds to a fused score; ``page_dist`` is multiplied by its value in 0..1."""

    values: Mapping[str, float] = field(
        default_factory=lambda: {
            "is_title_hit": 0.06, "is_path_hit": 0.03, "is_label_hit": 0.40, "schema_hit": 0.05, "alias_hit": 0.02,
            "unit_match": 0.02, "page_dist": 0.03, "same_section": 0.03, "supports_intent": 0.03,
        }
    )  # fmt: skip


class Reranker:
    """Computes the features of nodes of one document for one question."""

    def __init__(self, tree: DocTree, intent: Intent, named: frozenset[str], anchor: Node | None) -> None:
        self.tree = tree
        self.intent = intent
        self.named = named
        self.anchor = anchor
        self._terms = {term for term in intent.terms if term not in STOP_TERMS}
        self._aliases = set(analyze(aliases_for(" ".join(intent.terms)))) - self._terms
        self._anchor_section = self._section(anchor) if anchor else None
        self._named_pages = {page for places in intent.pages for page in places}

    def features(self, node: Node, affordances: Mapping[str, bool]) -> dict[str, float]:
        """Feature -> value in 0..1; those at 0 did not fire.

        ``page_dist`` is 1 on a page that the question names, else 1 / (1 + pages to the best hit).
        """
        titles = [each.title or "" for each in self.tree.path(node.id) if each.type == "section"]
        own_title = node.title or ""
        above = titles[:-1] if node.type == "section" else titles
        text = searchable_text(node)
        schema = " ".join(table_schema(node)) if node.type == "table" else ""
        section = self._section(node)
        return {
            "is_title_hit": self._share(own_title),
            "is_path_hit": self._share(" ".join(above)),
            "is_label_hit": float(node.id in self.named),
            "schema_hit": self._share(schema),
            "alias_hit": float(bool(self._aliases & set(analyze(text)))) if self._aliases else 0.0,
            "unit_match": float(bool(set(self.intent.units) & set(units_in(text)))) if self.intent.units else 0.0,
            "page_dist": self._page_nearness(node),
            "same_section": float(self.anchor is not None and section is not None and section == self._anchor_section),
            "supports_intent": float(any(affordances.get(name) for name in self.intent.affordances)),
        }

    def _share(self, text: str) -> float:
        """Share of the question's telling words that ``text`` has."""
        if not text or not self._terms:
            return 0.0
        return round(len(self._terms & set(analyze(text))) / len(self._terms), 6)

    def _page_nearness(self, node: Node) -> float:
        pages = {node.page_idx, *(region.page_idx for region in node.regions)}
        if self._named_pages:
            return float(bool(pages & self._named_pages))
        if self.anchor is None:
            return 0.0
        return round(1 / (1 + abs(node.page_idx - self.anchor.page_idx)), 6)

    def _section(self, node: Node) -> str | None:
        if node.type == "section":
            return node.id
        section = self.tree.section_of(node.id)
        return section.id if section else None
