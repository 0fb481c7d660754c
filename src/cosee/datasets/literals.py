"""Lists that data sets and models write as Python literals, read without running anything."""

from __future__ import annotations

import ast
from typing import Any

from cosee.datasets.thresholds import LONGEST_LIST


def read_list(text: str) -> list[Any]:
    """The list that ``text`` writes as a Python literal.

    Raises:
        ValueError: not a literal list, too long or too deep. Nothing is ever executed.
    """
    if len(text) > LONGEST_LIST:
        raise ValueError(f"list of {len(text)} characters is too long")
    try:
        value = ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise ValueError(f"not a list: {type(error).__name__}") from error
    return list(value) if isinstance(value, list | tuple) else [value]
