"""Yes or no, from the sentence that fits a question best, or from two numbers of a table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from cosee.reader.skills.cells import Cell, best_cell, cells
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.reader.skills.rank import coverage
from cosee.reader.skills.span import Span, best_sentences
from cosee.reader.skills.tables import Grid, at_year
from cosee.text.content_words import terms
from cosee.text.folding import fold
from cosee.text.numbers import numbers

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|neither|nor|cannot|can't|don't|doesn't|isn't|aren't|without|unable|prohibited|except|excluded|nothing|false|avoid)\b"
)
_UP = re.compile(r"\b(?:increas|gr[oe]w|rise|rose|higher|greater|more|larger|exceed|above|improv|outperform|gain)\w*")
_DOWN = re.compile(r"\b(?:decreas|declin|fall|fell|drop|lower|less|smaller|fewer|below|reduc|worse|lose|lost)\w*")
_BETTER = re.compile(r"\b(?:more (?:accurate|precise|efficient|reliable|exact)|better|outperform\w*)\b")
_LESS_IS_BETTER = re.compile(r"\b(?:errors?|loss|losses|rmse|mae|perplexity|cost|costs|latency|delay|deviation|wer)\b")
_NEGATIVE_QUESTION = re.compile(r"^\w+\s+(?:\w+\s+){0,4}not\b")


def yes_no(
    asked: Asked, passages: Sequence[Passage], tables: Sequence[Grid], weights: dict[str, float]
) -> tuple[bool, Span, float] | None:
    """(answer, the evidence, 0..1 how well it fits), or None where no sentence shares a word with the question.

    A comparison over two years or columns is settled by the table's numbers; otherwise the best sentence says yes
    unless it negates, or moves the other way than the question, or holds another number than the question gives.
    """
    text = fold(asked.core)
    upward, downward = bool(_UP.search(text)), bool(_DOWN.search(text))
    if (settled := _by_two_rows(asked, tables, text, weights)) is not None:
        return settled
    if upward != downward:
        settled = _by_numbers(asked, tables, upward, weights)
        if settled is not None:
            return settled
    if upward != downward:
        still = tuple(term for term in asked.terms if not (_UP.fullmatch(term) or _DOWN.fullmatch(term)))
        asked = replace(asked, terms=still or asked.terms)
    found = best_sentences(asked, passages, weights, 3)
    if not found:
        return None
    best = found[0]
    sentence = fold(best.sentence)
    negated = bool(_NEGATION.search(sentence)) != bool(_NEGATIVE_QUESTION.search(text))
    opposite = (upward and not downward and bool(_DOWN.search(sentence)) and not _UP.search(sentence)) or (
        downward and not upward and bool(_UP.search(sentence)) and not _DOWN.search(sentence)
    )
    given = {number.value for number in numbers(asked.core) if not number.year}
    held = {number.value for number in numbers(best.sentence)}
    contradicted = bool(given) and bool(held) and not given & held
    return not (negated or opposite or contradicted), best, coverage(asked, best.sentence, weights)


def _by_two_rows(
    asked: Asked, tables: Sequence[Grid], text: str, weights: dict[str, float]
) -> tuple[bool, Span, float] | None:
    """``Is A more accurate than B``: two rows of one column; less is better where the table holds errors or costs."""
    subject, than, other = text.partition(" than ")
    better = _BETTER.search(subject)
    if not than or not (better or _UP.search(subject) or _DOWN.search(subject)):
        return None
    plain = tuple(term for term in asked.terms if not (_UP.fullmatch(term) or _DOWN.fullmatch(term)))
    numeric = replace(asked, kind="difference", terms=plain or asked.terms)
    for table in tables:
        found = [candidate for candidate in cells(numeric, table, weights) if candidate.precise and candidate.number]
        first = [one for one in found if set(terms(one.row.name)) <= set(terms(subject))]
        second = [one for one in found if set(terms(one.row.name)) <= set(terms(other))]
        if len(first) != 1 or len(second) != 1 or first[0].row is second[0].row or first[0].column != second[0].column:
            continue
        one, two = first[0].number, second[0].number
        if one is None or two is None:
            continue
        about = fold(f"{table.passage.title} {first[0].header} {' '.join(table.passage.path[-1:])}")
        lower = bool(_LESS_IS_BETTER.search(about)) if better else bool(_DOWN.search(subject))
        verdict = one.value < two.value if lower else one.value > two.value
        score = min(first[0].score, second[0].score)
        quote = first[0].quote
        return verdict, Span(quote, quote, table.passage, score), score
    return None


def _by_numbers(
    asked: Asked, tables: Sequence[Grid], upward: bool, weights: dict[str, float]
) -> tuple[bool, Span, float] | None:
    numeric = replace(asked, kind="number")
    found = [candidate for table in tables for candidate in cells(numeric, table, weights) if candidate.number]
    if not found:
        return None
    best = max(found, key=lambda candidate: candidate.score)
    values = _two_values(asked, best)
    if values is None or best.score < 0.45:
        return None
    first, second = values
    verdict = first > second if upward else first < second
    return verdict, Span(best.quote, best.quote, best.grid.passage, best.score), best.score


def _two_values(asked: Asked, best: Cell) -> tuple[float, float] | None:
    """The values of the later and the earlier year that the question names (or of the year and the one before)."""
    if len(asked.years) == 2:
        first, second = (at_year(best.row, best.grid, year) for year in sorted(asked.years, reverse=True))
    elif len(asked.years) == 1:
        first = at_year(best.row, best.grid, asked.years[0])
        second = at_year(best.row, best.grid, str(int(asked.years[0]) - 1))
    else:
        return None
    return (first.value, second.value) if first and second else None


_SIGNS = {"gain": 1, "loss": -1, "positive": 1, "negative": -1, "profit": 1, "income": 1}
_MOVES = {
    "increase": 1,
    "decrease": -1,
    "increased": 1,
    "decreased": -1,
    "rise": 1,
    "fall": -1,
    "higher": 1,
    "lower": -1,
}


def settle(
    asked: Asked, options: tuple[str, str], tables: Sequence[Grid], weights: dict[str, float]
) -> tuple[str, Cell] | None:
    """``a gain or loss``, ``an increase or decrease``: by the sign of a cell, or by the cells of two years."""
    plain = [option.lower() for option in options]
    numeric = replace(asked, kind="number")
    found = [candidate for table in tables for candidate in cells(numeric, table, weights) if candidate.number]
    best = best_cell(found)
    if best is None or best.number is None or best.score < 0.4:
        return None
    if all(option in _MOVES for option in plain):
        values = _two_values(asked, best)
        sign = 0.0 if values is None else values[0] - values[1]
        meaning = _MOVES
    elif all(option in _SIGNS for option in plain):
        sign, meaning = best.number.value, _SIGNS
    else:
        return None
    matching = [option for option, word in zip(options, plain, strict=True) if meaning[word] * sign > 0]
    return (matching[0], best) if len(matching) == 1 else None
