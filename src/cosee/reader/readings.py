"""The readings: what can be an answer in the best places, each with what speaks for it.

A span of a sentence; the cell where a row and a column that the question names meet; all items of a list; the number of
rows or items; yes or no by what is stated or ticked; one of two options; the difference, ratio or growth of two named
cells; one to three sentences. No reading looks for words of a question: which of them fits is fitted.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from cosee.index.features import units_in
from cosee.question.form import counted_structure
from cosee.reader.asked import SHAPES, Asked, periods, shape_of
from cosee.reader.evidence import NUMBERING, Place, Rarity, Rated
from cosee.reader.passages import Passage
from cosee.reader.tables import Grid, Row
from cosee.text.content_words import label_terms, terms
from cosee.text.folding import fold
from cosee.text.mentions import page_names
from cosee.text.months import MONTH
from cosee.text.numbers import Number, cell_number, numbers, plain_number
from cosee.text.stop_words import STOP_WORDS

READ = 5
"""Sentences that spans are read from."""
TABLE_ROWS = 14
"""Rows that cells are read from."""
CELLS = 4
"""Cells of a row that are tried."""
LONGEST_SPAN = 10
_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[,;:.!?()\[\]—–“”\"]")
_NUMBER_TAIL = re.compile(r"[\d.,'’]*\d")
_UNIT = re.compile(r"\s?([^\W\d_]{1,12}|°\s?[CF])\b")
# General knowledge: how dates are written, with the months in English, in digits, and in Chinese and Japanese.
_DATE = re.compile(
    rf"(?:\b\d{{1,2}}(?:st|nd|rd|th)?\.?\s+(?:of\s+)?)?\b{MONTH}\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?\d{{4}}\b"
    rf"|\b{MONTH}\.?\s+\d{{1,2}}\b(?!\d)|\b\d{{1,2}}\s+{MONTH}\b|\b\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}\b"
    r"|\d{4}\s*年(?:\s*\d{1,2}\s*月(?:\s*\d{1,2}\s*日)?)?|\b(?:1[6-9]|20)\d\d\b(?![.,]\d)",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?:[^\W\d_a-z][\w&.’'-]*)(?:\s+(?:(?:of|and|&|the|de|van|von|for)\s+)?[^\W\d_a-z][\w&.’'-]*)*")
_SERIES = re.compile(r"((?:[^,;:.()]{2,60},\s+){1,12}[^,;:.()]{2,60}?,?\s+(?:and|und|et|y|or)\s+[^,;:.()]{2,60})")
_SERIES_PART = re.compile(r",\s+(?:(?:and|und|et|y|or)\s+)?|\s+(?:and|und|et|y|or)\s+")
_TICKED, _EMPTY = "☑☒✓✔✗✘■●⦿", "☐□○"
_NUMBERING = re.compile(r"\s*(?:[•▪·*>–—-]\s*)?(?:\(?(?:\d{1,2}|[a-z])[.)]\s+|\d{1,2}\s+(?=[^\W\d_a-z]))?")
_BOX = re.compile(f"[{_TICKED}{_EMPTY}]|\\[[xX ]\\]")
# General knowledge: the negations of English, German, French and Spanish.
_NEGATIONS = frozenset("no not never none neither nor without cannot n't nicht kein keine ohne nie pas sans jamais".split())


@dataclass(frozen=True, eq=False)
class Candidate:
    """A possible answer with the places that it was read from, first of all the one that holds it."""

    text: str
    kind: str
    places: tuple[Place, ...]
    features: Mapping[str, float]

    @property
    def group(self) -> str:
        """The kinds that are much alike."""
        return next((name for name, kinds in _GROUPS.items() if self.kind in kinds), self.kind.partition(" ")[0])


_GROUPS = {
    "number": ("number", "cell"), "words": ("name", "phrase", "word cell"), "all": ("series", "items", "rows"),
    "made": ("difference", "sum", "ratio", "share", "growth"), "verdict": ("yes", "no", "choice", "tick"),
}  # fmt: skip


def readings(
    asked: Asked, listed: Sequence[Rated], rarity: Rarity, passages: Sequence[Passage]
) -> list[Candidate]:
    """Every candidate of every reading; those that the question's period or options rule out are left out."""
    found = [
        each
        for each in _all(asked, listed, rarity, passages)
        if each.text and _in_period(asked, each) and _among_options(asked, each)
    ]
    best = listed[0].score if listed else 0.0
    votes = Counter(fold(each.text) for each in {(fold(each.text), each.places[0]): each for each in found}.values())
    ranks = {rated.place: number for number, rated in reversed(list(enumerate(listed)))}
    rows = {rated.place: rated for rated in listed}
    return [
        _with_shared(asked, each, rows.get(each.places[0], listed[0]), ranks.get(each.places[0], 0), best, votes, rarity)
        for each in found
        if listed
    ]


def _all(
    asked: Asked, listed: Sequence[Rated], rarity: Rarity, passages: Sequence[Passage]
) -> Iterator[Candidate]:
    text = [each for each in listed if each.place.kind not in ("row", "toc", "section")]
    rows = [each for each in listed if each.place.row is not None]
    counted = list(_nodes(asked, passages))
    yield from counted
    if counted:
        return
    yield from _ticks(listed[: 2 * READ])
    if asked.form == "yes_no" or asked.shapes.get("yes_no", 0.0) > 0.5:
        yield from _yes_no(asked, listed[:3], rarity)
        if asked.form == "yes_no":
            return
    if asked.options:
        yield from _choices(asked, listed[: 2 * READ])
        return
    cells = list(_cells(asked, rows[:TABLE_ROWS], rarity))
    yield from cells
    yield from _pairs(asked, cells)
    yield from _lists(asked, listed[:READ], rarity)
    for number, rated in enumerate(text[:READ]):
        yield from _spans(asked, rated.place, rarity)
        if number < 4:
            yield from _sentences(rated.place, text)


def _with_shared(
    asked: Asked, each: Candidate, rated: Rated, rank: int, best: float, votes: Counter[str], rarity: Rarity
) -> Candidate:
    """The candidate with the features that every reading has."""
    held = frozenset(terms(each.text))
    shape = shape_of(each.text)
    size = len(each.text.split())
    told = {
        f"kind {each.kind}": 1.0,
        "shape": math.log(max(0.003, asked.shapes.get(shape, 0.003))),
        "place": rated.score,
        "behind": best - rated.score,
        "rank": 1.0 / (1 + rank),
        "votes": math.log(votes[fold(each.text)]),
        "echo": rarity.share(held),
        "new": len(held - set(asked.terms)) / max(1, len(held)),
        "words": math.log(1 + size),
        "absent": rarity.absent,
        **{f"p {name}": rated.features[name] for name in _OF_PLACE},
    }
    certain = max(SHAPES, key=lambda name: asked.shapes.get(name, 0.0))
    told[f"{certain} by {each.group}"] = 1.0
    return Candidate(each.text, each.kind, each.places, {**told, **each.features})


_OF_PLACE = ("share", "share near", "pairs", "names", "period", "other period", "page rank", "is row", "is figure", "is caption", "is list")


def _in_period(asked: Asked, each: Candidate) -> bool:
    """Whether the evidence states every period that is asked for."""
    stated = frozenset[str]().union(*(place.dated for place in each.places), periods(each.text))
    return asked.periods <= stated


def _among_options(asked: Asked, each: Candidate) -> bool:
    return not asked.options or each.kind in ("choice", "yes", "no", "tick")


def _spans(asked: Asked, place: Place, rarity: Rarity) -> Iterator[Candidate]:
    """Numbers with their units, dates, names, and phrases between marks and small words."""
    text = place.quote
    series = list(_series(text))
    seen: set[tuple[int, int]] = set()
    spans: list[tuple[str, int, int]] = [("number", start, end) for start, end in _numbers(place)]
    spans += [("date", *match.span()) for match in _DATE.finditer(text)]
    spans += [("name", *match.span()) for match in _NAME.finditer(text) if match.end() - match.start() > 1]
    spans += [("phrase", start, end) for start, end in _phrases(text)]
    for kind, start, end in spans:
        told = text[start:end].strip(" .,;:")
        if (start, end) in seen or not told or not set(terms(told)) - set(asked.terms):
            continue
        if kind in ("name", "phrase") and any(first <= start and end <= last for first, last in series):
            continue  # one item of a series is no whole answer
        seen.add((start, end))
        yield Candidate(told, kind, (place,), _around(asked, text, start, end, rarity))


def _numbers(place: Place) -> Iterator[tuple[int, int]]:
    """Numbers as printed, with sign, currency, scale and unit; no years, marks of notes, or numbering of a line."""
    text = place.quote
    for number in numbers(text):
        start, end = number.start, number.end
        if number.year or (place.kind in NUMBERING and not text[:start].strip()):
            continue
        if text[end : end + 1] == ")" and text.rfind("(", 0, start) <= text.rfind(")", 0, start):
            continue  # 1) is a mark
        if text[start - 1 : start] in ("[", "^", "*") or start < _numbering(text):
            continue
        if (tail := _NUMBER_TAIL.match(text, end)) and text[end] in ",.'’":
            end = tail.end()
        if not number.percent and (unit := _UNIT.match(text, end)) and units_in(f"{number.text} {unit[1]}"):
            end = unit.end()
        yield min(start, number.end - len(number.text)), end


def _numbering(text: str) -> int:
    """Where what is said begins, behind a bullet or the number of a line."""
    found = _NUMBERING.match(text)
    return found.end() if found else 0


def _phrases(text: str) -> Iterator[tuple[int, int]]:
    """Runs of words between marks and small words."""
    tokens = [(match.start(), match.end(), match.group()) for match in _WORD.finditer(text)]
    little = [fold(word).strip(",.;:()") in STOP_WORDS for _, _, word in tokens]
    starts, ends = [], []
    for at, (_, _, word) in enumerate(tokens):
        if not little[at] and (at == 0 or little[at - 1] or _MARK.search(tokens[at - 1][2][-1]) or _MARK.match(word)):
            starts.append(at)
        if not little[at] and (at + 1 == len(tokens) or little[at + 1] or _MARK.search(word[-1])):
            ends.append(at)
    for first in starts[:24]:
        for last in ends:
            if first <= last < first + LONGEST_SPAN:
                yield tokens[first][0], tokens[last][1]


def _around(asked: Asked, text: str, start: int, end: int, rarity: Rarity) -> dict[str, float]:
    """What stands before and after a span."""
    before, after = text[:start].split(), text[end:].split()
    last = fold(before[-1]).strip(",;(") if before else ""
    return {
        "before": rarity.share(frozenset(terms(" ".join(before[-6:])))),
        "after": rarity.share(frozenset(terms(" ".join(after[:6])))),
        "beside": rarity.share(frozenset(terms(" ".join([*before[-3:], *after[:3]])))),
        "starts": float(not before),
        "ends": float(not after),
        "clause": float(bool(_MARK.match(text[end : end + 1])) or not after),
        "behind colon": float(bool(before) and before[-1].endswith(":")),
        "behind verb": float(last in _COPULAS),
        "behind preposition": float(last in _PREPOSITIONS),
        "in brackets": float(text[max(0, start - 1) : start] == "("),
    }


# General knowledge: the forms of "to be", and prepositions of English.
_COPULAS = frozenset("is are was were be been".split())
_PREPOSITIONS = frozenset("of in by at to for from with as on".split())


def _sentences(place: Place, text: Sequence[Rated]) -> Iterator[Candidate]:
    """The sentence alone, and with the one or two that follow it."""
    ranks = {each.place.order: each for each in text if each.place.passage is place.passage}
    told = [place]
    for count in (1, 2, 3):
        yield Candidate(
            " ".join(each.quote[_numbering(each.quote) :] for each in told), f"sentences {count}", tuple(told),
            {"further": sum(ranks[each.order].features["share"] for each in told[1:])},
        )  # fmt: skip
        after = ranks.get(place.order + count)
        if after is None:
            return
        told.append(after.place)


def _cells(asked: Asked, rows: Sequence[Rated], rarity: Rarity) -> Iterator[Candidate]:
    """The cells of the best rows whose columns fit best."""
    wanted = frozenset(label_terms(asked.text))
    for rated in rows:
        place = rated.place
        table, row = place.grid, place.row
        assert table is not None and row is not None
        heads = {column: _head_fit(wanted, table.heads[column]) for column in row.values}
        dated = {column: periods(table.heads[column]) for column in row.values}
        usable = [c for c in row.values if not (asked.periods and dated[c]) or dated[c] & asked.periods]
        usable.sort(key=lambda column: (-len(dated[column] & asked.periods), -heads[column][1], -heads[column][0], column))
        numeric = sum(cell_number(row.cells[column]) is not None for column in row.values)
        fit = _head_fit(wanted, row.head)
        rivals = sum(_head_fit(wanted, other.head) >= fit for other in table.rows)
        for order, column in enumerate(usable[:CELLS]):
            text, number = _cell_text(table, row, column)
            head = heads[column]
            same = sum(heads[other] == head and dated[other] == dated[column] for other in usable)
            yield Candidate(
                text, "cell" if number else "word cell", (place,),
                {
                    "row precision": fit[0], "row whole": float(fit[0] > 0.99), "row words": fit[1] / 4,
                    "row rivals": math.log(max(1, rivals)), "column precision": head[0], "column words": head[1] / 4,
                    "column rivals": math.log(same), "only value": float(len(row.values) == 1),
                    "column first": float(order == 0), "column number": float(numeric > 0), "drawn": float(not table.shown),
                    "column period": float(bool(asked.periods & dated[column])),
                    "met": float(fit[0] > 0.99 and same == 1 and head[1] > 0),
                    "held": rarity.share(place.near | frozenset(terms(table.heads[column]))),
                },
            )  # fmt: skip


def _head_fit(wanted: frozenset[str], head: str) -> tuple[float, int]:
    """(share of a head's words that the question has, how many)."""
    held = set(label_terms(head))
    return (round(len(held & wanted) / len(held), 3), len(held & wanted)) if held else (0.0, 0)


def _cell_text(table: Grid, row: Row, column: int) -> tuple[str, Number | None]:
    """A cell as printed, with the scale that its table states, and its number."""
    text = row.cells[column]
    number = cell_number(text)
    if number is None or number.year or not re.search(r"\d", text):
        return text, None if number is None or not re.search(r"\d", text) else number
    if number.value < 0 and "(" in text:
        text = f"-{text.replace('(', '').replace(')', '').strip()}"
    if "%" not in text and "%" in f"{table.heads[column]} {row.head}":
        return f"{text.strip()}%", number
    scaled = table.scale and number.scale == 1 and not number.percent
    return (f"{text} {table.scale}" if scaled else text), number


def _pairs(asked: Asked, cells: Sequence[Candidate]) -> Iterator[Candidate]:
    """Two named cells of a table taken together: of a row in two periods, or of two rows in a column."""
    named = [each for each in cells if each.kind == "cell" and each.features["row whole"]][:8]
    for at, first in enumerate(named):
        for second in named[at + 1 :]:
            one, other = first.places[0], second.places[0]
            if one.grid is not other.grid:
                continue
            same_row = one.row is other.row
            if not same_row and asked.periods and first.features["column period"] != second.features["column period"]:
                continue
            values = [cell_number(each.text.split(" ")[0] or "") or next(iter(numbers(each.text)), None) for each in (first, second)]
            if values[0] is None or values[1] is None:
                continue
            a, b = values[0].value, values[1].value
            places = (one,) if same_row else (one, other)
            features = {
                "same row": float(same_row), "row words": first.features["row words"],
                "column period": first.features["column period"] * second.features["column period"], "held": first.features["held"],
                "column rivals": max(first.features["column rivals"], second.features["column rivals"]),
            }  # fmt: skip
            scale = first.text.rpartition(" ")[2] if first.text[-1:].isalpha() else ""
            made = {"difference": f"{plain_number(abs(a - b))} {scale}".strip(), "sum": f"{plain_number(a + b)} {scale}".strip()}
            if b:
                made |= {"ratio": plain_number(a / b, 2), "share": f"{plain_number(100 * a / b, 1)}%",
                         "growth": f"{plain_number(100 * (a - b) / abs(b), 1)}%"}  # fmt: skip
            yield from (Candidate(text, kind, places, features) for kind, text in made.items())


def _lists(asked: Asked, listed: Sequence[Rated], rarity: Rarity) -> Iterator[Candidate]:
    """All items of a list, a series in a sentence, the names of a table's rows; and how many they are."""
    wanted = frozenset(label_terms(asked.text))
    done: set[tuple[str | None, int]] = set()
    for rated in listed:
        place = rated.place
        for start, end in _series(place.quote):
            items = [part.strip() for part in _SERIES_PART.split(place.quote[start:end]) if part.strip()]
            before = rarity.share(frozenset(terms(place.quote[:start])))
            yield from _items(place.quote[start:end], items, "series", place, {"before": before})
        key = (place.passage.node_id, place.passage.page)
        if key in done:
            continue
        done.add(key)
        if place.passage.type == "list":
            items = [line.strip(" •-–*·") for line in place.passage.text.splitlines() if line.strip(" •-–*·")]
            yield from _items(str(items), items, "items", place, {"before": rarity.share(place.near - place.held)})
        elif place.grid is not None:
            fit = _head_fit(wanted, place.grid.heads[0])
            names = [row.head for row in place.grid.rows if row.head]
            features = {"before": rarity.share(place.near - place.held), "column precision": fit[0]}
            yield from _items(str(names), names, "rows", place, features)


# General knowledge: the forms of charts that are drawn alike, and the types of a document's parts.
_FORMS = {"column": "bar", "stacked": "bar"}
_TYPES = {"table": "table", "section": "section", "chapter": "section", "equation": "equation"}


def _nodes(asked: Asked, passages: Sequence[Passage]) -> Iterator[Candidate]:
    """How many figures, charts of a form, tables or sections the evidence has, on the pages that the question names."""
    *form, thing = counted_structure(asked.text).split() or [""]
    pages = {item for name in page_names(asked.text) for item in name.items}
    found = [each for each in passages if each.type == _TYPES.get(thing, "image") and (not pages or str(each.page) in pages)]
    if form or thing in ("chart", "plot", "graph"):
        wanted = _FORMS.get(form[0], form[0]) if form else None
        found = [each for each in found if each.chart_form == wanted or not wanted and each.chart_form not in (None, "unknown")]
    places = tuple(Place(each, each.title or each.label, "figure", 0) for each in found)
    if thing and thing != "page" and places:
        yield Candidate(str(len(found)), "count of nodes", places, {"pages": float(bool(pages)), "form": float(bool(form))})


def _series(text: str) -> Iterator[tuple[int, int]]:
    """Where a sentence lists things: from behind the last small word before the first of them to the last."""
    for match in _SERIES.finditer(text):
        first = match[1].partition(",")[0]
        behind = [word.end() for word in _WORD.finditer(first) if fold(word.group()) in STOP_WORDS]
        start = match.start(1) + (behind[-1] if behind and first[behind[-1] :].strip() else 0)
        yield start + len(text[start:]) - len(text[start:].lstrip()), match.start(1) + len(match[1].rstrip())


def _items(text: str, items: Sequence[str], kind: str, place: Place, features: Mapping[str, float]) -> Iterator[Candidate]:
    told = {**features, "items": math.log(len(items) or 1), "item words": math.log(1 + len(text.split()) / max(1, len(items)))}
    if len(items) > 1:
        yield Candidate(text, kind, (place,), told)
        yield Candidate(str(len(items)), f"count of {kind}", (place,), told)


def _yes_no(asked: Asked, listed: Sequence[Rated], rarity: Rarity) -> Iterator[Candidate]:
    """Yes and no by the best places: what they hold of the question, and whether they deny it."""
    said = {number.text for number in numbers(asked.text)}
    for number, rated in enumerate(listed):
        place = rated.place
        stated = {each.text for each in numbers(place.quote)}
        spoken = frozenset(re.findall(r"[^\W\d_]+|n't", fold(place.quote)))
        denied = bool(spoken & _NEGATIONS) != bool(asked.words & _NEGATIONS)
        features = {
            "bias": 1.0, "share": rarity.share(place.held), "near": rarity.share(place.near), "denied": float(denied),
            "absent": rarity.absent, "same number": float(bool(said & stated)),
            "other number": float(bool(said and stated) and not said & stated), "no number": float(bool(said) and not stated),
        }  # fmt: skip
        for answer in ("Yes", "No"):
            told = {f"{answer} {name}": value for name, value in features.items()}
            yield Candidate(answer, answer.lower(), (place,), {**told, f"{answer} first": float(number == 0)})


def _choices(asked: Asked, listed: Sequence[Rated]) -> Iterator[Candidate]:
    """Each option that a place names while it does not name the other."""
    keys = [frozenset(terms(option)) for option in asked.options]
    for rated in listed:
        held = [bool(key) and key <= rated.place.held for key in keys]
        if sum(held) == 1:
            yield Candidate(asked.options[held.index(True)], "choice", (rated.place,), {})


def _ticks(listed: Iterable[Rated]) -> Iterator[Candidate]:
    """What a ticked box stands before, or behind where a line ends in a box."""
    for rated in listed:
        text = rated.place.quote
        marks = list(_BOX.finditer(text))
        ticked = [mark for mark in marks if mark.group()[:1] in _TICKED or mark.group().lower() == "[x]"]
        if len(ticked) != 1 or len(marks) < 2:
            continue
        at = marks.index(ticked[0])
        if not text[marks[-1].end() :].strip():  # "Yes ☒ No ☐"
            told = text[marks[at - 1].end() if at else 0 : ticked[0].start()]
            told = told.rpartition(":")[2].rpartition("?")[2]
        else:
            told = text[ticked[0].end() : marks[at + 1].start() if at + 1 < len(marks) else len(text)]
        if told.strip(" |"):
            yield Candidate(told.strip(" |,;."), "tick", (rated.place,), {})
