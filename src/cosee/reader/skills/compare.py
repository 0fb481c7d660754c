"""Comparing and combining looked-up numbers: the largest row or column, a difference, a sum, a growth rate."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

from cosee.reader.skills.cells import Cell, best_cell, cells
from cosee.reader.skills.question import Asked
from cosee.reader.skills.tables import Grid, Row, at_year
from cosee.text.content_words import label_terms, terms
from cosee.text.folding import fold
from cosee.text.stemming import stem

Operation = Literal["difference", "sum", "average", "ratio", "growth"]
LOW = re.compile(r"\b(?:least|lowest|smallest|fewest|shortest|lower|smaller|fewer|less|minimum|worst|slowest)\b")
HIGH = re.compile(
    r"\b(?:most|highest|largest|biggest|greatest|longest|higher|greater|larger|more|maximum|best|fastest|top)\b"
)
_RISE = re.compile(r"\b(?:increas|grew|grow|rose|rise|improv|gain|jump|climb)\w*")
_FALL = re.compile(r"\b(?:decreas|declin|fell|fall|drop|reduc|shrank|shrink|lost|lose)\w*")
_SUM_ROW = re.compile(r"(?:sub|grand )?total|average|mean\b|all\b|overall|sum\b|net\b", re.IGNORECASE)
_BASE_ROW = re.compile(r"(?:full|baseline|base|default|original|complete|standard|control)\b", re.IGNORECASE)
_CONDITION = re.compile(r"\b(?:if|when|without|left out|removed|removing|dropped|ablat\w+)\b")
_ORDINALS = {"second": 1, "third": 2, "fourth": 3, "fifth": 4, "2nd": 1, "3rd": 2}
MOST_NAMED = 6
"""Rows named by a question that are tried in pairs."""
_TIMES = frozenset(map(stem, ("year", "quarter", "month", "period", "date", "day", "week", "season")))


@dataclass(frozen=True)
class Outcome:
    """A computed or chosen value with the rows it rests on; ``score`` is 0..1."""

    value: float | None
    text: str
    quotes: tuple[str, ...]
    grid: Grid
    score: float


def operation(asked: Asked) -> Operation:
    """Which arithmetic a question asks for."""
    text = fold(asked.core)
    if re.search(
        r"\b(?:what|how many|which) percent\w*\b.*\b(?:increas|decreas|declin|chang|gr[eo]w|rise|rose|fall|fell|drop)|"
        r"\b(?:by what percent\w*|by how many per ?cent|percent(?:age)? (?:change|increase|decrease|growth)|"
        r"growth rate|year[- ]over[- ]year|yoy)\b|\bgrow\w* .*percent",
        text,
    ):
        return "growth"
    if re.search(r"\b(?:sum|combined|altogether|in all|together)\b", text):
        return "sum"
    if re.search(r"\b(?:average|mean) of\b", text):
        return "average"
    return "ratio" if re.search(r"\bratio of\b|\btimes (?:more|larger|greater|higher)\b", text) else "difference"


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


def superlative(asked: Asked, table: Grid, weights: Mapping[str, float]) -> Outcome | None:
    """``Which ... has the highest ...``: the label of the row, or the header of the column, with the extreme number.

    Where the question names a row, the extreme is looked for along it. ``largest increase from 2020 to 2021`` compares
    the differences of two columns. ``second`` and ``third`` count from the extreme.
    """
    text = fold(asked.core)
    low, high = LOW.search(text), HIGH.search(text)
    if len(table.rows) < 2 or not (low or high):
        return None
    return _extreme_row(asked, table, text, bool(low), weights) or _extreme_column(asked, table, bool(low), weights)


def _extreme_row(asked: Asked, table: Grid, text: str, low: bool, weights: Mapping[str, float]) -> Outcome | None:
    measured = _measured(asked, table, text)
    if measured is None:
        return None
    values, headers = measured
    kept = [(value, row) for value, row in values if row.name and not _SUM_ROW.match(row.label)]
    kept = [(value, row) for value, row in kept if not _is_sum(row, [other for _, other in kept if other is not row])]
    if len(asked.years) == 1:  # ``which quarter of 2024``
        kept = [pair for pair in kept if asked.years[0] in pair[1].label] or kept
    if len(kept) < 2 or (headers == "" and table.value_columns[1:]):
        return None
    ordered = sorted(kept, key=lambda pair: pair[0], reverse=not low)
    rank = next((place for word, place in _ORDINALS.items() if re.search(rf"\b{word}\b", text)), 0)
    if rank >= len(ordered):
        return None
    value, row = ordered[rank]
    about = " ".join([table.passage.title, table.passage.text[:120], *table.passage.path[-1:], headers, table.around])
    score = _share(asked, about, weights)
    if asked.terms and not {asked.terms[0]} & set(terms(about + " " + table.header(0))):
        score *= 0.75  # ``which segment`` of a table of quarters
    if ordered[rank][0] == ordered[(rank + 1) % len(ordered)][0]:
        score *= 0.7
    return Outcome(value, row.name, (row.quote,), table, round(score, 4))


def _is_sum(row: Row, others: Sequence[Row]) -> bool:
    """Whether a row adds up the others (``Group`` below its segments): in most of its columns, within 1 %."""
    if len(others) < 2 or not row.numbers:
        return False
    adding = 0
    for column, number in row.numbers:
        total = sum(dict(other.numbers)[column].value for other in others if column in dict(other.numbers))
        adding += abs(total - number.value) <= 0.01 * abs(number.value) and number.value != 0
    return adding > len(row.numbers) / 2


def _measured(asked: Asked, table: Grid, text: str) -> tuple[list[tuple[float, Row]], str] | None:
    """The number that the question compares in each row, and the header words that it stands under."""
    changes = _RISE.search(text) or _FALL.search(text)
    if changes and len(asked.years) >= 2:
        first, last = min(asked.years), max(asked.years)
        sign = -1.0 if _FALL.search(text) and not _RISE.search(text) else 1.0
        pairs = [_change(asked, row, table, first, last) for row in table.rows]
        values = [(sign * pair[0], row) for pair, row in zip(pairs, table.rows, strict=True) if pair]
        return (values, next(pair[1] for pair in pairs if pair)) if values else None
    column = wanted_column(asked, table)
    if column is None:
        return None
    values = [(number.value, row) for row in table.rows for at, number in row.numbers if at == column]
    return values, f"{table.header(column)} {' '.join(asked.years[:1])}"


def _change(asked: Asked, row: Row, table: Grid, first: str, last: str) -> tuple[float, str] | None:
    """The change between two years, in the columns whose other header words fit the question best."""
    years, numbers = dict(table.years), dict(row.numbers)
    wanted = set(asked.terms)

    def pick(year: str) -> int | None:
        columns = [column for column in numbers if years.get(column) == year]
        fit = {column: len(wanted & set(terms(table.header(column)))) for column in columns}
        return max(columns, key=lambda column: (fit[column], -column)) if columns else None

    before, after = pick(first), pick(last)
    if before is None or after is None:
        return None
    return numbers[after].value - numbers[before].value, f"{table.header(before)} {table.header(after)} increase change"


def wanted_column(asked: Asked, table: Grid) -> int | None:
    """The number column whose year and header share most with the question; the only one where there is one."""
    columns = table.value_columns
    years = dict(table.years)
    dated = [column for column in columns if years.get(column) in asked.years]
    if asked.years and table.years and not dated:
        return None
    columns = dated or columns
    if len(columns) == 1:
        return columns[0]
    wanted = set(asked.terms)
    fit = {column: len(wanted & set(terms(table.header(column)))) for column in columns}
    best = max(columns, key=lambda column: (fit[column], -column), default=None)
    if best is None or not fit[best] or sum(each == fit[best] for each in fit.values()) > 1 and not dated:
        return None
    return best


def _extreme_column(asked: Asked, table: Grid, low: bool, weights: Mapping[str, float]) -> Outcome | None:
    """``In which quarter was X highest``: along the row of X, the header above the extreme."""
    if not set(asked.terms) & _TIMES:
        return None
    found = best_cell(cells(asked, table, weights))
    if found is None or not found.precise or len(found.row.numbers) < 3:
        return None
    pick = min if low else max
    column, number = pick(found.row.numbers, key=lambda pair: pair[1].value)
    header = dict(table.years).get(column) or table.header(column)
    return Outcome(number.value, header, (found.quote,), table, found.score) if header else None


def _share(asked: Asked, text: str, weights: Mapping[str, float]) -> float:
    """Share of the question's words, those of comparing apart, that ``text`` holds."""
    told = [term for term in asked.terms if not (LOW.fullmatch(term) or HIGH.fullmatch(term)) and term != "amount"]
    held = set(terms(text)) | set(label_terms(text))
    total = fsum(weights.get(term, 1.0) for term in told)
    return fsum(weights.get(term, 1.0) for term in told if term in held) / total if total else 0.0


def arithmetic(asked: Asked, tables: Sequence[Grid], weights: Mapping[str, float]) -> list[Outcome]:
    """The operation over two cells, best first: one row in two years, two columns, or two rows of the question."""
    kind = operation(asked)
    outcomes = []
    for table in tables:
        found = [candidate for candidate in cells(asked, table, weights) if candidate.number]
        best = best_cell(found)
        pair = _pair(asked, best, found) if best else None
        if best is None or pair is None or (value := combine(kind, pair[0])) is None:
            continue
        if kind == "growth" and _FALL.search(fold(asked.core)):
            value = abs(value)
        outcomes.append(Outcome(value, "", pair[1], table, round(best.score * pair[2], 4)))
    return sorted(outcomes, key=lambda outcome: -outcome.score)


def combined(asked: Asked, found: Sequence[Cell]) -> Outcome | None:
    """``held by banks or funds``: the sum of two rows of one column whose whole labels the question joins."""
    text = fold(asked.core)
    if asked.kind not in ("percent", "money", "count", "number") or "respectively" in text:
        return None
    wanted = set(label_terms(text))
    named = [cell for cell in found if cell.number and set(label_terms(cell.row.name)) <= wanted][:MOST_NAMED]
    for first in named:
        for second in named:
            joined = rf"{_words_of(first.row.name)}\W+(?:and|or|and the|or the|plus)\W+{_words_of(second.row.name)}"
            same = first.grid is second.grid and first.column == second.column and first.row is not second.row
            if same and first.number and second.number and re.search(joined, text):
                value = first.number.value + second.number.value
                quotes = (first.row.quote, second.row.quote)
                return Outcome(value, "", quotes, first.grid, min(first.score, second.score))
    return None


def _words_of(label: str) -> str:
    """A pattern of a label's words; the first may be left out, as in ``foreign firms and (foreign) banks``."""
    first, *others = (re.escape(word) for word in re.findall(r"\w+", fold(label)))
    rest = r"\W+".join(others)
    return rf"(?:{first}\W+)?{rest}" if rest else first


def _pair(asked: Asked, best: Cell, found: Sequence[Cell]) -> tuple[list[float], tuple[str, ...], float] | None:
    """(the two values, their rows, how surely these are meant)."""
    row, table = best.row, best.grid
    years = sorted(asked.years, reverse=True)
    if len(years) == 1 and operation(asked) == "growth":
        years.append(str(int(years[0]) - 1))
    if len(years) >= 2:
        dated = [at_year(row, table, year) for year in years]
        if all(number is not None for number in dated):
            return [number.value for number in dated if number], (best.quote,), 1.0
    precise = sorted((other for other in found if other.precise), key=lambda other: -other.score)
    named = [other for other in precise if other.header == precise[0].header]
    first, second = (*named, None, None)[:2]
    if first and second and second.score >= 0.6 * first.score and not _nested(first.row.name, second.row.name):
        numbers = [one.number.value for one in (first, second) if one.number]
        return numbers, (first.quote, second.quote), 0.95
    if len(precise) == 1 and _CONDITION.search(fold(asked.core)):
        column = precise[0].column
        bases = [other for other in table.rows if _BASE_ROW.match(other.label) and column in dict(other.numbers)]
        if len(bases) == 1 and bases[0] is not precise[0].row and precise[0].number:
            base = dict(bases[0].numbers)[column].value
            return [precise[0].number.value, base], (precise[0].quote, bases[0].quote), 0.85
    columns = _named_columns(asked, row, table)
    if len(columns) == 2:
        values = dict(row.numbers)
        return [values[column].value for column in columns], (best.quote,), 0.95
    return None


def _nested(first: str, second: str) -> bool:
    one, other = set(label_terms(first)), set(label_terms(second))
    return one < other or other < one


def _named_columns(asked: Asked, row: Row, table: Grid) -> list[int]:
    """Columns of the row whose whole header stands in the question."""
    wanted = set(asked.terms) - set(terms(row.label))
    named = []
    for column, _ in row.numbers:
        header = set(terms(table.header(column)))
        if header and len(header & wanted) / len(header) >= 0.6:
            named.append(column)
    return named
