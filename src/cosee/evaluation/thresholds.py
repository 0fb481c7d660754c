"""The numbers that decide what counts as right, and how exact an interval is."""

from __future__ import annotations

RIGHT_SCORE = 0.5
"""Score from which an answer counts as right, for an answer against its gold and for two answers of one question: below
it published scorers give nothing, above it fractions for near misses."""
RESAMPLED_AT_ONCE = 2_000_000
"""Drawn documents of the bootstrap that are held at a time: 16 MB for each array of them."""
INTERVAL_PERCENTILES = (2.5, 97.5)
"""Ends of an interval among the resampled means: the 95 % that every report names."""
PAGES_NAMED = 12
"""Pages that the sentence of a verdict names; whole-document questions have dozens."""
ANSWER_CHARACTERS = 80
"""Characters of another answer that the sentence of a verdict quotes."""
