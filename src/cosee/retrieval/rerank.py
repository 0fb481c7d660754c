"""Nine light features that move a hit, and say why."""

from __future__ import annotations

from collections.abc import Mapping

from cosee.index.features import aliases_for
from cosee.retrieval.intent import Intent
from cosee.retrieval.node_facts import NodeFacts
from cosee.text.tokens import STOP_TERMS, analyze


class Reranker:
    """Computes the features of nodes of one document for one question."""

    def __init__(self, intent: Intent, named: frozenset[str], anchor: NodeFacts | None) -> None:
        self.intent = intent
        self.named = named
        self.anchor = anchor
        self._terms = frozenset(term for term in intent.terms if term not in STOP_TERMS)
        self._aliases = frozenset(analyze(aliases_for(" ".join(intent.terms)))) - self._terms
        self._units = frozenset(intent.units)
        self._named_pages = frozenset(page for places in intent.pages for page in places)

    def features(self, facts: NodeFacts, affordances: Mapping[str, bool]) -> dict[str, float]:
        """Feature -> value in 0..1; those at 0 did not fire.

        ``page_dist`` is 1 on a page that the question names, else 1 / (1 + pages to the best hit).
        """
        anchor = self.anchor
        return {
            "is_title_hit": self._share(facts.title_terms),
            "is_path_hit": self._share(facts.path_terms),
            "is_label_hit": float(facts.node.id in self.named),
            "schema_hit": self._share(facts.schema_terms),
            "alias_hit": float(bool(self._aliases) and not self._aliases.isdisjoint(facts.text_terms)),
            "unit_match": float(bool(self._units) and not self._units.isdisjoint(facts.units)),
            "page_dist": self._page_nearness(facts),
            "same_section": float(anchor is not None and facts.section is not None and facts.section == anchor.section),
            "supports_intent": float(any(affordances.get(name) for name in self.intent.affordances)),
        }

    def _share(self, terms: frozenset[str]) -> float:
        """Share of the question's words, stop words apart, among ``terms``."""
        return round(len(self._terms & terms) / len(self._terms), 6) if self._terms and terms else 0.0

    def _page_nearness(self, facts: NodeFacts) -> float:
        if self._named_pages:
            return float(not self._named_pages.isdisjoint(facts.pages))
        if self.anchor is None:
            return 0.0
        return round(1 / (1 + abs(facts.node.page_idx - self.anchor.node.page_idx)), 6)
