"""One score from the channels, the tree and the intent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cosee.artifacts.documents.doctree import Node
from cosee.artifacts.settings.answer import FusionWeights
from cosee.retrieval.intent import Intent
from cosee.retrieval.node_facts import NodeFacts
from cosee.retrieval.thresholds import AFFORDANCE_BONUS, ROLE_BONUS, RRF_K, VARIANT_BONUS


def factors(weights: FusionWeights, channels: Sequence[str]) -> dict[str, float]:
    """Part -> its share of the weighted mean; a channel that does not take part has none."""
    found = {"tree_prior": weights.tree_prior, "intent_bonus": weights.intent_bonus}
    if "dense" in channels:
        found["dense"] = weights.dense
    if "sparse" in channels:
        found["bm25f"] = weights.bm25f
    total = sum(found.values())
    return {name: factor / total for name, factor in found.items() if factor} if total else {}


def weighted(parts: Mapping[str, float], shares: Mapping[str, float]) -> float:
    """The weighted mean of a node's parts."""
    return round(sum([share * parts[name] for name, share in shares.items()]), 6)


def reciprocal_ranks(rankings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Reciprocal rank fusion of scored nodes, scaled so that the first of every ranking would have 1."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, node_id in enumerate(sorted(ranking, key=lambda each: (-ranking[each], each)), start=1):
            fused[node_id] = fused.get(node_id, 0.0) + (RRF_K + 1) / (RRF_K + rank)
    return {node_id: round(score / max(1, len(rankings)), 6) for node_id, score in fused.items()}


class TreePrior:
    """How near a node is to the best hits, 0..1: the mean of three parts.

    - same section: 1 where it shares its nearest section with an anchor (or is, or is under, an anchor section);
    - page distance: 1 / (1 + pages to the nearest anchor);
    - depth: its level over the deepest level near the anchors, so that the more specific node is preferred.
    """

    def __init__(self, anchors: Sequence[NodeFacts]) -> None:
        self._sections = {anchor.section for anchor in anchors} - {None}
        self._pages = sorted({anchor.node.page_idx for anchor in anchors})
        self._deepest = max([1, *(anchor.node.level for anchor in anchors)])

    def of(self, facts: NodeFacts) -> float:
        """The prior of one node; 0 without anchors."""
        if not self._pages:
            return 0.0
        node = facts.node
        same = float(not self._sections.isdisjoint(facts.sections))
        distance = min(abs(node.page_idx - page) for page in self._pages)
        return round((same + 1 / (1 + distance) + node.level / max(self._deepest, node.level)) / 3, 6)


def intent_bonus(
    node: Node, intent: Intent, affordances: Mapping[str, bool], variant: str | None, named: bool
) -> float:
    """How well a node's kind serves the intent, 0..1.

    1 for a node that the question names by its label. Else what it gets for a preferred role, for a wanted affordance,
    and for the preferred section variant or chart kind.
    """
    if named:
        return 1.0
    score = ROLE_BONUS if node.type in intent.roles else 0.0
    if any(affordances.get(name) for name in intent.affordances):
        score += AFFORDANCE_BONUS
    if variant in {name[0] for name in intent.variants} or (
        node.kind and node.kind == intent.filters.get("chart_type")
    ):
        score += VARIANT_BONUS
    return score
