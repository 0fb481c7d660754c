"""The weights of the page views and of the chances, fitted by ``python -m benchmarks.tune_retrieval``.

This table is fitted on all documents of the fit. ``benchmarks/page_weights.json`` holds one for each of five folds of
documents (sha256 of the id modulo 5), fitted on the other four: figures are judged by those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

EVIDENCE_VIEWS = ("page", "media", "pairs", "vector", "statement")
"""The whole page's BM25F score; that of the best image or table on it over the best of all pages; the inverse page
frequencies of the question's word pairs that it has; the best cosine of a record on it, clipped to 0..1; whether it is
headed by the name of a financial statement behind the question (with ``finance`` alone)."""
NAMED_WEIGHTS = {"named_node": 4.0, "named_section": 2.0, "named_page": 20.0}
"""The figures and tables on the page that the question names; whether it is of a section, or is the page, that the
question names, which comes before everything else. Not fitted: few questions name a place."""
SUPPORTING_VIEWS = ("node", "nodes", "length", "word_rank")
"""The best hit's score over the best of all; log(1 + hits among the best 20); log(1 + paragraphs); 1 / rank by the
words of the question alone."""
LINKED_VIEWS = ("before", "after", "referred")
"""What other pages lead to, see ``PageLinks``; with ``second_pages`` alone."""
FINDING_VIEWS = (*EVIDENCE_VIEWS, *NAMED_WEIGHTS)
"""A page that none of these views speaks for is not found."""
RERANKER = "reranker"
"""What ``index.reranker`` said of the page less what it said of the best one, by its weight in ``read``."""
VIEWS = (*EVIDENCE_VIEWS, *SUPPORTING_VIEWS, *LINKED_VIEWS, *NAMED_WEIGHTS, RERANKER)
"""What each view added to a page's log odds, which its chance is told by too."""
CHANCE_FEATURES = ("share_odds", "behind_best", "log_rank", "is_best", "is_second", "left", "best", "spread", *VIEWS)
"""Log odds of the page's share; log of the share over the best one; log of the rank; whether the rank is 1, is 2; log
of what the shares of the pages before leave; log of the best share; entropy of the shares; the page's parts."""


@dataclass(frozen=True)
class PageWeights:
    """What each view adds to the log odds that the answer is on a page."""

    first: Mapping[str, float] = field(
        default_factory=lambda: {
            "media": 1.431, "page": 0.2471, "pairs": 0.2388, "statement": 3.2493, "vector": 6.7214, **NAMED_WEIGHTS,
        }
    )  # fmt: skip
    """Of the views that read a page by itself; their shares tell which pages the others are led to from."""
    last: Mapping[str, float] = field(
        default_factory=lambda: {
            "after": 0.8112, "before": 0.981, "length": -0.3962, "media": 1.0003, "node": 1.1031, "nodes": 0.5795,
            "page": 0.1306, "pairs": 0.2243, "referred": 2.2278, "statement": 3.047, "vector": 4.3852,
            "word_rank": 0.4453, **NAMED_WEIGHTS,
        }
    )  # fmt: skip
    """Of all views."""
    chance: Mapping[str, float] = field(
        default_factory=lambda: {
            "after": -0.3483, "always": -0.977, "before": 0.0177, "behind_best": 0.1999, "best": -0.2163,
            "is_best": 0.6877, "is_second": -0.0844, "left": -0.0589, "length": 0.2268, "log_rank": -0.3037,
            "media": 0.1051, "named_node": 1.7242, "named_page": -0.026, "named_section": 1.2894, "node": 0.7686,
            "nodes": 0.615, "page": -0.2556, "pairs": 0.244, "referred": 0.6314, "reranker": 0.0, "share_odds": 0.2133,
            "spread": -0.2775, "statement": 0.7736, "vector": -0.2633, "word_rank": 1.6377,
        }
    )  # fmt: skip
    """Of what the ranking tells, and ``always``: log odds that a page is needed."""
    read: Mapping[str, float] = field(default_factory=lambda: {"reranker": 0.9211, "share": 0.7565})
    """Of the log odds that ``index.reranker`` gives a page, and of the log of its share, among the pages it read."""
    read_chance: Mapping[str, float] = field(
        default_factory=lambda: {
            "after": -0.8994, "always": 0.0182, "before": -0.2967, "behind_best": 0.2415, "best": -0.31,
            "is_best": 0.7298, "is_second": 0.2984, "left": -0.026, "length": -0.0037, "log_rank": -0.0224,
            "media": -0.0524, "named_node": 1.9151, "named_page": 0.008, "named_section": 1.0858, "node":
            0.1433, "nodes": 0.4971, "page": -0.2928, "pairs": 0.1705, "referred": 0.5304, "reranker":
            0.3174, "share_odds": 0.3808, "spread": -0.3748, "statement": 0.7384, "vector": -0.2418,
            "word_rank": 1.5545,
        }
    )  # fmt: skip
    """As ``chance``, where a reranker read pages."""
