"""The embedded reader's answer to a question over passages: pick skills by the question, weigh what they find, abstain.

Confidence is 0..1: how much of the question (weighted by rarity) the quoted evidence holds, times how reliable the
skill has proven on held questions (``RELIABILITY``). Below ``ABSTAIN_BELOW`` the reader says ``Not answerable``; so it
does where a name, year or number that the question turns on stands nowhere in the evidence, and for what only eyes
can tell (colours, what a picture shows).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from cosee.artifacts.questions import NOT_ANSWERABLE
from cosee.models.skills.compare import arithmetic, operation, superlative
from cosee.models.skills.count import count
from cosee.models.skills.expressions import asks_change, expression
from cosee.models.skills.formulas import MissingItem, Statements, named_formula
from cosee.models.skills.listing import is_new, list_items
from cosee.models.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.models.skills.question import Asked, analyse
from cosee.models.skills.rank import coverage, idf, rank
from cosee.models.skills.span import Span, best_sentences, kind_of_span, labelled_value, predicate, span, stands_for
from cosee.models.skills.tables import Cell, cells
from cosee.models.skills.text import fold, plain_number, terms, without_grouping
from cosee.models.skills.yes_no import yes_no

ABSTAIN_BELOW = 0.2
RELIABILITY = {
    "formula": 0.85, "stands_for": 0.95, "count": 0.6, "cell": 0.8, "arithmetic": 0.7, "superlative": 0.6,
    "yes_no": 0.6, "span": 0.75, "label": 0.8, "list": 0.55, "sentence": 0.6,
}  # fmt: skip
_VISUAL = re.compile(
    r"\bcolou?rs?\b|\b(?:in|on) the (?:photo|picture|image|logo|cover|icon)s?\b|\bwearing\b|\bholding\b|\bsitting\b|\bstanding\b|\blogos?\b|\bshape of\b|"
    r"\bhow many (?:people|persons|men|women|children|dogs|cats|animals|icons|faces|arrows|lines|dots|boxes|rectangles|circles)\b.*\b(?:figure|photo|picture|image|page|slide|cover|photograph|diagram)\b"
)
_RANKED = 40


def read(question: str, passages: Sequence[Passage]) -> ReadingAnswer:
    """Answer ``question`` from ``passages`` alone; deterministic, and never raises for their content."""
    asked = analyse(question)
    usable = [passage for passage in passages if passage.content.strip() or passage.rows or passage.type == "image"]
    ranked = [passage for passage, score in rank(asked, usable)[:_RANKED] if score > 0]
    weights = idf(asked.terms, [Counter(terms(" ".join((passage.content, *passage.path)))) for passage in usable])
    found = _find(asked, usable, ranked, weights)
    if found is None:
        return abstention(asked, ranked)
    if found.confidence < ABSTAIN_BELOW or missing_key(asked, usable):
        return abstention(asked, ranked, found)
    return found


def abstention(asked: Asked, ranked: Sequence[Passage], found: ReadingAnswer | None = None) -> ReadingAnswer:
    """``Not answerable``, with the nearest evidence as quotes. Its confidence is that of the abstention."""
    quotes = tuple(Quote(passage.node_id, passage.page, passage.content[:200]) for passage in ranked[:1])
    doubt = 0.6 if found is None else max(0.3, 0.6 - found.confidence)
    return ReadingAnswer(
        NOT_ANSWERABLE,
        "The evidence does not carry an answer to this question.",
        round(doubt, 3),
        True,
        quotes,
        "abstain",
    )


def missing_key(asked: Asked, passages: Sequence[Passage]) -> bool:
    """Whether a year, label or quoted phrase that the question turns on stands nowhere in the evidence."""
    text = fold(" ".join(" ".join((passage.content, passage.label, *passage.path)) for passage in passages))
    held = set(terms(text))
    years = [year for year in asked.years if year not in text and year[2:] not in held]
    if asked.years and len(years) == len(asked.years):
        return True
    return any(coverage(analyse(phrase), text) < 0.5 for phrase in asked.quoted if len(phrase.split()) > 1)


def _find(
    asked: Asked, passages: Sequence[Passage], ranked: Sequence[Passage], weights: dict[str, float]
) -> ReadingAnswer | None:
    if _VISUAL.search(fold(asked.core)):
        return None
    if asked.kind == "stands_for" and (expansion := stands_for(asked, passages)):
        return _from_span(asked, expansion, "stands_for", 1.0)
    if asked.structure:
        counted = count(asked, passages)
        return _counted(asked, counted) if counted is not None else None
    if (formula := _formula(asked, passages)) is not None:
        return formula
    if asked.kind == "yes_no":
        return _yes_no(asked, ranked, weights)
    candidates = [
        *_by_tables(asked, ranked, weights),
        *_by_lists(asked, ranked, weights),
        *_by_text(asked, ranked, weights),
    ]
    return max(candidates, key=lambda candidate: candidate.confidence) if candidates else None


def _counted(asked: Asked, counted: Sequence[Passage]) -> ReadingAnswer | None:
    if not counted:
        return None
    quotes = tuple(
        Quote(passage.node_id, passage.page, (passage.label or passage.title or passage.text)[:120])
        for passage in counted
    )
    text = str(len(counted))
    named = ", ".join(quote.text for quote in quotes if quote.text)[:400]
    return ReadingAnswer(text, f"{text}: {named}" if named else text, RELIABILITY["count"], False, quotes, "count")


def _formula(asked: Asked, passages: Sequence[Passage]) -> ReadingAnswer | None:
    """A named ratio, or arithmetic over line items that the question names, for one year, a change, or a mean of years."""
    if not asked.years or asked.kind in ("yes_no", "list", "explain") or asked.listing:
        return None
    formula, wanted = named_formula(asked.core), expression(asked.core)
    if wanted is not None and wanted.operator:
        name, compute, percent, ratio = "computed", wanted.value, False, wanted.operator == "/"
    elif formula is not None:
        name, compute, percent, ratio = formula.name, formula.compute, formula.percent, True
    elif wanted is not None and re.match(r"(?:what|how much|what's)\b|\bby drawing", fold(asked.core)) and asked.kind != "compare":
        name, compute, percent, ratio = wanted.first.replace("_", " "), wanted.value, False, False
    else:
        return None
    statements = Statements(passages)
    years = sorted(asked.years)
    try:
        if len(years) >= 2 and "average" in fold(asked.core):
            span_of_years = [str(year) for year in range(int(years[0]), int(years[-1]) + 1)]
            value = sum(compute(statements, year) for year in span_of_years) / len(span_of_years)
        elif len(years) == 2 and asks_change(asked.core):
            earlier, later = compute(statements, years[0]), compute(statements, years[1])
            growth = not ratio and asked.percent_wanted
            value = 100 * (later - earlier) / abs(earlier) if growth else later - earlier
            if growth:
                return _computed(asked, name, value, True, statements)
        elif len(years) > 1:
            return None
        else:
            value = compute(statements, years[-1])
    except (MissingItem, ZeroDivisionError):
        return None
    if not ratio and asked.scale_wanted and statements.scale > 1:
        value = value * statements.scale / asked.scale_wanted
    in_percent = ratio and (asked.percent_wanted or (percent and asked.digits is None))
    return _computed(asked, name, 100 * value if in_percent else value, in_percent, statements)


def _computed(asked: Asked, name: str, value: float, percent: bool, statements: Statements) -> ReadingAnswer:
    whole = value == int(value) and asked.digits is None
    digits = asked.digits if asked.digits is not None else None if whole else 1 if percent else 2
    text = plain_number(value, digits) + ("%" if percent else "")
    quotes = tuple(dict.fromkeys(statements.used))
    return ReadingAnswer(text, f"{name}: {text}", RELIABILITY["formula"], False, quotes, "formula")


def _yes_no(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> ReadingAnswer | None:
    verdict = yes_no(asked, ranked, weights)
    if verdict is None:
        return None
    holds, evidence, fit = verdict
    answer = "Yes" if holds else "No"
    quote = Quote(evidence.passage.node_id, evidence.passage.page, evidence.sentence)
    return ReadingAnswer(
        answer, f"{answer}. {evidence.sentence}", round(RELIABILITY["yes_no"] * fit, 3), False, (quote,), "yes_no"
    )


def _by_tables(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    found: list[ReadingAnswer] = []
    tables = [passage for passage in ranked if passage.rows]
    if asked.kind == "difference" and (outcome := arithmetic(asked, tables)) and outcome.value is not None:
        growth = operation(asked) == "growth"
        shown = plain_number(outcome.value, asked.digits if asked.digits is not None else (1 if growth else None))
        found.append(
            _answer(f"{shown}%" if growth else shown, outcome.quotes, outcome.passage, outcome.score, "arithmetic")
        )
    if asked.kind == "compare":
        chosen = [outcome for passage in tables if (outcome := superlative(asked, passage))]
        if chosen:
            best = max(chosen, key=lambda outcome: outcome.score)
            found.append(_answer(best.text, best.quotes, best.passage, best.score, "superlative"))
    if asked.kind in (
        "money",
        "number",
        "percent",
        "count",
        "phrase",
        "formula",
        "date",
        "year",
        "person",
        "difference",
    ):
        looked = [candidate for passage in tables for candidate in cells(asked, passage)]
        numeric = [candidate for candidate in looked if candidate.number]
        looked = numeric if asked.kind not in ("phrase", "date", "year", "person") else looked
        if looked:
            found.append(_from_cell(asked, max(looked, key=lambda candidate: candidate.score)))
    return found


def _from_cell(asked: Asked, best: Cell) -> ReadingAnswer:
    text = best.text
    number = best.number
    if number is not None:
        text = without_grouping(number.text)
        if number.value < 0 and "-" not in text:
            text = f"-{text}"
        if asked.scale_wanted and best.grid.scale > 1 and asked.scale_wanted != best.grid.scale:
            text = plain_number(number.value * best.grid.scale / asked.scale_wanted, asked.digits)
        if (
            asked.kind == "percent"
            and "%" not in text
            and "%" in f"{best.header} {best.row.label} {best.grid.passage.title}"
        ):
            text = f"{text}%"
    return _answer(text, (best.quote,), best.grid.passage, best.score, "cell")


def _by_lists(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    if not asked.listing and asked.kind != "list":
        return []
    items = list_items(asked, ranked[:15], weights)
    if items is None or not is_new(asked, items.items):
        return []
    quote = Quote(items.passage.node_id, items.passage.page, items.quote)
    confidence = round(RELIABILITY["list"] * items.score + 0.2, 3)
    return [ReadingAnswer(str(list(items.items)), items.quote, confidence, False, (quote,), "list")]


def _by_text(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    found: list[ReadingAnswer] = []
    if kind_of_span(asked.kind) and (typed := span(asked, ranked, weights)):
        found.append(_from_span(asked, typed, "span", typed.score))
    if asked.kind not in ("explain", "count", "percent", "money") and (
        value := labelled_value(asked, ranked[:15], weights)
    ):
        found.append(_from_span(asked, value, "label", value.score))
    if asked.kind in ("phrase", "explain", "list", "compare", "place", "person"):
        found.extend(_sentence(asked, ranked, weights))
    return found


def _sentence(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    best = best_sentences(asked, ranked, weights, 1)
    if not best:
        return []
    sentence = best[0]
    said = predicate(asked, sentence.sentence) if asked.kind == "phrase" else None
    return [
        _from_span(
            asked,
            Span(said or sentence.sentence, sentence.sentence, sentence.passage, sentence.score),
            "sentence",
            sentence.score,
        )
    ]


def _from_span(asked: Asked, found: Span, skill: str, score: float) -> ReadingAnswer:
    text = without_grouping(found.text) if asked.kind in ("count", "number", "money", "percent") else found.text
    return _answer(text.strip().rstrip(","), (found.sentence,), found.passage, score, skill, found.sentence)


def _answer(
    text: str, quotes: Sequence[str], passage: Passage, score: float, skill: str, long: str = ""
) -> ReadingAnswer:
    return ReadingAnswer(
        text, long or f"{text} ({quotes[0]})", round(min(1.0, RELIABILITY[skill] * score), 3), False,
        tuple(Quote(passage.node_id, passage.page, quote) for quote in quotes), skill,
    )  # fmt: skip
