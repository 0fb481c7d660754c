"""Rows of a table that meet a condition: counted or listed by a cell's value, a bound, two columns, or a mark."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from cosee.reader.skills.compare import LOW
from cosee.reader.skills.question import Asked
from cosee.reader.skills.tables import Grid, Row
from cosee.text.content_words import label_terms, terms
from cosee.text.folding import fold
from cosee.text.numbers import cell_number, numbers

_SUM_ROW = re.compile(r"(?:sub|grand )?total\b|average\b|overall\b", re.IGNORECASE)
_NOTE = re.compile(r"\s*(?:\([^)]*\)|\[[^\]]*\]|[*†‡]+)$")
_BLANK = re.compile(r"|[-–—]|n/?a|none|no", re.IGNORECASE)
_BOUND = re.compile(
    r"\b(?:(?P<above>more than|greater than|higher than|larger than|over|above|exceed\w*|at least)|"
    r"(?P<below>less than|fewer than|lower than|smaller than|under|below|at most))\s+[$€£]?(?P<value>\d[\d,.]*)"
)
_AGAINST = re.compile(r"\b(?:more|less|fewer|higher|lower|greater|smaller|larger|above|below|over|under|exceed\w*)\b")


@dataclass(frozen=True)
class RowSet:
    """The rows that meet the question's condition. ``score`` is 0..1: how much of the question the table carries."""

    rows: tuple[Row, ...]
    grid: Grid
    score: float

    @property
    def names(self) -> tuple[str, ...]:
        """First cells, without notes in brackets."""
        return tuple(_NOTE.sub("", row.name) or row.name for row in self.rows)


def selected_rows(asked: Asked, table: Grid, weights: Mapping[str, float]) -> RowSet | None:
    """The rows that the question is about, or None where the table has no condition of the question."""
    body = [row for row in table.rows if row.name and not _SUM_ROW.match(row.label) and len(row.cells) > 1]
    if len(body) < 2:
        return None
    text = fold(asked.core)
    for condition in (_by_bound, _by_columns, _by_value, _by_mark):
        chosen = condition(asked, table, body, text)
        if chosen is None:
            continue
        rows, words = chosen
        about = " ".join([table.passage.title, *table.passage.path[-1:], *table.headers, table.around, words])
        held = set(terms(about)) | set(label_terms(about))
        told = [term for term in asked.terms if not _AGAINST.fullmatch(term)]
        total = fsum(weights.get(term, 1.0) for term in told) or 1.0
        score = fsum(weights.get(term, 1.0) for term in told if term in held) / total
        return RowSet(tuple(rows), table, round(score, 4))
    return None


_Chosen = tuple[list[Row], str]
"""Rows, and the words of the table that the condition rests on."""


def _with_value(body: Sequence[Row], column: int, value: str) -> list[Row]:
    return [row for row in body if fold(row.cells[column]) == value]


def _by_value(asked: Asked, table: Grid, body: Sequence[Row], text: str) -> _Chosen | None:
    """``in energy class D``: a short value of a column whose header the question names, next to that header."""
    for column in range(1, len(table.headers)):
        header = terms(table.header(column))
        if not header or not set(header) <= set(asked.terms):
            continue
        values = {fold(row.cells[column]) for row in body if row.cells[column]}
        if len(values) < 2 or len(values) > 0.8 * len(body):
            continue
        words = rf"{re.escape(fold(table.header(column)))}"
        for value in sorted(values, key=lambda each: -len(each)):
            near = rf"\b{words}\W+(?:of |is |as |in )?{re.escape(value)}(?!\w)|(?<!\w){re.escape(value)}\W+{words}\b"
            if len(value) <= 30 and re.search(near, text):
                return _with_value(body, column, value), f"{table.header(column)} {value}"
    return _by_word(asked, table, body, text)


def _by_word(asked: Asked, table: Grid, body: Sequence[Row], text: str) -> _Chosen | None:
    """``terminals in Sweden``: a value that several rows share and the question holds."""
    for column in range(1, len(table.headers)):
        values = [fold(row.cells[column]) for row in body if row.cells[column]]
        for value in sorted(set(values)):
            shared = values.count(value) > 1 and len(value) > 2 and cell_number(value) is None
            if shared and len(set(values)) > 1 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text):
                return _with_value(body, column, value), f"{table.header(column)} {value}"
    return None


def _by_bound(asked: Asked, table: Grid, body: Sequence[Row], text: str) -> _Chosen | None:
    """``more than 30``: a bound on the column that the question names, or on the only one."""
    match = _BOUND.search(text)
    found = numbers(match["value"]) if match else []
    if not match or not found:
        return None
    columns = [column for column in table.value_columns if column > 0]
    fit = {column: len(set(asked.terms) & set(terms(table.header(column)))) for column in columns}
    dated = [column for column, year in table.years if year in asked.years and column in columns]
    columns = dated or [column for column in columns if fit[column] == max(fit.values()) and fit[column]] or columns
    if len(columns) != 1:
        return None
    column, bound = columns[0], found[0].value
    inclusive = "at " in match.group()

    def holds(row: Row) -> bool:
        number = dict(row.numbers).get(column)
        if number is None:
            return False
        return (number.value > bound) == bool(match["above"]) if number.value != bound else inclusive

    return [row for row in body if holds(row)], f"{table.header(column)} {match.group()}"


def _by_columns(asked: Asked, table: Grid, body: Sequence[Row], text: str) -> _Chosen | None:
    """``expected to cost less than approved``: one column against another, both named by the question."""
    sign = _AGAINST.search(text)
    if not sign:
        return None
    named = []
    for column in table.value_columns:
        header = terms(table.header(column))
        places = [text.find(word) for word in fold(table.header(column)).split() if len(word) > 2]
        if header and set(header) <= set(asked.terms) and places and min(places) >= 0:
            named.append((min(places), column))
    if len(named) != 2:
        return None
    (_, first), (_, second) = sorted(named)
    lower = bool(LOW.fullmatch(sign.group()) or sign.group() in ("below", "under"))

    def holds(row: Row) -> bool:
        values = dict(row.numbers)
        if first not in values or second not in values:
            return False
        one, other = values[first].value, values[second].value
        return one < other if lower else one > other

    return [row for row in body if holds(row)], f"{table.header(first)} {table.header(second)} cost"


def _by_mark(asked: Asked, table: Grid, body: Sequence[Row], text: str) -> _Chosen | None:
    """``members of the audit committee``: rows with an entry in a column, named by the question, that has gaps."""
    if re.search(r"^(?:what|how much)\b", text):
        return None
    for column in range(1, len(table.headers)):
        header = terms(table.header(column))
        marked = [not _BLANK.fullmatch(row.cells[column].strip()) for row in body]
        if len(header) >= 1 and set(header) <= set(asked.terms) and any(marked) and marked.count(False) >= 2:
            return [row for row, entry in zip(body, marked, strict=True) if entry], table.header(column)
    return None
