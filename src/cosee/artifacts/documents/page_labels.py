"""What a printed page label is cited by."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TWO_NUMBERS = re.compile(r"(\d{1,4})\s*[-\u2013]\s*(\d{1,4})")


def cited_as(labels: Iterable[str | None]) -> dict[str, list[str]]:
    """Each of a document's labels -> what names its page: the label itself and, of a spread, both of its numbers.

    ``4-5`` is a spread where in every label of two numbers the second follows the first; else it is page 5 of chapter
    4, which nobody cites as ``page 5``.
    """
    known = list(dict.fromkeys(label for label in labels if label))
    pairs = {label: match.groups() for label in known if (match := _TWO_NUMBERS.fullmatch(label.strip()))}
    are_spreads = all(int(second) == int(first) + 1 for first, second in pairs.values())
    return {label: [label.strip().casefold(), *(pairs.get(label, ()) if are_spreads else ())] for label in known}
