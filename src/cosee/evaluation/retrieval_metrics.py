"""Page retrieval and cited pages of one question. Pages are 1-based numbers, or these with their documents
where a question is about several; ``gold`` is never empty.

``any_of`` is for questions where each gold page alone holds the evidence: one of them is then as good as all.
Definitions follow MoLoRAG (recall, nDCG, MRR) and SimpleDoc (all-gold@k); nDCG's ideal is at min(k, gold pages).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class PageScores:
    """The scores of one ranking, by k."""

    recall: dict[int, float]
    recall_ceiling: dict[int, float]
    hit: dict[int, float]
    all_gold: dict[int, float]
    all_gold_ceiling: dict[int, float]
    ndcg: dict[int, float]
    precision: dict[int, float]
    reciprocal_rank: float


def score_pages(
    ranked: Sequence[Hashable], gold: Sequence[Hashable], ks: Sequence[int], *, any_of: bool = False
) -> PageScores:
    """Score ``ranked`` pages (best first; repeats count once) against the gold pages for each k."""
    if not ranked:
        return _of_nothing(1 if any_of else len(set(gold)), tuple(ks))
    pages, wanted = list(dict.fromkeys(ranked)), set(gold)
    needed = 1 if any_of else len(wanted)
    found = {k: min(sum(page in wanted for page in pages[:k]), needed) for k in ks}
    return PageScores(
        recall={k: found[k] / needed for k in ks},
        recall_ceiling={k: min(k, needed) / needed for k in ks},
        hit={k: float(found[k] > 0) for k in ks},
        all_gold={k: float(found[k] == needed) for k in ks},
        all_gold_ceiling={k: float(k >= needed) for k in ks},
        ndcg={k: _ndcg(pages[:k], wanted, min(k, needed)) for k in ks},
        precision={k: sum(page in wanted for page in pages[:k]) / max(len(pages[:k]), 1) for k in ks},
        reciprocal_rank=next((1 / rank for rank, page in enumerate(pages, start=1) if page in wanted), 0.0),
    )


@cache
def _of_nothing(needed: int, ks: tuple[int, ...]) -> PageScores:
    """The scores where no page was found; every answer of a method that does not search has them."""
    zeros = dict.fromkeys(ks, 0.0)
    return PageScores(
        recall=zeros,
        recall_ceiling={k: min(k, needed) / needed for k in ks},
        hit=zeros,
        all_gold=zeros,
        all_gold_ceiling={k: float(k >= needed) for k in ks},
        ndcg=zeros,
        precision=zeros,
        reciprocal_rank=0.0,
    )


def _ndcg(pages: Sequence[Hashable], wanted: set[Hashable], ideal_hits: int) -> float:
    if wanted.isdisjoint(pages):
        return 0.0
    gains = [1 / math.log2(rank + 1) for rank, page in enumerate(pages, start=1) if page in wanted][:ideal_hits]
    return sum(gains) / sum(1 / math.log2(rank + 1) for rank in range(1, ideal_hits + 1))


def score_citation(
    cited: Sequence[Hashable], gold: Sequence[Hashable], *, any_of: bool = False
) -> tuple[float, float, float]:
    """Precision, recall and F1 of the set of cited pages, DocScope's convention: nothing cited is 1, 0, 0."""
    pages, wanted = set(cited), set(gold)
    if not pages:
        return 1.0, 0.0, 0.0
    common = len(pages & wanted)
    precision = common / len(pages)
    recall = float(common > 0) if any_of else common / len(wanted)
    return precision, recall, 2 * precision * recall / (precision + recall) if common else 0.0
