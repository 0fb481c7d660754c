"""The columns of a table with the units of their values."""

from __future__ import annotations

from collections import Counter

from cosee.artifacts.documents.doctree import Node
from cosee.index.features import units_in
from cosee.index.thresholds import SHARED_UNIT
from cosee.index.view import column_names

CURRENCIES = frozenset("$€£¥")
SCALES = frozenset(("thousand", "million", "billion"))


def column_units(node: Node) -> list[tuple[str, str | None]]:
    """Each name of ``table_schema`` with the unit of its values, None where the table does not tell it.

    The column's own name tells it, else what all its values carry, else the name of the labels (``$ in millions``),
    else the caption. A currency and its scale are one unit: ``€ thousand``.
    """
    names = column_names(node.table) if node.table else []
    if node.table is None or not names:
        return []
    body = node.table.rows[node.table.header_rows :]
    shared = _unit_of(names[0]) or _unit_of(node.title or "")
    units: dict[str, str | None] = {}
    for index, name in enumerate(names):
        if name and name not in units:
            values = [units_in(row[index]) for row in body if row[index].strip()]
            units[name] = _unit_of(name) or _common(values) or (shared if index else None)
    return list(units.items())


def _unit_of(text: str) -> str | None:
    """The unit that a name tells."""
    found = units_in(text)
    amount = [unit for unit in found if unit in CURRENCIES][:1] + [unit for unit in found if unit in SCALES][:1]
    return " ".join(amount or found[:1]) or None


def _common(values: list[list[str]]) -> str | None:
    """The unit that most values of a column carry, where one does."""
    counts = Counter(unit for found in values for unit in found)
    unit, count = max(counts.items(), key=lambda pair: (pair[1], pair[0]), default=("", 0))
    return unit if count and count >= SHARED_UNIT * len(values) else None
