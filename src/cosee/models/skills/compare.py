"""Comparing and combining looked-up numbers: the largest row, a difference, a sum, a growth rate."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from cosee.models.skills.nodes import Passage
from cosee.models.skills.question import Asked
from cosee.models.skills.tables import Cell, Grid, Row, at_year, cells, grid
from cosee.models.skills.text import fold, terms

Operation = Literal["difference", "sum", "average", "ratio", "growth"]
_LOW = re.compile(r"\b(?:least|lowest|smallest|fewest|shortest|lower|smaller|fewer|less|minimum|worst|slowest)\b")
_HIGH = re.compile(
    r"\b(?:most|highest|largest|biggest|greatest|longest|higher|greater|larger|more|maximum|best|fastest|top)\b"
)


@dataclass(frozen=True)
class Outcome:
    """A computed or chosen value with the rows it rests on; ``score`` is 0..1."""

    value: float | None
    text: str
    quotes: tuple[str, ...]
    passage: Passage
    score: float


def operation(asked: Asked) -> Operation:
    """Which arithmetic a question asks for."""
    text = fold(asked.core)
    if re.search(
        r"\b(?:by what percent\w*|percent(?:age)? (?:change|increase|decrease|growth)|growth rate|"
        r"year[- ]over[- ]year|yoy)\b|\bgrow\w* .*percent",
        text,
    ):
        return "growth"
    if re.search(r"\b(?:sum|total|combined|altogether|in all|together)\b", text):
        return "sum"
    if re.search(r"\b(?:average|mean)\b", text):
        return "average"
    return "ratio" if re.search(r"\bratio\b|\btimes (?:more|larger|greater|higher)\b", text) else "difference"


def combine(kind: Operation, values: Sequence[float]) -> float | None:
    """The operation over the values; a difference is the absolute one; growth is from the second to the first, in %."""
    if len(values) < 2:
        return None
    first, second = values[0], values[1]
    if kind == "sum":
        return sum(values)
    if kind == "average":
        return sum(values) / len(values)
    if kind == "difference":
        return abs(first - second)
    if second == 0:
        return None
    return first / second if kind == "ratio" else 100 * (first - second) / abs(second)


def superlative(asked: Asked, passage: Passage) -> Outcome | None:
    """``Which ... has the highest ...``: the label of the row (or the header of the column) with the extreme number."""
    text = fold(asked.core)
    low, high = _LOW.search(text), _HIGH.search(text)
    if len(passage.rows) < 3 or not (low or high):
        return None
    table = grid(passage)
    column = _wanted_column(asked, table)
    if column is None:
        return None
    rows = [(number.value, row) for row in table.rows for at, number in row.numbers if at == column and row.label]
    rows = [
        (value, row) for value, row in rows if not re.match(r"(?:sub)?total|average|all\b|overall", row.label.lower())
    ]
    if len(rows) < 2:
        return None
    value, row = min(rows, key=lambda pair: pair[0]) if low else max(rows, key=lambda pair: pair[0])
    title = set(terms(" ".join([passage.title, passage.text[:200], *passage.path[-1:], *table.headers])))
    wanted = set(asked.terms)
    share = len(wanted & title) / len(wanted) if wanted else 0.0
    return Outcome(value, row.label, (" | ".join(cell for cell in row.cells if cell),), passage, round(share, 4))


def _wanted_column(asked: Asked, table: Grid) -> int | None:
    """The number column whose header shares most with the question; the only one where there is one."""
    columns = sorted({column for row in table.rows for column, _ in row.numbers})
    if len(columns) == 1:
        return columns[0]
    wanted, years = set(asked.terms), dict(table.years)
    scored = [
        (len(wanted & set(terms(table.headers[column]))) + (years.get(column) in asked.years), -column)
        for column in columns
        if column < len(table.headers)
    ]
    best = max(scored, default=(0, 0))
    return -best[1] if best[0] else None


def arithmetic(asked: Asked, passages: Sequence[Passage]) -> Outcome | None:
    """The operation over two cells: of one row in two years, of two columns, or of two rows that the question names."""
    found = [candidate for passage in passages for candidate in cells(asked, passage) if candidate.number]
    if not found:
        return None
    kind = operation(asked)
    best = max(found, key=lambda candidate: candidate.score)
    pair = _pair(asked, best, found)
    if pair is None:
        return None
    values, quotes = pair
    value = combine(kind, values)
    if value is None:
        return None
    return Outcome(value, "", quotes, best.grid.passage, round(best.score * 0.9, 4))


def _pair(asked: Asked, best: Cell, found: Sequence[Cell]) -> tuple[list[float], tuple[str, ...]] | None:
    row, table = best.row, best.grid
    if len(asked.years) >= 2:
        dated = [at_year(row, table, year) for year in sorted(asked.years, reverse=True)]
        if all(number is not None for number in dated):
            return [number.value for number in dated if number], (best.quote,)
    columns = _named_columns(asked, row, table)
    if len(columns) == 2:
        values = dict(row.numbers)
        return [values[column].value for column in columns], (best.quote,)
    others = [
        other
        for other in found
        if other.grid is table and other.row is not row and other.precise and other.header == best.header
    ]
    if best.precise and len(others) == 1 and best.number and others[0].number:
        return [best.number.value, others[0].number.value], (best.quote, others[0].quote)
    return None


def _named_columns(asked: Asked, row: Row, table: Grid) -> list[int]:
    """Columns of the row whose whole header stands in the question."""
    wanted = set(asked.terms) - set(terms(row.label))
    named = []
    for column, _ in row.numbers:
        header = set(terms(table.headers[column])) if column < len(table.headers) else set()
        if header and len(header & wanted) / len(header) >= 0.6:
            named.append(column)
    return named
