"""The embedded reader's answer to a question over passages: pick skills by the question, weigh what they find, abstain.

Confidence is 0..1: how much of the question (its words weighted by rarity) the quoted evidence holds, times how often
the skill has proven right (``RELIABILITY``). Below ``ABSTAIN_BELOW`` the reader says ``Not answerable``; so it does
where a name, year or number that the question turns on stands nowhere in the evidence, and for what only eyes can tell
(colours, what a picture shows).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from cosee.artifacts.questions import NOT_ANSWERABLE
from cosee.models.skills.calculate import calculated
from cosee.models.skills.cells import Cell, cells
from cosee.models.skills.compare import arithmetic, operation, superlative
from cosee.models.skills.count import count
from cosee.models.skills.explain import LONG, SHORT, explain
from cosee.models.skills.gaps import missing_key, nearby_keys, telling_keys
from cosee.models.skills.identify import agent, identified
from cosee.models.skills.listing import is_new, list_items
from cosee.models.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.models.skills.phrase import alternatives, continued, in_asked_form, in_wanted_scale, phrase
from cosee.models.skills.question import Asked, analyse
from cosee.models.skills.rank import idf, on_named_pages, rank
from cosee.models.skills.rows import selected_rows
from cosee.models.skills.span import (
    Span,
    best_sentences,
    kind_of_span,
    labelled_value,
    span,
    stands_for,
    text_sentences,
)
from cosee.models.skills.tables import Grid, grids
from cosee.models.skills.text import NUMBER_WORDS, fold, plain_number, terms, without_grouping
from cosee.models.skills.yes_no import settle, yes_no

ABSTAIN_BELOW = 0.2
RELIABILITY = {
    "formula": 0.95, "stands_for": 0.95, "count": 0.6, "cell": 0.6, "word_cell": 0.5, "arithmetic": 0.6,
    "superlative": 0.45, "yes_no": 0.6, "choice": 0.6, "span": 0.7, "label": 0.8, "next_line": 0.35,
    "list": 0.75, "phrase": 0.5, "row_count": 0.7, "row_list": 0.7, "identifier": 0.85, "agent": 0.85,
    "sentence": 0.4, "passage": 0.7,
}  # fmt: skip
_VISUAL = re.compile(
    r"\bcolou?r(?:s|ed)?\b|\b(?:in|on) the (?:photo|picture|image|logo|cover|icon)s?\b|\bwearing\b|\bholding\b|"
    r"\bsitting\b|\bstanding\b|\blogos?\b|\bshapes? \b|"
    r"\bhow many (?:people|persons|men|women|male|female|children|dogs|cats|animals|icons|faces|arrows|lines|"
    r"dots|boxes|rectangles|circles)\b.*\b(?:figure|photo|picture|image|page|slide|cover|photograph|diagram|glasses)\b|"
    r"\b(?:red|green|blue|yellow|purple|orange|grey|gray|black|white|highlighted|underlined|italic) (?:\w+ "
    r")?(?:bars?|lines?|boxe?s?|arrows?|dots?|words?|texts?|numbers?|rectangles?|parts?|modules?|circles?)\b"
)
_SCALE_NAMES = {1e3: "thousand", 1e6: "million", 1e9: "billion"}
_KEYLESS = frozenset({"count", "formula", "passage"})
"""Skills whose answer does not hang on every name of the question."""
_ENOUGH_TOLD = 0.3
"""Share of the question that a run of sentences must hold to answer a wide question."""
_READ = 40
"""Passages of the ranking that the skills look into."""


def read(question: str, passages: Sequence[Passage]) -> ReadingAnswer:
    """Answer ``question`` from ``passages`` alone; deterministic, and never raises for their content."""
    asked = analyse(question)
    usable = [passage for passage in passages if passage.content.strip() or passage.rows or passage.type == "image"]
    asked = replace(asked, keys=telling_keys(asked, usable))
    pool = on_named_pages(asked, usable)
    ranked = [passage for passage, score in rank(asked, pool)[:_READ] if score > 0]
    weights = idf(asked.terms, [Counter(terms(" ".join((passage.content, *passage.path)))) for passage in usable])
    found = None if _VISUAL.search(fold(asked.core)) else _find(asked, pool, ranked, weights)
    if found is None or found.confidence < ABSTAIN_BELOW:
        return abstention(ranked, found)
    if found.skill not in _KEYLESS and missing_key(asked, usable, numbers=asked.kind != "yes_no"):
        return abstention(ranked, found)
    return found


def abstention(ranked: Sequence[Passage], found: ReadingAnswer | None = None) -> ReadingAnswer:
    """``Not answerable``, with the nearest evidence as quote. Its confidence is that in the abstention."""
    quotes = tuple(Quote(passage.node_id, passage.page, passage.content[:200]) for passage in ranked[:1])
    doubt = 0.6 if found is None else max(0.3, 0.6 - found.confidence)
    long = "The evidence does not carry an answer to this question."
    return ReadingAnswer(NOT_ANSWERABLE, long, round(doubt, 3), True, quotes, "abstain")


def _find(
    asked: Asked, passages: Sequence[Passage], ranked: Sequence[Passage], weights: dict[str, float]
) -> ReadingAnswer | None:
    if asked.kind == "stands_for" and (expansion := stands_for(asked, passages)):
        return _from_span(asked, expansion, "stands_for", 1.0)
    if asked.structure:
        counted = count(asked, passages)
        return _counted(counted) if counted else None
    if (computed := calculated(asked, passages, RELIABILITY["formula"])) is not None:
        return computed
    read_tables = {passage for passage in ranked if passage.rows}
    leads = {passage.text[-400:] for passage in ranked[:8] if not passage.rows and passage.text}
    tables = [table for table in grids(passages) if table.passage in read_tables or table.around in leads]
    if asked.kind == "yes_no":
        return _either(asked, ranked, tables, weights) or _yes_no(asked, ranked, tables, weights)
    if asked.wide or asked.advice:
        told = explain(asked, passages, weights, LONG if asked.wide else SHORT)
        if told is not None and told.score >= _ENOUGH_TOLD:
            single = asked.advice and told.text in text_sentences(told.passage)
            said = phrase(asked, told.text) if single else None
            return _from_span(asked, replace(told, text=said or told.text), "passage", told.score)
    candidates = [
        *_by_tables(asked, tables, weights),
        *_by_lists(asked, ranked, weights),
        *_by_text(asked, ranked, weights),
        *_by_look(asked, passages, ranked, weights),
    ]
    return max(candidates, key=lambda candidate: candidate.confidence) if candidates else None


def _counted(counted: Sequence[Passage]) -> ReadingAnswer:
    quotes = tuple(
        Quote(passage.node_id, passage.page, _first_words(passage.title or passage.text)) for passage in counted
    )
    quotes = tuple(quote for quote in quotes if re.search(r"\w", quote.text)) or quotes
    named = ", ".join(passage.label or _first_words(passage.title or passage.text) for passage in counted)[:400]
    text = str(len(counted))
    return ReadingAnswer(text, f"{text}: {named}" if named else text, RELIABILITY["count"], False, quotes, "count")


def _first_words(text: str, limit: int = 120) -> str:
    """The start of a text, whole words of its first lines."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]


def _yes_no(
    asked: Asked, ranked: Sequence[Passage], tables: Sequence[Grid], weights: dict[str, float]
) -> ReadingAnswer | None:
    verdict = yes_no(asked, ranked, tables, weights)
    if verdict is None:
        return None
    holds, evidence, fit = verdict
    answer = "Yes" if holds else "No"
    long = f"{answer}. {evidence.sentence}"
    return _answer(answer, (evidence.sentence,), evidence.passage, fit, "yes_no", long)


def _either(
    asked: Asked, ranked: Sequence[Passage], tables: Sequence[Grid], weights: dict[str, float]
) -> ReadingAnswer | None:
    """``... an increase or decrease ...``: the alternative that the best sentence names and the other does not."""
    options = alternatives(asked.core)
    if options is None:
        return None
    if settled := settle(asked, options, tables, weights):
        chosen, cell = settled
        return _answer(chosen, (cell.quote,), cell.grid.passage, cell.score, "choice", f"{chosen} ({cell.quote})")
    for sentence in best_sentences(asked, ranked, weights, 4):
        present = [option for option in options if set(terms(option)) <= set(terms(sentence.sentence))]
        if len(present) == 1:
            quotes = (sentence.sentence,)
            return _answer(present[0], quotes, sentence.passage, sentence.score, "choice", sentence.sentence)
    return None


def _by_tables(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[ReadingAnswer]:
    found: list[ReadingAnswer] = []
    if asked.kind == "difference" and (outcome := arithmetic(asked, tables, weights)) and outcome.value is not None:
        growth = operation(asked) == "growth"
        shown = plain_number(outcome.value, asked.digits if asked.digits is not None else (1 if growth else None))
        shown = f"{shown}%" if growth else shown
        found.append(_answer(shown, outcome.quotes, outcome.grid.passage, outcome.score, "arithmetic"))
    if asked.plural or asked.kind == "count":
        found.extend(_by_rows(asked, tables, weights))
    if asked.kind == "compare" and not asked.plural:
        chosen = [outcome for table in tables if (outcome := superlative(asked, table, weights))]
        if chosen:
            best = max(chosen, key=lambda outcome: outcome.score)
            found.append(_answer(best.text, best.quotes, best.grid.passage, best.score, "superlative"))
    if asked.kind not in ("difference", "compare", "explain", "list", "stands_for") and not asked.plural:
        found.extend(_by_cells(asked, tables, weights))
    return found


def _by_rows(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[ReadingAnswer]:
    """The rows that meet the question's condition, counted or named."""
    sets = [chosen for table in tables if (chosen := selected_rows(asked, table, weights)) and chosen.rows]
    if not sets:
        return []
    best = max(sets, key=lambda chosen: chosen.score)
    if asked.kind == "count":
        text, skill = str(len(best.rows)), "row_count"
    else:
        text, skill = str(list(best.names)), "row_list"
    quotes = [row.quote for row in best.rows[:12]]
    return [_answer(text, quotes, best.grid.passage, best.score, skill, f"{text}: {', '.join(best.names)}")]


def _by_cells(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[ReadingAnswer]:
    looked = [candidate for table in tables for candidate in cells(asked, table, weights)]
    numeric = [candidate for candidate in looked if candidate.number]
    named = [candidate for candidate in looked if not candidate.number and candidate.precise]
    found = []
    if asked.kind in ("phrase", "date", "year", "person", "place") and named:
        found.append(_from_cell(asked, max(named, key=lambda candidate: candidate.score), "word_cell"))
    if asked.kind not in ("date", "person", "place") and numeric:
        best = max(numeric, key=lambda candidate: candidate.score)
        if asked.kind not in ("count", "phrase", "formula") or best.precise:
            found.append(_from_cell(asked, best, "cell"))
    return found


def _by_look(
    asked: Asked, passages: Sequence[Passage], ranked: Sequence[Passage], weights: dict[str, float]
) -> list[ReadingAnswer]:
    """What is told by its look (a telephone number, a reference) or by its verb (``audited by``)."""
    found = []
    if coded := identified(asked, passages, weights):
        found.append(_from_span(asked, coded, "identifier", coded.score))
    if doer := agent(asked, ranked, weights):
        found.append(_from_span(asked, doer, "agent", doer.score))
    return found


def _from_cell(asked: Asked, best: Cell, skill: str) -> ReadingAnswer:
    text, number = best.text, best.number
    if number is not None:
        text = without_grouping(re.sub(r"[$€£¥]\s*", "", number.text))
        if number.value < 0 and "-" not in text:
            text = f"-{text}"
        if asked.scale_wanted and best.grid.scale > 1 and asked.scale_wanted != best.grid.scale:
            text = plain_number(number.value * best.grid.scale / asked.scale_wanted, asked.digits)
        elif (
            not asked.scale_wanted and best.grid.scale in _SCALE_NAMES and not number.percent and "%" not in best.header
        ):
            text = f"{text} {_SCALE_NAMES[best.grid.scale]}"
        if (
            asked.kind == "percent"
            and "%" not in text
            and "%" in f"{best.header} {best.row.label} {best.grid.passage.title}"
        ):
            text = f"{text}%"
    return _answer(text, (best.quote,), best.grid.passage, best.score, skill)


def _by_lists(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    if not (asked.listing or asked.kind == "list") or not asked.items_wanted:
        return []
    items = list_items(asked, ranked[:15], weights)
    if items is None or not is_new(asked, items.items):
        return []
    return [_answer(str(list(items.items)), (items.quote,), items.passage, items.score, "list", items.quote)]


def _by_text(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    found: list[ReadingAnswer] = []
    if kind_of_span(asked.kind) and (typed := span(asked, ranked, weights)):
        found.append(_from_span(asked, typed, "span", typed.score))
    if asked.kind in ("phrase", "person", "place", "date", "year", "number", "list", "stands_for"):
        value = labelled_value(asked, ranked[:15], weights)
        found.extend(
            [_from_span(asked, value, "next_line" if "\n" in value.sentence else "label", value.score)] if value else []
        )
    if asked.kind in ("phrase", "explain", "list", "compare", "place", "person", "number"):
        found.extend(_sentence(asked, ranked, weights))
    return found


def _sentence(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[ReadingAnswer]:
    """The phrase that answers in one of the best sentences; else a sentence; to explain, with what follows it."""
    best = best_sentences(asked, ranked, weights, 3)
    if not best:
        return []
    if asked.kind in ("explain", "list") and not asked.items_wanted:
        text = phrase(asked, best[0].sentence) or continued(best[0])
        return [_answer(text, (best[0].sentence,), best[0].passage, best[0].score, "sentence", continued(best[0]))]
    for sentence in best:
        if said := phrase(asked, sentence.sentence):
            return [_answer(said, (sentence.sentence,), sentence.passage, sentence.score, "phrase", sentence.sentence)]
    return [_from_span(asked, best[0], "sentence", best[0].score)]


def _from_span(asked: Asked, found: Span, skill: str, score: float) -> ReadingAnswer:
    text = in_asked_form(asked, found.text)
    score *= nearby_keys(asked, f"{found.sentence} {found.passage.title} {' '.join(found.passage.path)}")
    if asked.kind in ("count", "number", "money", "percent") and skill == "span":
        text = in_wanted_scale(asked, without_grouping(text))
        text = str(NUMBER_WORDS.get(text.lower(), text))
    return _answer(text, (found.sentence,), found.passage, score, skill, found.sentence)


def _answer(
    text: str, quotes: Sequence[str], passage: Passage, score: float, skill: str, long: str = ""
) -> ReadingAnswer:
    confidence = round(min(1.0, RELIABILITY[skill] * score), 3)
    quoted = tuple(Quote(passage.node_id, passage.page, quote) for quote in quotes)
    return ReadingAnswer(text.strip().rstrip(","), long or f"{text} ({quotes[0]})", confidence, False, quoted, skill)
