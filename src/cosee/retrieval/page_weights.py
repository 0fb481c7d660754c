"""The weights of the page views and of the chances, fitted by ``python -m benchmarks.tune_retrieval``.

This table is fitted on all documents of the fit. ``benchmarks/page_weights.json`` holds one for each of five folds of
documents (sha256 of the id modulo 5), fitted on the other four: figures are judged by those.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

FITTED = ("page", "media", "pairs", "vector", "statement")
"""The whole page's BM25F score; that of the best image or table on it over the best of all pages; the inverse page
frequencies of the question's word pairs that it has; the best cosine of a record on it, clipped to 0..1; whether it is
headed by the name of a financial statement behind the question (with ``finance`` alone)."""
NAMED = {"named_node": 4.0, "named_section": 2.0, "named_page": 20.0}
"""The figures and tables on the page that the question names; whether it is of a section, or is the page, that the
question names, which comes before everything else. Not fitted: few questions name a place."""
ALIKE = ("node", "nodes", "length", "word_rank")
"""The best hit's score over the best of all; log(1 + hits among the best 20); log(1 + paragraphs); 1 / rank by the
words of the question alone."""
LEADING = ("before", "after", "referred")
"""What other pages lead to, see ``PageLinks``; with ``second_pages`` alone."""
SPEAKING = (*FITTED, *NAMED)
"""A page that none of these views speaks for is not found."""
PARTS = (*FITTED, *ALIKE, *LEADING, *NAMED)
"""What each view added to a page's log odds, which its chance is told by too."""
CHANCE = ("share_odds", "behind_best", "log_rank", "is_best", "is_second", "left", "best", "spread", *PARTS)
"""Log odds of the page's share; log of the share over the best one; log of the rank; whether the rank is 1, is 2; log
of what the shares of the pages before leave; log of the best share; entropy of the shares; the page's parts."""


@dataclass(frozen=True)
class PageWeights:
    """What each view adds to the log odds that the answer is on a page."""

    first: Mapping[str, float] = field(
        default_factory=lambda: {
            "media": 1.465, "page": 0.2605, "pairs": 0.2736, "statement": 2.8058, "vector": 5.5439, **NAMED,
        }
    )  # fmt: skip
    """Of the views that read a page by itself; their shares tell which pages the others are led to from."""
    last: Mapping[str, float] = field(
        default_factory=lambda: {
            "after": 0.7347, "before": 1.0972, "length": -0.3273, "media": 0.9663, "node": 1.2664, "nodes": 0.6455,
            "page": 0.1153, "pairs": 0.241, "referred": 2.1933, "statement": 2.7825, "vector": 3.3997,
            "word_rank": 0.456, **NAMED,
        }
    )  # fmt: skip
    """Of all views."""
    chance: Mapping[str, float] = field(
        default_factory=lambda: {
            "after": -0.6698, "always": -1.2872, "before": -0.1113, "behind_best": 0.2077, "best": -0.1906,
            "is_best": 0.8478, "is_second": 0.3114, "left": -0.0739, "length": 0.437, "log_rank": -0.1901,
            "media": 0.1781, "named_node": 1.6686, "named_page": -0.0208, "named_section": 1.3249, "node": 0.3117,
            "nodes": 0.5628, "page": -0.2483, "pairs": 0.1758, "referred": 0.6532, "share_odds": 0.2216,
            "spread": -0.2533, "statement": 0.8296, "vector": -0.0544, "word_rank": 1.4909,
        }
    )  # fmt: skip
    """Of what the ranking tells, and ``always``: log odds that a page is needed."""
