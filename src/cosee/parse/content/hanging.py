"""Numbered paragraphs whose text hangs beside the number: clauses of contracts, requirements, long numbered titles."""

from __future__ import annotations

import re

from cosee.artifacts.documents.layout import Line

# General knowledge: how clauses are numbered.
_LABEL = re.compile(
    r"[(\[]?(?:(?:[A-Za-z]\.)?\d{1,3}(?:\.\d{1,3})*[.):\]]{0,2}|(?:[A-Za-z]|[ivxlcIVXLC]{1,5})[.):\]]{1,2})(?=\s)"
)
_COUNT = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,4})\.?\s")


def hanging_edge(line: Line) -> float | None:
    """Where the text of a line begins, before which its number stands; None where it has none.

    Exactly where the number is set well apart, else as far as the number's share of the characters tells.
    """
    first = line.spans[0]
    label = _LABEL.match(first.text.lstrip() + " ")
    if label is None:
        return None
    length = label.end() + len(first.text) - len(first.text.lstrip())
    if length < len(first.text.rstrip()):
        return first.bbox[0] + (length + 1) * (first.bbox[2] - first.bbox[0]) / len(first.text)
    return line.spans[1].bbox[0] if len(line.spans) > 1 else None


def counts_on(first: str, text: str) -> bool:
    """Whether two texts begin with numbers of several parts that follow each other: ``1.2.2`` and ``1.2.3``."""
    one, other = _COUNT.match(first), _COUNT.match(text)
    if one is None or other is None:
        return False
    values, later = one[1].split("."), other[1].split(".")
    return values[:-1] == later[:-1] and int(later[-1]) == int(values[-1]) + 1
