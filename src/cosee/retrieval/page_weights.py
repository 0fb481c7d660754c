"""The weights of the page views and of the chances, fitted by ``python -m benchmarks.tune_retrieval``.

This table is fitted on all documents of the fit. ``benchmarks/page_weights.json`` holds one for each of five folds of
documents (sha256 of the id modulo 5), fitted on the other four: figures are judged by those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FITTED = ("page", "media", "pairs", "vector", "statement")
"""The whole page's BM25F score; the best of an image or table on it; the inverse page frequencies of the question's
word pairs that it has; the best cosine of a record on it, clipped to 0..1; whether it is headed by the name of a
financial statement behind the question (with ``finance`` alone)."""
NAMED = {"named_node": 4.0, "named_section": 2.0, "named_page": 20.0}
"""The figures and tables on the page that the question names; whether it is of a section, or is the page, that the
question names, which comes before everything else. Not fitted: few questions name a place."""
ALIKE = ("node", "nodes", "length", "media_share", "word_rank")
"""The best hit's score over the best of all; log(1 + hits among the best 20); log(1 + paragraphs); ``media`` over the
best of all pages; 1 / rank by the words of the question alone."""
LEADING = ("before", "after", "referred")
"""What other pages lead to, see ``PageLinks``; with ``second_pages`` alone."""
SPEAKING = (*FITTED, *NAMED)
"""A page that none of these views speaks for is not found."""
CHANCE = ("share_odds", "behind_best", "log_rank", "is_best", "is_second", "left", "best", "spread")
"""Log odds of the page's share; log of the share over the best one; log of the rank; whether the rank is 1, is 2; log
of what the shares of the pages before leave; log of the best share; entropy of the shares."""


@dataclass(frozen=True)
class PageWeights:
    """What each view adds to the log odds that the answer is on a page."""

    first: Mapping[str, float] = field(
        default_factory=lambda: {
            "page": 0.2648, "media": 0.1072, "pairs": 0.268, "vector": 5.5464, "statement": 2.7245, **NAMED,
        }
    )  # fmt: skip
    """Of the views that read a page by itself; their shares tell which pages the others are led to from."""
    last: Mapping[str, float] = field(
        default_factory=lambda: {
            "page": 0.1149, "media": 0.001, "pairs": 0.2418, "vector": 3.3422, "statement": 2.7633, "node": 1.2902,
            "nodes": 0.6451, "length": -0.3537, "media_share": 0.9058, "word_rank": 0.4491, "before": 0.8809,
            "after": 0.6874, "referred": 2.5659, **NAMED,
        }
    )  # fmt: skip
    """Of all views."""
    chance: Mapping[str, float] = field(
        default_factory=lambda: {
            "always": 0.0285, "share_odds": 0.2804, "behind_best": 0.2565, "log_rank": -0.3982, "is_best": 1.0024,
            "is_second": 0.3505, "left": -0.0562, "best": -0.0973, "spread": -0.3176,
        }
    )  # fmt: skip
    """Of what the shares tell, and ``always``: log odds that a page is needed."""
