"""Short answers out of running text: the sentence that fits, and in it the words of the kind that is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked, Kind
from cosee.reader.skills.rank import coverage
from cosee.text.content_words import terms, words
from cosee.text.folding import fold
from cosee.text.months import MONTHS, SHORT_MONTHS
from cosee.text.number_words import UP_TO_TWENTY
from cosee.text.numbers import Number, numbers
from cosee.text.sentences import split_sentences
from cosee.text.stemming import stem

_MONTH = rf"(?:{'|'.join(each.capitalize() for each in (*MONTHS, 'sept', *SHORT_MONTHS))})\.?"
_DATE = re.compile(
    rf"{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}|\d{{1,2}}(?:st|nd|rd|"
    rf"th)?\s+(?:of\s+)?{_MONTH},?\s+\d{{4}}|{_MONTH}\s+\d{{4}}"
    rf"|\d{{4}}[-/.]\d{{1,2}}[-/.]\d{{1,2}}|\d{{1,2}}[-/.]\d{{1,2}}[-/.]\d{{2,4}}|"
    rf"\d{{4}}年\d{{1,2}}月(?:\d{{1,2}}日)?|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?"
)
_NAME = re.compile(
    r"(?:(?:Mr|Mrs|Ms|Dr|Prof|Sir)\.?\s+)?[A-Z][\w'’.-]*(?:\s+(?:of|de|van|von|der|the|and|&|[A-Z][\w'’.-]*))*"
)
_TRAILING = re.compile(r"(?:\s+(?:of|de|van|von|der|the|and|&))+$")
_NUMBERED = re.compile(
    r"\b(?:tables?|figures?|fig|charts?|sections?|chapters?|parts?|appendix|annex|exhibit|notes?|items?|steps?|pages?|"
    r"slides?|box|equation|eq|tabelle|abbildung|abb|kapitel|abschnitt|seite|tableau|chapitre|tabla|figura|secci[oó]n|"
    r"cap[ií]tulo|p[aá]gina)\.?\s*(?:[A-Z][-.]?)?$",
    re.IGNORECASE,
)
"""What stands before a number that names a table, a section or a page."""
_LINE_VALUE = re.compile(r"^\s*(.{2,90}?)\s*(?:[:：]|\s[-–—=]\s|\.{3,})\s*(.+?)\s*$")


@dataclass(frozen=True)
class Span:
    """A short answer with the sentence it stands in. ``score`` is 0..1: how much of the question the sentence holds,
    lowered where the answer stands far from the question's words."""

    text: str
    sentence: str
    passage: Passage
    score: float


_DULL = {
    "caption": 0.75,
    "section": 0.55,
    "toc": 0.3,
    "header": 0.4,
    "footer": 0.4,
    "equation": 0.6,
    "document": 0.3,
    "image": 0.6,
}
"""How much a sentence of such a node is worth as an answer, against one of running text."""
_UNCOUNTED = 0.9
"""What a number is worth in a count that the things counted do not follow."""
_PROSE_CELL = 60
"""Characters from which a table's cell reads like a sentence."""


@lru_cache(maxsize=8_192)
def text_sentences(passage: Passage) -> tuple[str, ...]:
    """The sentences of a passage; of a table only the cells that are prose (its values are for looking up)."""
    if not passage.rows:
        caption = passage.title if passage.title and passage.title not in passage.text else ""
        return (*split_sentences(caption), *split_sentences(passage.text))
    prose = [" ".join(cell.split()) for row in passage.rows for cell in row if len(cell) >= _PROSE_CELL]
    return tuple(dict.fromkeys(piece for cell in prose for piece in split_sentences(cell)))


def best_sentences(asked: Asked, passages: Sequence[Passage], weights: dict[str, float], limit: int = 5) -> list[Span]:
    """Sentences by the share of the question's words that they, with a little help of their neighbours, hold."""
    found: list[Span] = []
    for passage in passages:
        pieces = text_sentences(passage)
        if not pieces:
            continue
        dull = _DULL.get(passage.type, 1.0)
        context = coverage(asked, " ".join((*passage.path[-2:], passage.title)), weights)
        whole = coverage(asked, passage.content, weights)
        for at, piece in enumerate(pieces):
            own = coverage(asked, piece, weights)
            if not own:
                continue
            before = coverage(asked, pieces[at - 1], weights) if at else 0.0
            after = coverage(asked, pieces[at + 1], weights) if at + 1 < len(pieces) else 0.0
            length = len(piece)
            fit = 0.72 * own + 0.13 * max(before, after, 0.9 * own) + 0.08 * whole + 0.07 * max(context, 0.8 * own)
            if length < 25 or length > 600:
                fit *= 0.85
            if piece.endswith("?"):
                fit *= 0.8
            found.append(Span(piece, piece, passage, round(fit * dull, 6)))
    return sorted(found, key=lambda span: -span.score)[:limit]


def spans(asked: Asked, passages: Sequence[Passage], weights: dict[str, float]) -> list[Span]:
    """Typed short answers of the question's kind, best first; empty where no sentence holds one."""
    found: list[Span] = []
    # What a chart shows is looked up in its values: among its labels are those of the axes.
    prose = [passage for passage in passages if not passage.chart_rows]
    for sentence in best_sentences(asked, prose, weights, 8):
        for text, nearness in typed_spans(asked, sentence.sentence):
            fit = sentence.score * (0.55 + 0.45 * nearness)
            found.append(Span(text, sentence.sentence, sentence.passage, fit))
    if not found and asked.pages:
        found = _on_page(asked, passages)
    return sorted(found, key=lambda candidate: -candidate.score)


def _on_page(asked: Asked, passages: Sequence[Passage]) -> list[Span]:
    """``the date on page 14``: values of the kind on the named pages, where the question says no more of them."""
    return [
        Span(text, sentence, passage, 0.45)
        for passage in passages
        if passage.page in asked.pages
        for sentence in text_sentences(passage)
        for text, _ in typed_spans(asked, sentence)
    ][:1]


def typed_spans(asked: Asked, sentence: str) -> list[tuple[str, float]]:
    """Candidates of the question's kind in a sentence, each with its nearness (0..1) to the question's words."""
    finder = _FINDERS.get(asked.kind)
    if finder is None:
        return []
    return [
        (text, _nearness(asked, sentence, start, end) * (1.0 if _followed(asked, sentence, end) else _UNCOUNTED))
        for text, start, end in finder(asked, sentence)
    ]


def _nearness(asked: Asked, sentence: str, start: int, end: int) -> float:
    """0..1: how closely the question's words stand around the span; 1 where all of them are next to it."""
    wanted = set(asked.terms)
    near: dict[str, float] = {}
    before = at = len(sentence[:start].split())
    for position, word in enumerate(sentence.split()):
        distance = before - position if position < at else position - at - len(sentence[start:end].split()) + 1
        if position >= at and distance <= 0:
            continue
        for term in terms(word):
            if term in wanted:
                near[term] = max(near.get(term, 0.0), 1.0 / (1.0 + 0.15 * max(0, distance - 1)))
    return sum(near.values()) / len(near) if near else 0.0


def _dates(asked: Asked, sentence: str) -> list[tuple[str, int, int]]:
    asked_text = fold(asked.core)
    found = [(match.group(), match.start(), match.end()) for match in _DATE.finditer(sentence)]
    found = [item for item in found if fold(item[0]) not in asked_text]
    if found:
        return found
    return _years(asked, sentence)


def _years(asked: Asked, sentence: str) -> list[tuple[str, int, int]]:
    return [
        (match.group(), match.start(), match.end())
        for match in re.finditer(r"(?<![\d.,$])(?:1[5-9]|20)\d\d(?!\d|,\d|%)", sentence)
        if match.group() not in asked.years
    ]


def _quantities(asked: Asked, sentence: str) -> list[tuple[str, int, int]]:
    """Numbers of the wanted kind, those of the question and bare years left out."""
    given = {number.value for number in numbers(asked.core)}
    dates = [match.span() for match in _DATE.finditer(sentence)]
    found = [
        number
        for number in numbers(sentence)
        if number.value not in given
        and not (number.year and not number.money)
        and not any(start <= number.start < end for start, end in dates)
        and not _NUMBERED.search(sentence[max(0, number.start - 16) : number.start])
    ]
    if asked.kind == "percent":
        found = [number for number in found if number.percent] or found
    elif asked.kind == "money":
        found = (
            [number for number in found if number.money] or [number for number in found if not number.percent] or found
        )
    elif asked.kind == "count":
        found = [
            number for number in found if not number.percent and not number.money and number.value == int(number.value)
        ]
        found = [number for number in found if _followed(asked, sentence, number.end)] or found
    found = _of_year(asked, sentence, found)
    spans = [(number.text, number.start, number.end) for number in found]
    if asked.kind == "count":
        spans += _word_numbers(asked, sentence)
    if asked.kind == "number":
        spans = [_with_unit(sentence, item) for item in spans]
    return spans


def _of_year(asked: Asked, sentence: str, found: list[Number]) -> list[Number]:
    """Of as many numbers as years (``$5, $4 and $3 in 2015, 2014 and 2013``), the one of the year asked for."""
    years = [match.group() for match in re.finditer(r"(?<![\d.,$])(?:19|20)\d\d(?!\d|,\d|%)", sentence)]
    if len(asked.years) != 1 or len(years) < 2 or asked.years[0] not in years or len(set(years)) != len(years):
        return found
    kinds = [number for number in found if number.money] or [number for number in found if number.percent] or found
    return [kinds[years.index(asked.years[0])]] if len(kinds) == len(years) else found


def _followed(asked: Asked, sentence: str, end: int) -> bool:
    """Whether what is counted stands right after a number; true where nothing is counted."""
    units = _counted(asked) if asked.kind == "count" else set()
    return not units or bool(units & set(terms(sentence[end : end + 40])[:3]))


def _counted(asked: Asked) -> set[str]:
    """Stems of what is counted: the words after ``how many``."""
    match = re.search(r"(?:how many|number of)\s+((?:[\w-]+\s*){1,4})", fold(asked.core))
    return set(terms(match[1])) if match else set()


def _word_numbers(asked: Asked, sentence: str) -> list[tuple[str, int, int]]:
    units = _counted(asked)
    return [
        (match.group(), match.start(), match.end())
        for match in re.finditer(r"\b[A-Za-z]+\b", sentence)
        if match.group().lower() in UP_TO_TWENTY and units & set(terms(sentence[match.end() : match.end() + 40])[:3])
    ]


def _with_unit(sentence: str, item: tuple[str, int, int]) -> tuple[str, int, int]:
    """A quantity with the unit behind it (``850 kg``, ``3.5 hours``)."""
    text, start, end = item
    unit = re.match(
        r"\s?(?:[a-zA-Zµ°Ω]{1,3}(?:/[a-zA-Z]{1,4}|\^?\d)?|hours?|days?|weeks?|months?|years?|minutes?|seconds?|"
        r"inch(?:es)?|feet|meters?|metres?|degrees?|pounds|miles|pixels|characters|people)(?![\w])",
        sentence[end:],
    )
    if not unit or unit.group().strip().lower() in {
        "of",
        "in",
        "to",
        "and",
        "at",
        "by",
        "is",
        "on",
        "or",
        "for",
        "the",
        "was",
        "are",
        "as",
        "a",
        "per",
        "who",
        "but",
        "not",
        "had",
        "has",
    }:
        return item
    return text + unit.group(), start, end + unit.end()


def _names(asked: Asked, sentence: str) -> list[tuple[str, int, int]]:
    """Capitalised names that the question does not hold."""
    asked_words = set(words(asked.core))
    found = []
    for match in _NAME.finditer(sentence):
        text = _TRAILING.sub("", match.group()).rstrip(".,;")
        fresh = [word for word in words(text) if word not in asked_words]
        opening = match.start() == 0 and len(text.split()) == 1
        if fresh and len(text) > 2 and not opening and len(fresh) * 2 > len(words(text)):
            found.append((text, match.start(), match.start() + len(text)))
    return found


_FINDERS = {
    "date": _dates, "year": _years, "percent": _quantities, "money": _quantities, "count": _quantities,
    "number": _quantities, "person": _names, "place": _names,
}  # fmt: skip


def stands_for(asked: Asked, passages: Sequence[Passage]) -> Span | None:
    """What an abbreviation stands for: ``Long Name (LN)``, ``LN (Long Name)``, ``LN: Long Name``."""
    for short in re.findall(r"\b[A-Z][A-Za-z&-]*[A-Z][A-Za-z&]*\b|\b[A-Z]{2,}s?\b", asked.core):
        letters = [letter.lower() for letter in short if letter.isalnum()]
        for passage in passages:
            text = " ".join(passage.content.split())
            for match in re.finditer(rf"(?<!\w){re.escape(short)}(?!\w)", text):
                found = _expansion(letters, text, match.start(), match.end())
                if found:
                    return Span(found, _around(text, match.start()), passage, 0.95)
    return None


def _expansion(letters: Sequence[str], text: str, start: int, end: int) -> str | None:
    """Neighbouring words whose initials are the letters, small words aside."""
    before = re.findall(r"[\w&'-]+", text[max(0, start - 160) : start])
    after = re.findall(r"[\w&'-]+", text[end : end + 160])
    small = {"of", "the", "and", "for", "in", "on", "to", "a", "&"}
    for size in range(len(letters), len(letters) + 4):
        for candidate in (before[-size:], after[:size]):
            initials = [word[0].lower() for word in candidate if word.lower() not in small]
            parts = [
                part[0].lower() for word in candidate if word.lower() not in small for part in word.split("-") if part
            ]
            if len(candidate) == size and candidate[0].lower() not in small and letters in (initials, parts):
                return _literal(text, candidate, start, end)
    return None


def _literal(text: str, candidate: Sequence[str], start: int, end: int) -> str:
    """The words as they stand in the text."""
    pattern = r"[^\w&'-]{1,3}".join(re.escape(word) for word in candidate)
    match = re.search(pattern, text[max(0, start - 200) : end + 200])
    return match.group() if match else " ".join(candidate)


def _around(text: str, at: int) -> str:
    return text[max(0, at - 120) : at + 160]


def labelled_values(asked: Asked, passages: Sequence[Passage], weights: dict[str, float]) -> list[Span]:
    """Best first: values after a label (``Filing date: 3 May``), or lines that follow a line with just the label."""
    found: list[Span] = []
    wanted = set(asked.terms)
    for passage in passages:
        if any(len(row) > 2 for row in passage.rows):
            continue  # its cells are looked up by row and column
        lines = [line.strip() for line in passage.content.splitlines() if line.strip()]
        for at, line in enumerate(lines):
            match = _LINE_VALUE.match(line)
            label, value = (match[1], match[2]) if match else (line, lines[at + 1] if at + 1 < len(lines) else "")
            stems = set(terms(label))
            shared = stems & wanted
            if not shared or not value or len(stems) > 8 or len(value) > 160:
                continue
            precision = len(shared) / len(stems)
            recall = coverage(asked, " ".join((label, *passage.path[-1:], passage.title)), weights)
            sure = 1.0 if match and match[2] else 0.8
            if precision >= 0.6 and not set(terms(value)) <= wanted:
                found.append(
                    Span(
                        value.rstrip(" ."),
                        line if match else f"{line}\n{value}",
                        passage,
                        sure * (0.4 * precision + 0.6 * recall),
                    )
                )
    return sorted(found, key=lambda candidate: -candidate.score)


def kind_of_span(kind: Kind) -> bool:
    """Whether short typed answers of this kind can be found in text."""
    return kind in _FINDERS


def overlap(first: str, second: str) -> float:
    """Share of the first text's stems that the second holds."""
    stems = {stem(word) for word in words(first)}
    return len(stems & {stem(word) for word in words(second)}) / len(stems) if stems else 0.0
