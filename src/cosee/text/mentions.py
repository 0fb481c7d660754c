"""Labelled things ("Fig. 3b", "Tables 2 and 4", "图3") and pages ("page iv", "the last slide") that a text names."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from cosee.text.number_words import CARDINAL, ORDINALS, cardinal_value
from cosee.text.thresholds import LONGEST_RANGE

# General knowledge: the words of captions in the languages.
_WORDS = {
    "figure": r"figures?|figs?\.?|abbildung(?:en)?|abb\.?|figuras?|рисун(?:ок|ки|ке)|рис\.?|图表?|圖|図",
    "table": r"tables?|tabs?\.|tbl\.?|tabellen?|tableaux?|tablas?|tabelas?|таблиц[аыеу]|табл\.?|表",
    "chart": r"charts?",
    "exhibit": r"exhibits?",
    "box": r"box(?:es)?",
    "scheme": r"schemes?",
    "plate": r"plates?",
    "algorithm": r"algorithms?",
    "listing": r"listings?",
    "equation": r"equations?|eqs?\.",
}
# General knowledge: how figures and tables are numbered.
_ITEM = (
    r"(?:[A-Z]{1,2}[.\-]?)?\d{1,4}(?:[.\-]\d{1,3}){0,3}(?:[a-z](?![a-z])|\s?\([a-z]\))?"
    r"|(?-i:[IVXL]{2,6}\b|[IVX](?=\s*(?:[.,;:)]|$)))"
)
_JOIN = (
    r"\s*(?:,\s*(?:and|und|et|y|e|и)?|;|&|/|\u2013|-|\band\b|\bor\b|\bto\b|\bund\b|\bbis\b|\bet\b|\by\b|\bи\b"
    r"|和|与|及|至|、|と|から)\s*"
)
_ITEMS = rf"(?:{_ITEM})(?:{_JOIN}(?:{_ITEM}))*"
_MENTION = re.compile(
    r"(?<![^\W\d_\u2e80-\u9fff])(?:"
    + "|".join(f"(?P<{kind}>{words})" for kind, words in _WORDS.items())
    + rf")\s{{0,2}}(?:(?:no|nr)\.?\s?)?(?P<items>{_ITEMS}|\((?:{_ITEMS})\)(?:{_JOIN}\((?:{_ITEMS})\))*)",
    re.IGNORECASE,
)
_RANGE = re.compile(rf"({_ITEM})(?:\s*(?:\u2013|-|\bto\b|\bbis\b|至|から)\s*({_ITEM}))?", re.IGNORECASE)
_PAGE_ITEM = r"(?:\d{1,5}|[ivxlc]{1,7}\b|[A-Z]-?\d{1,3})"
_PAGE_WORD = r"pages?|pp?\.|slides?|seiten?|folien?|pages?\s+n[o°]|p[aá]ginas?|diapositivas?|стр\.|страниц[аеы]"
# General knowledge: "page" and the conjunctions between numbers in the languages, and the number words of English.
_PAGE = re.compile(
    rf"\b(?:{_PAGE_WORD})\s*(?:no\.?\s*|number(?:ed)?\s*|#\s*)?"
    rf"(?P<items>{_PAGE_ITEM}(?:\s*(?:,|and|&|or|to|through|-|\u2013|und|bis|et|y|e)\s*(?:(?:{_PAGE_WORD})\s*)?{_PAGE_ITEM})*)"
    rf"(?![\w%])"
    rf"|\b(?:page|slide)\s+(?P<spelled>{CARDINAL})\b"
    rf"|第\s*(?P<cjk>\d{{1,5}})\s*(?:页|頁|张|張|ページ|枚)|(?P<ja>\d{{1,5}})\s*(?:ページ|枚)目?",
    re.IGNORECASE,
)
# General knowledge: ordinals and the ends of a work, counted from either end, in the languages.
_ORDINALS = {
    **{word: value - 1 for word, value in ORDINALS.items()},
    "cover": 0, "title": 0, "front": 0, "last": -1, "final": -1, "back": -1, "second to last": -2,
    "second-to-last": -2, "second last": -2, "penultimate": -2, "third to last": -3, "third-to-last": -3,
    "third last": -3, "erste": 0, "ersten": 0, "letzte": -1, "letzten": -1, "première": 0, "dernière": -1,
    "primera": 0, "última": -1, "primeira": 0,
}  # fmt: skip
# General knowledge: the same ordinals, and the cover of a work in the languages.
_ORDINAL = re.compile(
    rf"\b(?P<word>{'|'.join(sorted(_ORDINALS, key=len, reverse=True))})\s+(?:page|slide|seite|folie|p[aá]gina)\b"
    r"|\b(?P<number>\d{1,4})(?:st|nd|rd|th)\s+(?:page|slide)\b"
    r"|(?P<start>\bon the (?:front )?cover\b(?! (?:of|letter)\b)|\bauf dem titelblatt\b|封面|表紙|首页|首頁"
    r"|第一[页頁]|最初のページ)|(?P<end>最后一[页頁]|最後一[页頁]|最後のページ|\bback cover\b)",
    re.IGNORECASE,
)


class Mention(NamedTuple):
    """One labelled thing that a text names: ``("figure", "3b")``."""

    kind: str
    number: str

    @property
    def label(self) -> str:
        """As a person would cite it."""
        return f"{self.kind.capitalize()} {self.number}"


def mentions(text: str) -> list[Mention]:
    """Every labelled thing that ``text`` names, each once, in order; lists and ranges are taken apart."""
    found: list[Mention] = []
    for match in _MENTION.finditer(unicodedata.normalize("NFKC", text)):
        kind = next(name for name in _WORDS if match.group(name))
        plural = match.group(kind).lower().rstrip(".").endswith("s")
        items = match.group("items")
        for part in _RANGE.finditer(re.sub(r"[()]", "", items) if items.startswith("(") else items):
            first, last = part.group(1), part.group(2)
            if plural and last is None and first.count("-") == 1:
                found.append(Mention(kind, number_key(first)))
                first, last = first.split("-")
            found.extend(Mention(kind, number) for number in _numbers(first, last))
    return list(dict.fromkeys(found))


def _numbers(first: str, last: str | None) -> list[str]:
    start, end = number_key(first), number_key(last) if last else None
    if end is None:
        return [start]
    if start.isdigit() and end.isdigit() and 0 < int(end) - int(start) <= LONGEST_RANGE:
        return [str(number) for number in range(int(start), int(end) + 1)]
    return [f"{start}-{end}", start, end]


def number_key(number: str) -> str:
    """A number of a label as labels are compared: ``3 (B).`` -> ``3b``."""
    return re.sub(r"[\s()]", "", number).lower().rstrip(".")


def parse_label(label: str) -> Mention | None:
    """``Figure 3`` -> ``("figure", "3")``; None for a label that is not a kind and a number."""
    found = mentions(label)
    return found[0] if found else None


class PageName(NamedTuple):
    """One mention of pages: as it is written, its items taken apart (``3, 5-7`` -> 3 5 6 7), or a place in the file,
    0-based and negative from the end (``the last page``)."""

    whole: str
    items: tuple[str, ...] = ()
    place: int | None = None


def page_names(text: str) -> list[PageName]:
    """Every mention of pages in ``text``: first those by number, then those by place."""
    found: list[PageName] = []
    for match in _PAGE.finditer(unicodedata.normalize("NFKC", text)):
        spelled = match.group("spelled")
        items = str(cardinal_value(spelled)) if spelled else next(filter(None, match.group("items", "cjk", "ja")))
        found.append(PageName(items, tuple(_page_items(items))))
    for match in _ORDINAL.finditer(text):
        number, word = match.group("number", "word")
        place = int(number) - 1 if number else _ORDINALS[word.lower()] if word else -1 if match.group("end") else 0
        found.append(PageName(match.group(), (), place))
    return found


def _page_items(items: str) -> list[str]:
    """``3, 5-7`` -> 3 5 6 7."""
    tokens = re.findall(rf"{_PAGE_ITEM}|through|to|bis|-|\u2013", items, re.IGNORECASE)
    pages: list[str] = []
    for position, token in enumerate(tokens):
        if token.lower() in ("to", "through", "bis", "-", "\u2013"):
            before, after = tokens[position - 1 : position], tokens[position + 1 : position + 2]
            if before and after and before[0].isdigit() and after[0].isdigit():
                distance = int(after[0]) - int(before[0])
                if 1 < distance <= LONGEST_RANGE:
                    pages.extend(str(number) for number in range(int(before[0]) + 1, int(after[0])))
        else:
            pages.append(token)
    return list(dict.fromkeys(pages))
