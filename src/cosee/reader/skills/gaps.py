"""Whether the evidence holds what a question turns on: its names, numbers, years and quotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set
from dataclasses import replace
from functools import lru_cache

from cosee.artifacts.documents.page_labels import cited_as
from cosee.reader.skills.nodes import Passage
from cosee.reader.skills.question import Asked
from cosee.text.content_words import terms, word_set, words
from cosee.text.folding import fold
from cosee.text.likeness import nearest
from cosee.text.stemming import stem

_PLACES = re.compile(
    r"\b(?:pages?|slides?|figures?|fig\.?|tables?|sections?|chapter|top|round)[\s-]+\d+(?:\s*(?:-|–|to|and)\s*\d+)?",
    re.IGNORECASE,
)
_KEY = re.compile(r"(?<=[\w,)] )(?:[A-Z][\w+-]*\w|\d[\d,.]*\d|\d)(?!\w)")
_SHORT_YEAR = r"(?:\bfy\s?|'|(?:19|20)\d\d[/-]){}(?!\d)"
"""``FY21``, ``'21``, ``2020/21``."""
_COMPANY = re.compile(r"\b(?:[A-Z][\w&]*(?:\.com)?,? )+(?:Inc|Corp|Ltd|LLC|PLC|plc|Co)\b\.?")
"""A company with its legal form: mostly the one that the document is about, and calls "the Company"."""
_COMMON_WORDS = """
    I If The In What Which How A An And Of On For FY USD Q1 Q2 Q3 Q4 US Section Page Figure Table Answer Please
    According Write YYYY MM DD YYYY-MM-DD YYYY-MM Inc Ltd Corp Corporation Company LLC PLC Plc
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_LABELLED = ("figure", "table", "exhibit", "appendix", "chart")


def missing_key(
    asked: Asked, passages: Sequence[Passage], absent: Sequence[str] | None = None, *, numbers: bool = True
) -> bool:
    """Whether something that the question turns on stands nowhere in the evidence.

    That is: every year it gives; a name, an identifier or a number in it; most of a phrase in quotation marks. Names
    may differ in a letter or two. Without ``numbers`` only names are looked for: a yes-no question may give a wrong
    number. Where ``absent`` tells which names stand nowhere in the whole document, a name that is only not in
    ``passages`` is not missed: pages inside a report call the company "we".
    """
    pieces = [
        (passage.content, passage.label, *passage.path, *(cell for row in passage.rows for cell in row))
        for passage in passages
    ]
    text = fold(" ".join(part for piece in pieces for part in piece))
    held = {str(passage.page) for passage in passages}.union(*(word_set(part) for piece in pieces for part in piece))
    if asked.years and not any(year in text or re.search(_SHORT_YEAR.format(year[2:]), text) for year in asked.years):
        return True
    stems = {stem(word) for word in held}
    for quoted in asked.quoted:
        wanted = set(terms(quoted))
        if len(quoted.split()) > 1 and wanted and len(wanted & stems) / len(wanted) < 0.5:
            return True
    keys = [key for key in key_words(asked) if numbers or not key[0].isdigit()]
    if absent is not None:
        keys = [key for key in keys if key in absent or key[0].isdigit()]
    return any(not _is_held(key, held, stems, text) for key in keys)


def missing_place(asked: Asked, passages: Sequence[Passage]) -> bool:
    """Whether none of the pages, or one of the figures, tables or exhibits, that a question names is in the evidence.

    Pages are missed only in evidence that a search found: it reads every page that a question names.
    """
    searched = any(passage.page_rank is not None for passage in passages)
    named = {str(page) for page in asked.pages}
    printed = {name for names in cited_as(each.page_label for each in passages).values() for name in names}
    if searched and named and named.isdisjoint(printed | {str(passage.page) for passage in passages}):
        return True
    for word, number in asked.labels:
        if word in _LABELLED:
            label = re.compile(rf"\b{word[:3]}[a-z]*\.?\s*{re.escape(number)}(?![\w])")
            if not any(label.search(fold(f"{each.label} {each.title} {each.text}")) for each in passages):
                return True
    return False


def absent_keys(asked: Asked, texts: Sequence[str]) -> list[str]:
    """The key words of a question that stand in none of a document's texts; names may differ in a letter or two."""
    held, stems = document_words(tuple(texts))
    return [key for key in key_words(asked) if not _is_held(key, held, stems, "")]


@lru_cache(maxsize=4)
def document_words(texts: tuple[str, ...]) -> tuple[frozenset[str], frozenset[str]]:
    """The folded words of a document, and their stems."""
    held = frozenset[str]().union(*map(word_set, texts))
    return held, frozenset(map(stem, held))


def key_words(asked: Asked) -> list[str]:
    """Names, identifiers and numbers of a question; page and label numbers and the first word are left out."""
    core = _PLACES.sub(" ", _COMPANY.sub(" ", re.sub(r"[\"“”'‘’]", " ", asked.core)))
    if core.isupper():
        return []
    skipped = _COMMON | set(asked.years)
    return [
        word for word in dict.fromkeys(_KEY.findall(core)) if word not in skipped and not re.match(r"FY\W?\d+", word)
    ]


def telling_keys(asked: Asked, passages: Sequence[Passage]) -> tuple[str, ...]:
    """The key words that tell places of the evidence apart: those on at most half of its pages (all of a single one).

    What stands on most pages (the company's name) says nothing about whether a sentence or row is the right one.
    """
    pages: dict[int, set[str]] = {}
    for passage in passages:
        held = pages.setdefault(passage.page, set())
        held.update(terms(" ".join((passage.content, *passage.path))))
    keys = key_words(asked)
    if len(pages) < 2:
        return tuple(keys)
    return tuple(
        key
        for key in keys
        if 0 < sum(set(terms(key)) <= held for held in pages.values()) <= max(1, len(pages) // 2) or key[0].isdigit()
    )


def nearby_keys(asked: Asked, text: str) -> float:
    """1.0 where the telling names and numbers of the question stand in ``text``; each that does not lowers it."""
    held = set(terms(text))
    factor = 1.0
    for key in asked.keys:
        if not set(terms(key)) <= held:
            factor *= 0.7 if key[0].isdigit() else 0.85
    dated = set(re.findall(r"(?<![\d.,])(?:19|20)\d\d(?![\d%])", text))
    if asked.years and dated and not dated & set(asked.years):
        factor *= 0.6
    return max(factor, 0.4)


def _is_held(key: str, held: Set[str], stems: Set[str], text: str) -> bool:
    parts = words(key)
    if all(part in held or stem(part) in stems or (len(part) > 3 and part in text) for part in parts):
        return True
    if any(part.isdigit() for part in parts):
        return False
    return all(part in held or (len(part) > 4 and close_word(part, held)) for part in parts)


def close_word(word: str, held: Iterable[str], cutoff: float = 0.8) -> str | None:
    """The word of ``held`` that ``word`` is a misspelling of: the same first letter, nearly the same length."""
    alike = (each for each in held if each[:1] == word[:1] and abs(len(each) - len(word)) <= 2)
    return next(iter(nearest(word, alike, least=cutoff)), None)


def spelled(asked: Asked, passages: Sequence[Passage]) -> Asked:
    """The question with those of its stems that no passage has replaced by the one they are misspellings of."""
    held = {each for passage in passages for each in terms(f"{passage.content} {' '.join(passage.path)}")}
    right = {
        term: close_word(term, held, 0.86)
        for term in asked.terms
        if len(term) > 4 and term.isascii() and term.isalpha() and term not in held
    }
    return replace(asked, terms=tuple(dict.fromkeys(right.get(term) or term for term in asked.terms)))
