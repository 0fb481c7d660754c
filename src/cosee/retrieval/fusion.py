"""One score from the channels, the tree and the intent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cosee.artifacts.doctree import DocTree, Node
from cosee.artifacts.settings.answer import FusionWeights
from cosee.retrieval.intent import Intent

RRF_K = 20
"""The constant of reciprocal rank fusion; small, since one document has few nodes."""


def weighted(parts: Mapping[str, float], weights: FusionWeights, channels: Sequence[str]) -> float:
    """The weighted mean of a node's parts; the weight of a channel that does not take part is left out."""
    factors = {"tree_prior": weights.tree_prior, "intent_bonus": weights.intent_bonus}
    if "dense" in channels:
        factors["dense"] = weights.dense
    if "sparse" in channels:
        factors["bm25f"] = weights.bm25f
    total = sum(factors.values())
    return round(sum(factor * parts[name] for name, factor in factors.items()) / total, 6) if total else 0.0


def reciprocal_ranks(rankings: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Reciprocal rank fusion of scored nodes, scaled so that the first of every ranking would have 1."""
    fused: dict[str, float] = {}
    for ranking in rankings:
        for rank, node_id in enumerate(sorted(ranking, key=lambda each: (-ranking[each], each)), start=1):
            fused[node_id] = fused.get(node_id, 0.0) + (RRF_K + 1) / (RRF_K + rank)
    return {node_id: round(score / max(1, len(rankings)), 6) for node_id, score in fused.items()}


def tree_prior(tree: DocTree, node: Node, anchors: Sequence[Node]) -> float:
    """How near a node is to the best hits, 0..1: the mean of three parts.

    - same section: 1 where it shares its nearest section with an anchor (or is, or is under, an anchor section);
    - page distance: 1 / (1 + pages to the nearest anchor);
    - depth: its level over the deepest level near the anchors, so that the more specific node is preferred.
    """
    if not anchors:
        return 0.0
    sections = {_section_id(tree, anchor) for anchor in anchors} - {None}
    same = float(_section_id(tree, node) in sections or any(each.id in sections for each in tree.path(node.id)))
    distance = min(abs(node.page_idx - anchor.page_idx) for anchor in anchors)
    deepest = max(1, node.level, *(anchor.level for anchor in anchors))
    return round((same + 1 / (1 + distance) + min(1.0, node.level / deepest)) / 3, 6)


def _section_id(tree: DocTree, node: Node) -> str | None:
    if node.type == "section":
        return node.id
    section = tree.section_of(node.id)
    return section.id if section else None


def intent_bonus(
    node: Node, intent: Intent, affordances: Mapping[str, bool], variant: str | None, named: bool
) -> float:
    """How well a node's kind serves the intent, 0..1.

    1 for a node that the question names by its label. Else a half for a preferred role, and a quarter each for a
    wanted affordance and for the preferred section variant or chart kind.
    """
    if named:
        return 1.0
    score = 0.5 if node.type in intent.roles else 0.0
    if any(affordances.get(name) for name in intent.affordances):
        score += 0.25
    if variant in {name[0] for name in intent.variants} or (
        node.kind and node.kind == intent.filters.get("chart_type")
    ):
        score += 0.25
    return score
