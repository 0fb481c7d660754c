"""Names of months, for regular expressions that look for dates."""

from __future__ import annotations

# General knowledge: the months of the year.
MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
)  # fmt: skip
SHORT_MONTHS = tuple(month[:3] for month in MONTHS)
MONTH = rf"(?:{'|'.join((*MONTHS, 'sept', *SHORT_MONTHS))})"
"""A month in full or shortened, lower case."""
