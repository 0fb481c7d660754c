"""The readings: what can be an answer in the best places, each with what speaks for it.

A span of a sentence; the cell where a row and a column that the question names meet; all items of a list; the number of
rows, items or parts of the document; yes or no by what is stated; what is ticked; one of two options; the difference,
ratio or growth of two named cells; one to three sentences. Which of them fits a question is fitted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from cosee.index.features import units_in
from cosee.question.form import counted_structure
from cosee.question.wording import are_stated, parts_of_years, periods, shape_of
from cosee.reader.asked import Asked
from cosee.reader.evidence import NUMBERING, Place, RankedPlace, Rarity
from cosee.reader.passages import Passage
from cosee.reader.thresholds import (
    HEAD_WORDS_SCALE,
    MAX_CELLS_OF_A_ROW,
    MAX_CELLS_PAIRED,
    MAX_ROWS_READ,
    MAX_SENTENCES,
    MIN_LABEL_SHARE,
    MIN_PROBABILITY,
    MIN_VERDICT_PROBABILITY,
    PLACES_READ,
    PLACES_READ_FOR_VERDICT,
    TEXTS_AROUND_WITH_SCALE,
    WORDS_BESIDE,
    WORDS_CLOSE,
)
from cosee.text.content_words import label_terms, terms
from cosee.text.folding import fold
from cosee.text.forms import labelled_answers, ticked_options, yes_or_no
from cosee.text.mentions import page_names
from cosee.text.negation import NEGATIONS, denials
from cosee.text.numbers import Number, cell_number, numbers, plain_number, scale_in
from cosee.text.spans import date_spans, number_spans, numbering, phrase_spans, series_items, series_spans, without_mark

# General knowledge: the forms of "to be" of English.
_COPULAS = frozenset(("is", "are", "was", "were", "be", "been"))
# General knowledge: prepositions of English.
_PREPOSITIONS = frozenset(("of", "in", "by", "at", "to", "for", "from", "with", "as", "on"))
# General knowledge: names of readings, which are no words of questions.
_GROUPS = {
    "number": ("number", "cell"), "words": ("phrase", "word cell"), "all": ("series", "items", "rows"),
    "made": ("difference", "ratio", "growth"), "verdict": ("yes", "no", "choice", "tick"),
}  # fmt: skip
# General knowledge: names of features, which are no words of questions.
_OF_PLACE = ("share", "share near", "pairs", "names", "period", "other period", "page rank", "is row", "is figure",
             "is caption", "is list")  # fmt: skip
# General knowledge: the forms of charts that are drawn alike, and the types of a document's parts.
_FORMS = {"column": "bar", "stacked": "bar"}
_TYPES = {"table": "table", "section": "section", "chapter": "section", "equation": "equation"}


@dataclass(frozen=True, eq=False)
class Candidate:
    """A possible answer with the places that it was read from, first of all the one that holds it."""

    text: str
    kind: str
    places: tuple[Place, ...]
    features: Mapping[str, float]

    @cached_property
    def key(self) -> str:
        """What candidates of the same answer share."""
        return fold(self.text)

    @property
    def group(self) -> str:
        """The kinds that are much alike."""
        return next((name for name, kinds in _GROUPS.items() if self.kind in kinds), self.kind.partition(" ")[0])


def readings(
    asked: Asked, listed: Sequence[RankedPlace], rarity: Rarity, passages: Sequence[Passage]
) -> list[Candidate]:
    """Every candidate of every reading whose evidence states each period that is asked for."""
    if not passages:
        return []
    nowhere = RankedPlace(Place(passages[0], "", "figure", 0), dict.fromkeys(_OF_PLACE, 0.0), 0.0)
    listed = listed or [nowhere]  # parts are counted even where no place shares a word with the question
    found = [each for each in _all(asked, listed, rarity, passages) if each.text and _states_periods(asked, each)]
    votes = Counter(key for key, _ in {(each.key, each.places[0]) for each in found})
    ranks = {ranked.place: number for number, ranked in reversed(list(enumerate(listed)))}
    return [_with_shared(asked, each, listed, ranks.get(each.places[0], 0), votes, rarity) for each in found]


def _states_periods(asked: Asked, each: Candidate) -> bool:
    """Whether every period of the question stands in the candidate or where it was read."""
    if not asked.periods <= frozenset[str]().union(*(place.periods for place in each.places), periods(each.text)):
        return False
    return not asked.parts or are_stated(asked.parts, frozenset().union(*(p.parts_of_years for p in each.places)))


def _all(
    asked: Asked, listed: Sequence[RankedPlace], rarity: Rarity, passages: Sequence[Passage]
) -> Iterator[Candidate]:
    """The readings in order; a question that counts parts, asks for yes or no or lets choose has no others."""
    if counted := list(_parts(asked, passages)):
        yield from counted
        return
    for place in (ranked.place for ranked in listed[: 2 * PLACES_READ]):
        if asked.form != "yes_no" and (said := ticked_options(place.boxes, rarity.share, yes_no=False)):
            yield Candidate(said[0] if len(said) == 1 else str(said), "tick", (place,), {})
    if asked.form == "yes_no" or asked.shapes.get("yes_no", 0.0) > MIN_VERDICT_PROBABILITY:
        yield from _yes_no(asked, listed[:PLACES_READ_FOR_VERDICT], rarity)
    listed = [each for each in listed if not each.place.boxes]  # what is beside a box is an answer where it is ticked
    if asked.form == "yes_no" or asked.options:
        yield from _choices(asked, listed[: 2 * PLACES_READ])
        return
    cells = list(_cells(asked, [each.place for each in listed if each.place.row is not None][:MAX_ROWS_READ], rarity))
    yield from cells
    yield from _pairs(asked, cells)
    yield from _lists(asked, listed[:PLACES_READ], rarity)
    text = [each for each in listed if each.place.kind not in ("row", "toc", "section")]
    for number, ranked in enumerate(text[:PLACES_READ]):
        yield from _spans(asked, ranked.place, rarity)
        if number < PLACES_READ - 1:
            yield from _sentences(ranked.place, text)


def _with_shared(
    asked: Asked, each: Candidate, listed: Sequence[RankedPlace], rank: int, votes: Counter[str], rarity: Rarity
) -> Candidate:
    """The candidate with the features that every reading has; ``reading`` and ``none`` say how well its kind of
    reading, and that there is no answer, fit the question's words."""
    held, ranked = frozenset(terms(each.text)), listed[rank]
    told = {
        f"kind {each.kind}": 1.0,
        "shape": math.log(max(MIN_PROBABILITY, asked.shapes.get(shape_of(each.text), 0.0))),
        "reading": math.log(max(MIN_PROBABILITY, asked.readings.get(each.group, 0.0))),
        "none": math.log(max(MIN_PROBABILITY, asked.readings.get("none", 0.0))),
        "place": ranked.score, "behind": listed[0].score - ranked.score, "rank": 1.0 / (1 + rank),
        "votes": math.log(votes[each.key]), "echo": rarity.share(held), "absent": rarity.absent,
        "new": len(held - set(asked.terms)) / max(1, len(held)), "words": math.log(1 + len(each.text.split())),
        **{f"p {name}": ranked.features[name] for name in _OF_PLACE},
    }  # fmt: skip
    return Candidate(each.text, each.kind, each.places, {**told, **each.features})


def log_odds(likely: float) -> float:
    """Of a probability, held off 0 and 1."""
    held = min(max(likely, MIN_PROBABILITY), 1 - MIN_PROBABILITY)
    return math.log(held / (1 - held))


def _spans(asked: Asked, place: Place, rarity: Rarity) -> Iterator[Candidate]:
    """Numbers with their units, dates, and phrases between marks and small words; no single item of a series."""
    text = place.quote
    series = list(series_spans(text))
    spans = [("number", *each) for each in number_spans(text, units_in, numbered=place.kind in NUMBERING)]
    spans += [("date", *each) for each in date_spans(text)]
    free = (each for each in phrase_spans(text) if not any(a <= each[0] and each[1] <= b for a, b in series))
    spans += [("phrase", *each) for each in free]
    for (start, end), kind in {(start, end): kind for kind, start, end in reversed(spans)}.items():
        told = text[start:end].strip(" .,;:")
        if without_mark(told) and set(terms(told)) - set(asked.terms):
            yield Candidate(told, kind, (place,), _beside(text, start, end, rarity))


def _beside(text: str, start: int, end: int, rarity: Rarity) -> dict[str, float]:
    """What stands before and after a span."""
    before, after = text[:start].split(), text[end:].split()
    last = fold(before[-1]).strip(",;(") if before else ""
    return {
        "before": rarity.share(terms(" ".join(before[-WORDS_BESIDE:]))),
        "after": rarity.share(terms(" ".join(after[:WORDS_BESIDE]))),
        "beside": rarity.share(terms(" ".join([*before[-WORDS_CLOSE:], *after[:WORDS_CLOSE]]))),
        "starts": float(not before), "ends": float(not after), "behind verb": float(last in _COPULAS),
        "behind colon": float(bool(before) and before[-1].endswith(":")),
        "behind preposition": float(last in _PREPOSITIONS), "in brackets": float(text[:start].endswith("(")),
    }  # fmt: skip


def _sentences(place: Place, text: Sequence[RankedPlace]) -> Iterator[Candidate]:
    """The sentence alone, and with the ones that follow it."""
    following = {each.place.order: each for each in text if each.place.passage is place.passage}
    told, further = [place], 0.0
    for count in range(1, MAX_SENTENCES + 1):
        said = " ".join(each.quote[numbering(each.quote) :] for each in told)
        yield Candidate(said, f"sentences {count}", tuple(told), {"further": further})
        after = following.get(place.order + count)
        if after is None:
            return
        told.append(after.place)
        further += after.features["share"]


def _cells(asked: Asked, rows: Sequence[Place], rarity: Rarity) -> Iterator[Candidate]:
    """The cells of the best rows whose columns fit best; no column of another period than the question's."""
    wanted = frozenset(label_terms(asked.text))
    for place in rows:
        table, row = place.grid, place.row
        assert table is not None and row is not None
        heads = {column: _head_fit(wanted, table.heads[column]) for column in row.values}
        dated = {column: periods(table.heads[column]) & asked.periods for column in row.values}
        usable = [c for c in row.values if dated[c] or not (asked.periods and periods(table.heads[c]))]
        usable = [c for c in usable if are_stated(asked.parts, parts_of_years(table.heads[c]))] or usable
        usable.sort(key=lambda column: (-len(dated[column]), -heads[column][1], -heads[column][0], column))
        fit = _head_fit(wanted, row.head)
        rivals = sum(_head_fit(wanted, other.head) >= fit for other in table.rows)
        for order, column in enumerate(usable[:MAX_CELLS_OF_A_ROW]):
            text, number = _cell_text(place, column)
            if number is None and terms(text) and set(terms(text)) <= set(asked.terms):
                continue  # it says nothing that the question does not
            head = heads[column]
            same = sum(heads[other] == head and dated[other] == dated[column] for other in usable)
            features = {
                "row precision": fit[0], "row whole": float(fit[0] == 1.0),
                "row words": fit[1] / HEAD_WORDS_SCALE, "row rivals": math.log(max(1, rivals)),
                "column precision": head[0], "column words": head[1] / HEAD_WORDS_SCALE,
                "column rivals": math.log(same), "only value": float(len(row.values) == 1),
                "column first": float(order == 0), "column period": float(bool(dated[column])),
                "met": float(fit[0] == 1.0 and same == 1 and (head[1] > 0 or bool(dated[column]))),
                "held": rarity.share(place.stems_around | frozenset(terms(table.heads[column]))),
            }  # fmt: skip
            yield Candidate(text, "cell" if number else "word cell", (place,), features)


def _head_fit(wanted: frozenset[str], head: str) -> tuple[float, int]:
    """(share of a head's words that the question has, how many)."""
    held = set(label_terms(head))
    return (round(len(held & wanted) / len(held), 3), len(held & wanted)) if held else (0.0, 0)


def _cell_text(place: Place, column: int) -> tuple[str, Number | None]:
    """A cell as printed, with the scale that its table or what stands above it states, and its number."""
    table, row = place.grid, place.row
    assert table is not None and row is not None
    text = without_mark(row.cells[column])
    number = cell_number(text) if re.search(r"\d", text) else None
    if number is None or number.year:
        return text, number
    if number.value < 0 and "(" in text:
        text = f"-{text.replace('(', '').replace(')', '').strip()}"
    if "%" not in text and "%" in f"{table.heads[column]} {row.head}":
        return f"{text.strip()}%", number
    scale = table.scale or scale_in(" ".join(place.around[:TEXTS_AROUND_WITH_SCALE]))
    return (f"{text} {scale}" if scale and number.scale == 1 and not number.percent else text), number


def _pairs(asked: Asked, cells: Sequence[Candidate]) -> Iterator[Candidate]:
    """Two named cells of a table taken together: of a row in two periods, or of two rows in a column."""
    named = [each for each in cells if each.kind == "cell" and each.features["row whole"]][:MAX_CELLS_PAIRED]
    for first, second in ((one, other) for at, one in enumerate(named) for other in named[at + 1 :]):
        places = tuple(dict.fromkeys((first.places[0], second.places[0])))
        a, b = (next(iter(numbers(each.text)), None) for each in (first, second))
        if places[0].grid is not places[-1].grid or a is None or b is None:
            continue
        scale = first.text.rpartition(" ")[2] if first.text[-1:].isalpha() else ""
        features = {name: first.features[name] * second.features[name] for name in ("met", "column period", "held")}
        features |= {"same row": float(len(places) == 1), "row words": first.features["row words"]}
        yield Candidate(f"{plain_number(abs(a.value - b.value))} {scale}".strip(), "difference", places, features)
        if b.value:
            yield Candidate(plain_number(a.value / b.value, 2), "ratio", places, features)
            growth = plain_number(100 * (a.value - b.value) / abs(b.value), 1)
            yield Candidate(f"{growth}%", "growth", places, features)


def _lists(asked: Asked, listed: Sequence[RankedPlace], rarity: Rarity) -> Iterator[Candidate]:
    """All items of a list, a series in a sentence, the names of a table's rows; and how many they are."""
    done: set[tuple[str | None, int]] = set()
    for place in (ranked.place for ranked in listed):
        for start, end in series_spans(place.quote):
            items = series_items(place.quote[start:end])
            yield from _items(place.quote[start:end], items, "series", place, rarity.share(terms(place.quote[:start])))
        key = (place.passage.node_id, place.passage.page)
        if key not in done and (place.passage.type == "list" or place.grid is not None):
            lines = [line.strip(" •-–*·") for line in place.passage.text.splitlines()]
            items = [item for item in (lines if place.grid is None else [row.head for row in place.grid.rows]) if item]
            kind = "items" if place.grid is None else "rows"
            yield from _items(str(items), items, kind, place, rarity.share(place.stems_around - place.stems))
        done.add(key)


def _items(text: str, items: Sequence[str], kind: str, place: Place, before: float) -> Iterator[Candidate]:
    if len(items) > 1:
        size = math.log(1 + len(text.split()) / len(items))
        told = {"before": before, "items": math.log(len(items)), "item words": size}
        yield Candidate(text, kind, (place,), told)
        yield Candidate(str(len(items)), f"count of {kind}", (place,), told)


def _parts(asked: Asked, passages: Sequence[Passage]) -> Iterator[Candidate]:
    """How many figures, charts of a form, tables or sections the evidence has, on the pages that the question names."""
    *form, thing = counted_structure(asked.text).split() or [""]
    pages = {item for name in page_names(asked.text) for item in name.items}
    wanted = _FORMS.get(form[0], form[0]) if form else None
    found = [
        each
        for each in passages
        if each.type == _TYPES.get(thing, "image")
        and (not pages or str(each.page) in pages)
        and (each.chart_form == wanted if wanted else thing not in ("chart", "plot", "graph") or each.chart_form)
    ]
    if thing not in ("", "page") and found:
        places = tuple(Place(each, each.title or each.label, "figure", 0) for each in found)
        told = {"pages": float(bool(pages)), "form": float(bool(form))}
        yield Candidate(str(len(found)), "count of parts", places, told)


def _yes_no(asked: Asked, listed: Sequence[RankedPlace], rarity: Rarity) -> Iterator[Candidate]:
    """Yes and no by the best places: what they hold of the question, and whether they deny it."""
    said = {number.text for number in numbers(asked.text)}
    for order, place in enumerate(ranked.place for ranked in listed):
        stated = {each.text for each in numbers(place.quote)}
        spoken = frozenset(re.findall(r"[^\W\d_]+|n't", fold(place.quote)))
        features = {
            "share": rarity.share(place.stems), "near": rarity.share(place.stems_around), "first": float(order == 0),
            "denied": float(bool(spoken & NEGATIONS) != bool(asked.words & NEGATIONS)), "absent": rarity.absent,
            "same number": float(bool(said & stated)), "no number": float(bool(said) and not stated),
            "other number": float(bool(said and stated) and not said & stated),
        }  # fmt: skip
        for answer in _left_open(asked, place, rarity):
            yield Candidate(answer, answer.lower(), (place,), {f"{answer} {name}": features[name] for name in features})


def _left_open(asked: Asked, place: Place, rarity: Rarity) -> list[str]:
    """Yes, no or both: what a form states is the one, what a place denies is not yes; a question states neither."""
    said = place.boxes or [
        each for each in labelled_answers(place.quote) if rarity.share(terms(each.label)) >= MIN_LABEL_SHARE
    ]
    if said:
        return list(filter(None, map(yes_or_no, ticked_options(said, rarity.share, yes_no=True))))
    amounts = {each.value for each in numbers(asked.text) if each.money or each.percent or each.scale != 1}
    if place.quote.endswith("?") or not amounts <= {each.value for each in numbers(place.quote)}:
        return []
    denied = any(word not in asked.words and rarity.share(terms(rest)) for word, rest in denials(place.quote))
    return ["No"] if denied else ["Yes", "No"]


def _choices(asked: Asked, listed: Sequence[RankedPlace]) -> Iterator[Candidate]:
    """Each option that a place names while it does not name the other."""
    keys = [frozenset(terms(option)) for option in asked.options]
    for ranked in listed:
        held = [bool(key) and key <= ranked.place.stems for key in keys]
        if sum(held) == 1:
            yield Candidate(asked.options[held.index(True)], "choice", (ranked.place,), {})
