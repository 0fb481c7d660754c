"""Looking a value up in a table: the row that a question names, the column that it names, the cell where they meet."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from cosee.reader.skills.question import Asked
from cosee.reader.skills.tables import Grid, Row, at_year
from cosee.text.content_words import label_terms, terms, words
from cosee.text.folding import fold
from cosee.text.numbers import Number, cell_number
from cosee.text.stemming import stem

NUMERIC_KINDS = ("count", "number", "money", "percent", "difference", "formula", "compare")
_TIMED = ("phrase", "date", "year")
"""Kinds of question whose answer may be a calendar year."""
_COMPARING = ("difference", "yes_no", "compare", "list")
"""Kinds of question that may name several rows; the words of one then do not count against another."""
_WITHOUT = re.compile(r"^(?:without|w/o|no|minus|-)\s+", re.IGNORECASE)
_LEFT_OUT = re.compile(r"\b(?:left out|leaving out|without|removed|removing|dropped|disabled|ablat\w+)\b")
_NEUTRAL_WORDS = """
    million billion thousand euro euros dollar dollars usd exceed exceeds increase decrease difference differ change
    compare compared amount value percent percentage fall rise more less higher lower accurate better worse gap
    grow growth decline drop much many calculate left out leave removed dropped without
"""
NEUTRAL = frozenset(stem(word) for word in _NEUTRAL_WORDS.split())
"""Words that say what to do with numbers, not which."""
_ASIDE = re.compile(r"\s*(?:\([^)]*\)|,[^,]*|\[[^\]]*\]|[*†‡]+)$")
_BRACKETS = re.compile(r"\s*\([^)]*\)")
_SIGN_WORD = re.compile(r"^(?:less|plus|add)\b:?\s+", re.IGNORECASE)


@dataclass(frozen=True)
class Cell:
    """A looked-up cell. ``score`` is 0..1: how well the row's label and the column's header fit the question."""

    text: str
    row: Row
    column: int
    grid: Grid
    score: float
    precise: bool = False
    """Whether the question holds every word of the row's label, and names or leaves no choice of the column."""

    @property
    def number(self) -> Number | None:
        """The cell as a number."""
        return cell_number(self.text)

    @property
    def header(self) -> str:
        """The column's header."""
        return self.grid.header(self.column)

    @property
    def quote(self) -> str:
        """The row as a reader sees it."""
        return self.row.quote


def cells(asked: Asked, table: Grid, weights: Mapping[str, float] | None = None) -> list[Cell]:
    """The best cell of every row that the question names, in the order of the rows.

    A table whose columns have years gives nothing for a question about other years, and a row of another name or
    number than the question's is worth little: a near miss must not look like an answer. ``weights`` are the rarity of
    the question's words.
    """
    if len(table.rows) < 1:
        return []
    wanted = set(label_terms(asked.core))
    told = {term for term in asked.terms if term not in asked.years}
    rarity = _rarity(set(label_terms(row.label)) for row in table.rows)
    drawn = table.passage.text if table.passage.chart_rows else ""  # a chart's own heading is among its words
    about = set(label_terms(" ".join([table.passage.title, *table.passage.path[-1:], drawn])))
    around = set(terms(table.around))
    missing = bool(_LEFT_OUT.search(fold(asked.core)))
    named = [(row, name) for row in table.rows if (name := _named(row, wanted, told, rarity, missing))]
    several = asked.kind in _COMPARING
    rivals = {word for _, (precision, words_held) in named if precision == 1.0 for word in words_held}
    found = []
    for row, (precision, matched) in named:
        chosen = _column(asked, row, table, wanted - matched)
        if chosen is None:
            continue
        column, column_fit = chosen
        own = matched | set(label_terms(f"{row.label} {row.group} {table.header(column)}"))
        # A word that tells this table's rows apart counts where the row has it, not where the caption does.
        core = own | (about - set(rarity))
        asked_here = told - NEUTRAL - (rivals - matched if several else set())
        recall = _recall(asked_here, core, around - set(rarity), weights or {})
        held = core | around | set(asked.years)
        fit = precision * (0.3 + 0.3 * column_fit + 0.4 * recall) * _keys_held(asked, held, " ".join(row.cells))
        if asked.years and not table.years and not any(year in f"{table.around} {core}" for year in asked.years):
            fit *= 0.8
        precise = precision == 1.0 and recall >= 0.5 and column_fit >= 0.6
        found.append(Cell(row.cells[column], row, column, table, round(fit, 4), precise))
    return found


def _rarity(labels: Iterable[set[str]]) -> dict[str, float]:
    """How much a word tells rows (or columns) apart: high where few have it."""
    counts: Counter[str] = Counter()
    total = 0
    for label in labels:
        counts.update(label)
        total += 1
    return {word: math.log(1 + total / count) for word, count in counts.items()}


def _named(
    row: Row, wanted: set[str], told: set[str], rarity: Mapping[str, float], missing: bool
) -> tuple[float, set[str]] | None:
    """(share of the label that the question holds, the words it holds); the best of the label's readings.

    Where the question asks what happens if something is ``missing``, ``without X`` is the row of X.
    """
    whole = (row.label, row.name)
    readings = dict.fromkeys(
        (*whole, *(pattern.sub("", each) for pattern in (_ASIDE, _BRACKETS, _SIGN_WORD) for each in whole))
    )
    readings |= dict.fromkeys(_SIGN_WORD.sub("", _BRACKETS.sub("", each)) for each in whole)
    if missing:
        readings |= dict.fromkeys([_WITHOUT.sub("", row.label)])
    best: tuple[float, float, set[str]] | None = None
    for reading in readings:
        label = set(label_terms(reading))
        shared = label & wanted
        dated = label == shared and all(re.fullmatch(r"(?:19|20)\d\d", word) for word in label)
        if not label or not (shared & told or dated or label == {"total"} & wanted):
            continue
        total = fsum(rarity.get(word, 1.0) for word in label)
        held = fsum(rarity.get(word, 1.0) for word in shared)
        # A shorter reading of a label leaves words out, so that a whole label that fits wins over it.
        candidate = (held / total - (0.03 if reading != row.label else 0.0), held, shared)
        best = candidate if best is None or candidate[:2] > best[:2] else best
    if best is None or best[0] < 0.3:
        return None
    return (1.0 if best[0] >= 0.97 else best[0]), best[2]


def _recall(told: set[str], core: set[str], around: set[str], weights: Mapping[str, float]) -> float:
    total = fsum(weights.get(term, 1.0) for term in told)
    held = fsum(weights.get(term, 1.0) * (1.0 if term in core else 0.6 if term in around else 0.0) for term in told)
    return held / total if total else 0.0


def _keys_held(asked: Asked, held: set[str], row_text: str) -> float:
    """1.0 where names and numbers of the question stand in the row, its column or around the table; else less."""
    factor = 1.0
    in_row = set(words(fold(row_text)))
    for key in asked.keys:
        parts = terms(key)
        if parts and not all(part in held or part in in_row for part in parts):
            factor *= 0.6 if key[0].isdigit() else 0.85
    return max(factor, 0.35)


def _column(asked: Asked, row: Row, table: Grid, wanted: set[str]) -> tuple[int, float] | None:
    """(column of the row's value, 0..1 how surely): by year, then by header words, then the only or first one."""
    numeric = [column for column, number in row.numbers if not number.year or asked.kind in _TIMED]
    label_at = row.cells.index(row.name) if row.name else 0
    others = [column for column, text in enumerate(row.cells) if text and column > label_at]
    rarity = _rarity(set(label_terms(header)) for header in table.headers)
    dated = _dated_columns(asked, row, table)
    if dated is not None:
        if not dated:
            return None
        numeric = others = dated
    candidates = numeric if asked.kind in NUMERIC_KINDS else others
    if not candidates:
        return None

    def fit(column: int) -> tuple[float, float]:
        header = set(label_terms(table.header(column))) - set(asked.years)
        shared = header & wanted
        held = fsum(rarity.get(word, 1.0) for word in shared)
        return held, held / fsum(rarity.get(word, 1.0) for word in header) if header else 0.0

    candidates = _of_percent(asked, table, candidates)
    best = max(candidates, key=lambda column: (fit(column), column in numeric, -column))
    held, precision = fit(best)
    if dated and len(dated) == 1:
        return best, 1.0
    if held and sum(fit(column) == (held, precision) for column in candidates) == 1:
        return best, 0.55 + 0.45 * precision
    if asked.kind not in NUMERIC_KINDS and numeric and not held:
        best = numeric[0]
    if dated:
        return best, 0.7
    return best, 0.8 if len(candidates) == 1 else 0.3


def _of_percent(asked: Asked, table: Grid, candidates: list[int]) -> list[int]:
    """For a question about a percentage, the columns that hold some, by their header, their signs or their size."""
    if asked.kind != "percent":
        return candidates
    told = [
        column
        for column in candidates
        if re.search(r"%|per ?cent|\bshare\b|\brate\b", fold(table.header(column)))
        or any(number.percent for row in table.rows for at, number in row.numbers if at == column)
    ]
    small = [
        column
        for column in candidates
        if all(abs(number.value) <= 100 for row in table.rows for at, number in row.numbers if at == column)
    ]
    return told or small or candidates


def _dated_columns(asked: Asked, row: Row, table: Grid) -> list[int] | None:
    """Columns of the first year asked for that the table has; None where years do not choose a column."""
    if not asked.years or not table.years:
        return None
    columns = [column for column, _ in row.numbers]
    known = {year for _, year in table.years}
    for year in asked.years:
        if year not in known:
            continue
        same = [column for column, other in table.years if other == year and column in columns]
        if len(same) > 1:
            return same
        number = at_year(row, table, year)
        if number is not None:
            return [next(column for column, other in row.numbers if other is number)]
    spans = bool(re.search(r"\b(?:19|20)\d\d\b", f"{row.label} {row.group}"))
    return None if spans else []


def best_cell(found: Sequence[Cell]) -> Cell | None:
    """The cell that fits best; the first of equals."""
    return max(found, key=lambda candidate: candidate.score) if found else None
