"""The embedded reader's answer to a question over passages: pick skills by the question, weigh what they find, abstain.

Every skill puts up candidates; ``weigh.py`` says how likely each is right. Where the best is too unlikely, the reader
says ``Not answerable``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from cosee.artifacts.datasets.questions import NOT_ANSWERABLE
from cosee.reader.skills.calculate import calculated
from cosee.reader.skills.cells import Cell, cells
from cosee.reader.skills.compare import arithmetic, combined, operation, superlative
from cosee.reader.skills.count import count
from cosee.reader.skills.explain import LONG, SHORT, explain
from cosee.reader.skills.gaps import nearby_keys, spelled, telling_keys
from cosee.reader.skills.identify import agent, asks_look, identified
from cosee.reader.skills.listing import is_new, list_items
from cosee.reader.skills.nodes import Passage, Quote, ReadingAnswer
from cosee.reader.skills.phrase import alternatives, continued, in_asked_form, in_wanted_scale, phrase
from cosee.reader.skills.question import Asked, analyse
from cosee.reader.skills.rank import idf, on_named_pages, rank
from cosee.reader.skills.rows import selected_rows
from cosee.reader.skills.span import (
    Span,
    best_sentences,
    kind_of_span,
    labelled_values,
    spans,
    stands_for,
    text_sentences,
)
from cosee.reader.skills.tables import Grid, grids
from cosee.reader.skills.weigh import ABSTAIN_BELOW, Candidate, candidate, choose
from cosee.reader.skills.yes_no import settle, yes_no
from cosee.text.content_words import terms
from cosee.text.number_words import UP_TO_TWENTY
from cosee.text.numbers import plain_number, without_grouping

_SCALE_NAMES = {1e3: "thousand", 1e6: "million", 1e9: "billion"}
_ENOUGH_TOLD = 0.3
"""Share of the question that a run of sentences must hold to answer a wide question."""
_READ = 40
"""Passages of the ranking that the skills look into."""
_TRIED = 5
"""Answers that a skill puts up at most."""


def read(question: str, passages: Sequence[Passage], absent: Sequence[str] | None = None) -> ReadingAnswer:
    """Answer ``question`` from ``passages`` alone; deterministic, and never raises for their content.

    ``absent`` holds the names of the question that stand nowhere in the document, where that is known.
    """
    asked = analyse(question)
    usable = [passage for passage in passages if passage.content.strip() or passage.rows or passage.type == "image"]
    asked = spelled(replace(asked, keys=telling_keys(asked, usable)), usable)
    pool = on_named_pages(asked, usable)
    ranked = [passage for passage, score in rank(asked, pool)[:_READ] if score > 0]
    weights = idf(asked.terms, [Counter(terms(" ".join((passage.content, *passage.path)))) for passage in usable])
    candidates = _find(asked, pool, ranked, weights)
    chosen = choose(asked, candidates, usable, absent)
    if chosen is None or chosen.confidence < ABSTAIN_BELOW:
        return abstention(ranked, chosen)
    return chosen


def abstention(ranked: Sequence[Passage], found: ReadingAnswer | None = None) -> ReadingAnswer:
    """``Not answerable``, with the nearest evidence as quote. Its confidence is that in the abstention."""
    quotes = tuple(Quote(passage.node_id, passage.page, _first_words(passage.content, 200)) for passage in ranked[:1])
    doubt = 0.6 if found is None else max(0.3, 0.6 - found.confidence)
    long = "The evidence does not carry an answer to this question."
    return ReadingAnswer(NOT_ANSWERABLE, long, round(doubt, 3), True, quotes, "abstain")


def _find(
    asked: Asked, passages: Sequence[Passage], ranked: Sequence[Passage], weights: dict[str, float]
) -> list[Candidate]:
    if asked.kind == "stands_for" and (expansion := stands_for(asked, passages)):
        return [_from_span(asked, expansion, "stands_for", 1.0)]
    if asked.structure:
        counted = count(asked, passages)
        return [_counted(counted)] if counted else []
    if asks_look(asked):
        coded = identified(asked, passages, weights)
        return [_from_span(asked, coded, "identifier", coded.score)] if coded else []
    computed = calculated(asked, passages)
    read_tables = {(passage.node_id, passage.page) for passage in ranked if passage.rows or passage.chart_rows}
    leads = {passage.text[-400:] for passage in ranked[:8] if not passage.rows and passage.text}
    tables = [
        table
        for table in grids(passages)
        if (table.passage.node_id, table.passage.page) in read_tables or table.around in leads
    ]
    if asked.kind == "yes_no":
        return _either(asked, ranked, tables, weights) or _yes_no(asked, ranked, tables, weights)
    if asked.wide or asked.advice:
        runs = explain(asked, passages, weights, LONG if asked.wide else SHORT)[:_TRIED]
        if told := [run for run in runs if run.score >= _ENOUGH_TOLD]:
            listed = [cell for table in tables for cell in cells(asked, table, weights)] if asked.advice else []
            words = [cell for cell in listed if not cell.number and cell.precise]
            return [*(_told(asked, run) for run in told), *(_from_cell(asked, cell, "word_cell") for cell in words)]
    return [
        *([computed] if computed else []),
        *_by_tables(asked, tables, weights),
        *_by_lists(asked, ranked, weights),
        *_by_text(asked, ranked, weights),
        *_by_look(asked, passages, ranked, weights),
    ]


def _told(asked: Asked, run: Span) -> Candidate:
    """A run of sentences; of a single one that says what to do, the words that say it."""
    single = asked.advice and run.text in text_sentences(run.passage)
    said = phrase(asked, run.text) if single else None
    return _from_span(asked, replace(run, text=said or run.text), "passage", run.score)


def _counted(counted: Sequence[Passage]) -> Candidate:
    quotes = tuple(
        Quote(passage.node_id, passage.page, _first_words(passage.title or passage.text)) for passage in counted
    )
    quotes = tuple(quote for quote in quotes if re.search(r"\w", quote.text)) or quotes
    named = ", ".join(passage.label or _first_words(passage.title or passage.text) for passage in counted)[:400]
    text = str(len(counted))
    return Candidate(text, f"{text}: {named}" if named else text, quotes, counted[0], 1.0, "count")


def _first_words(text: str, limit: int = 120) -> str:
    """The start of a text, whole words of its first lines."""
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else plain[: limit + 1].rsplit(" ", 1)[0][:limit]


def _yes_no(
    asked: Asked, ranked: Sequence[Passage], tables: Sequence[Grid], weights: dict[str, float]
) -> list[Candidate]:
    verdict = yes_no(asked, ranked, tables, weights)
    if verdict is None:
        return []
    holds, evidence, fit = verdict
    answer = "Yes" if holds else "No"
    long = f"{answer}. {evidence.sentence}"
    return [candidate(answer, (evidence.sentence,), evidence.passage, fit, "yes_no", long)]


def _either(
    asked: Asked, ranked: Sequence[Passage], tables: Sequence[Grid], weights: dict[str, float]
) -> list[Candidate]:
    """``... an increase or decrease ...``: the alternative that the best sentence names and the other does not."""
    options = alternatives(asked.core)
    if options is None:
        return []
    if settled := settle(asked, options, tables, weights):
        chosen, cell = settled
        return [candidate(chosen, (cell.quote,), cell.grid.passage, cell.score, "choice", f"{chosen} ({cell.quote})")]
    for sentence in best_sentences(asked, ranked, weights, 4):
        present = [option for option in options if set(terms(option)) <= set(terms(sentence.sentence))]
        if len(present) == 1:
            quotes = (sentence.sentence,)
            return [candidate(present[0], quotes, sentence.passage, sentence.score, "choice", sentence.sentence)]
    return []


def _by_tables(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[Candidate]:
    found: list[Candidate] = []
    if asked.kind == "difference" or operation(asked) == "growth":
        growth = operation(asked) == "growth"
        for made in arithmetic(asked, tables, weights)[:_TRIED]:
            if made.value is not None:
                digits = asked.digits if asked.digits is not None else (1 if growth else None)
                shown = plain_number(made.value, digits) + ("%" if growth else "")
                found.append(candidate(shown, made.quotes, made.grid.passage, made.score, "arithmetic"))
    if asked.plural or asked.kind == "count":
        found.extend(_by_rows(asked, tables, weights))
    if asked.kind == "compare" and not asked.plural:
        chosen = [outcome for table in tables if (outcome := superlative(asked, table, weights))]
        chosen.sort(key=lambda outcome: -outcome.score)
        found += [candidate(o.text, o.quotes, o.grid.passage, o.score, "superlative") for o in chosen[:_TRIED]]
    if asked.kind not in ("difference", "compare", "explain", "list", "stands_for") and not asked.plural:
        found.extend(_by_cells(asked, tables, weights))
    return found


def _by_rows(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[Candidate]:
    """The rows that meet the question's condition, counted or named."""
    sets = [chosen for table in tables if (chosen := selected_rows(asked, table, weights)) and chosen.rows]
    found = []
    for chosen in sorted(sets, key=lambda each: -each.score)[:_TRIED]:
        if asked.kind == "count":
            text, skill = str(len(chosen.rows)), "row_count"
        else:
            text, skill = str(list(chosen.names)), "row_list"
        quotes = [row.quote for row in chosen.rows[:12]]
        long = f"{text}: {', '.join(chosen.names)}"
        found.append(candidate(text, quotes, chosen.grid.passage, chosen.score, skill, long))
    return found


def _by_cells(asked: Asked, tables: Sequence[Grid], weights: dict[str, float]) -> list[Candidate]:
    looked = [cell for table in tables for cell in cells(asked, table, weights)]
    looked.sort(key=lambda cell: -cell.score)
    summed = combined(asked, looked)
    numeric = [cell for cell in looked if cell.number][:_TRIED]
    named = [cell for cell in looked if not cell.number and cell.precise][:_TRIED]
    found = []
    if summed and summed.value is not None:
        shown = plain_number(summed.value) + ("%" if asked.kind == "percent" else "")
        found.append(candidate(shown, summed.quotes, summed.grid.passage, 1.2 * summed.score, "arithmetic"))
    if asked.kind in ("phrase", "date", "year", "person", "place"):
        found += [_from_cell(asked, cell, "word_cell") for cell in named]
    if asked.kind not in ("date", "person", "place"):
        found += [
            _from_cell(asked, cell, "cell")
            for cell in numeric
            if asked.kind not in ("count", "phrase", "formula") or cell.precise
        ]
    return found


def _by_look(
    asked: Asked, passages: Sequence[Passage], ranked: Sequence[Passage], weights: dict[str, float]
) -> list[Candidate]:
    """What is told by its look (a telephone number, a reference) or by its verb (``audited by``)."""
    found = []
    if coded := identified(asked, passages, weights):
        found.append(_from_span(asked, coded, "identifier", coded.score))
    if doer := agent(asked, ranked, weights):
        found.append(_from_span(asked, doer, "agent", doer.score))
    return found


def _from_cell(asked: Asked, best: Cell, skill: str) -> Candidate:
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
    return candidate(text, (best.quote,), best.grid.passage, best.score, skill)


def _by_lists(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[Candidate]:
    if not (asked.listing or asked.kind == "list") or not asked.items_wanted:
        return []
    found = [items for items in list_items(asked, ranked[:15], weights) if is_new(asked, items.items)]
    return [
        candidate(str(list(items.items)), (items.quote,), items.passage, items.score, "list", items.quote)
        for items in found[:_TRIED]
    ]


def _by_text(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[Candidate]:
    found: list[Candidate] = []
    if kind_of_span(asked.kind):
        found += [
            _from_span(asked, typed, "span", typed.score) for typed in spans(asked, ranked, weights)[: 2 * _TRIED]
        ]
    if asked.kind in ("phrase", "person", "place", "date", "year", "number", "list", "stands_for"):
        for value in labelled_values(asked, ranked[:15], weights)[:_TRIED]:
            found.append(_from_span(asked, value, "next_line" if "\n" in value.sentence else "label", value.score))
    if asked.kind in ("phrase", "explain", "list", "compare", "place", "person", "number"):
        found.extend(_sentences(asked, ranked, weights))
    return found


def _sentences(asked: Asked, ranked: Sequence[Passage], weights: dict[str, float]) -> list[Candidate]:
    """The phrases that answer in the best sentences; else a sentence; to explain, with what follows it."""
    best = best_sentences(asked, ranked, weights, _TRIED)
    if asked.kind in ("explain", "list") and not asked.items_wanted:
        return [
            candidate(
                phrase(asked, each.sentence) or continued(each),
                (each.sentence,), each.passage, each.score, "sentence", continued(each),
            )
            for each in best
        ]  # fmt: skip
    found = []
    for each in best:
        if said := phrase(asked, each.sentence):
            found.append(candidate(said, (each.sentence,), each.passage, each.score, "phrase", each.sentence))
        elif each.passage.type != "image":  # the words in a figure are no sentence
            found.append(_from_span(asked, each, "sentence", each.score))
    return found


def _from_span(asked: Asked, found: Span, skill: str, score: float) -> Candidate:
    text = in_asked_form(asked, found.text)
    score *= nearby_keys(asked, f"{found.sentence} {found.passage.title} {' '.join(found.passage.path)}")
    if asked.kind in ("count", "number", "money", "percent") and skill == "span":
        text = in_wanted_scale(asked, without_grouping(text))
        text = str(UP_TO_TWENTY.get(text.lower(), text))
    return candidate(text, (found.sentence,), found.passage, score, skill, found.sentence)
