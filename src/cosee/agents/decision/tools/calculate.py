"""Arithmetic on cells of tables, each named with where it stands."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from cosee.agents.decision import suggestions
from cosee.agents.decision.arithmetic import ArithmeticFault, compute, names_in
from cosee.agents.decision.results import Error, Result
from cosee.agents.decision.tool import Inputs, Output, Tool, tool
from cosee.agents.decision.tools.document import find_table
from cosee.agents.decision.tree_data import TreeData
from cosee.artifacts.documents.doctree import DocTree, Node
from cosee.text.content_words import label_terms
from cosee.text.numbers import cell_number, plain_number


class CellReference(Inputs):
    """Where a value stands."""

    table: str = Field(min_length=1, max_length=80, description="Node id of a table, or its label.")
    row: str = Field(min_length=1, max_length=200, description="The row's first cell, or its number from 1.")
    column: str = Field(min_length=1, max_length=200, description="The column's header, or its number from 1.")


class CalculateInputs(Inputs):
    """What to compute, and where the values stand."""

    expression: str = Field(min_length=1, max_length=300, description="Numbers, names of cells, + - * / and brackets.")
    cells: dict[str, CellReference] = Field(default_factory=dict, description="Name in the expression -> its cell.")


@dataclass(frozen=True)
class _Cell:
    node: Node
    row: str
    column: str
    text: str
    value: float


class _NoCell(ValueError):
    """A reference that leads to no number; the message says why."""


@tool(
    "calculate",
    order=70,
    description="Compute with values of table cells: give each cell a name, then an expression of these names.",
    status="Calculating...",
    inputs=CalculateInputs,
)
class Calculate(Tool):
    """A value computed from cells that stand in the document."""

    async def __call__(self, tree_data: TreeData, inputs: dict[str, Any]) -> AsyncIterator[Output]:
        """The value with the cells that it comes from; or a recoverable error that says what cannot be computed."""
        tree, expression = self.services.context.tree, str(inputs["expression"])
        try:
            unnamed = [name for name in names_in(expression) if name not in inputs["cells"]]
            if unnamed:
                named = suggestions.quoted(list(inputs["cells"]))
                raise ArithmeticFault(f"{unnamed[0]!r} names no cell; cells are given for {named}")
            cells = {name: _look_up(tree, CellReference.model_validate(at)) for name, at in inputs["cells"].items()}
            value = compute(expression, {name: cell.value for name, cell in cells.items()})
        except (ArithmeticFault, _NoCell) as fault:
            yield Error(f"Cannot compute {expression!r}: {fault}", suggestion="read_table shows rows and columns")
            return
        shown = plain_number(value)
        used = [
            {"name": name, "node_id": cell.node.id, "page": cell.node.page_idx + 1, "row": cell.row,
             "column": cell.column, "text": cell.text, "value": cell.value}
            for name, cell in cells.items()
        ]  # fmt: skip
        where = "; ".join(
            f"{name} = {cell.text} ({cell.row}, {cell.column}; page {cell.node.page_idx + 1})"
            for name, cell in cells.items()
        )
        pages = [each["page"] for each in used]
        yield Result(
            [
                {
                    "page_number": pages[0] if pages else 1,
                    "value": value,
                    "expression": expression,
                    "cells": used,
                    "text": f"{expression} = {shown}" + (f", where {where}" if where else ""),
                }
            ],
            {"expression": expression, "value": shown},
            "calculations",
            "calculation",
            "{expression} = {value}.",
        )


def _look_up(tree: DocTree, at: CellReference) -> _Cell:
    node = find_table(tree, at.table)
    if node is None or node.table is None:
        raise _NoCell(f"there is no table {at.table!r}. {suggestions.tables(tree)}")
    rows, header = node.table.rows, node.table.header_rows
    names = [" ".join(dict.fromkeys(row[place] for row in rows[:header])) for place in range(len(rows[0]))]
    column = _place(at.column, names, f"column of {node.id}")
    row = header + _place(at.row, [each[0] for each in rows[header:]], f"row of {node.id}")
    number = cell_number(rows[row][column])
    if number is None:
        raise _NoCell(f"the cell {rows[row][column]!r} in row {rows[row][0]!r} of {node.id} is no number")
    return _Cell(node, rows[row][0], names[column], rows[row][column], number.value)


def _place(wanted: str, names: list[str], what: str) -> int:
    """The one name that is meant: the same words, else all of the words wanted, else a number from 1."""
    terms = label_terms(wanted)
    same = [place for place, name in enumerate(names) if label_terms(name) == terms]
    holding = [place for place, name in enumerate(names) if terms and set(terms) <= set(label_terms(name))]
    for found in (same, holding):
        if len(found) == 1:
            return found[0]
        if found:
            raise _NoCell(f"{wanted!r} is more than one {what}: give its number from 1")
    if re.fullmatch(r"\d{1,4}", wanted) and 1 <= int(wanted) <= len(names):
        return int(wanted) - 1
    raise _NoCell(f"{wanted!r} is no {what}; there are {suggestions.quoted(names)}")
