"""Numbers in front of headings: ``1.1``, ``IV.``, ``Chapter 3``, ``Item 1A``, ``Appendix B``, ``第三章``, ``一、``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from cosee.text.number_words import ARABIC_ORDINALS, CARDINAL, HAN_DIGITS, cardinal_value, han_value, roman_value

Kind = Literal[
    "part",
    "chapter",
    "appendix",
    "section",
    "item",
    "decimal",
    "roman",
    "letter",
    "han",
    "han_bracket",
    "bracket",
    "note",
]

_WORDS: dict[str, Kind] = {
    "part": "part", "teil": "part", "partie": "part", "parte": "part",
    "chapter": "chapter", "kapitel": "chapter", "chapitre": "chapter", "capítulo": "chapter",
    "appendix": "appendix", "annex": "appendix", "anhang": "appendix", "annexe": "appendix", "anexo": "appendix",
    "section": "section", "article": "section", "abschnitt": "section", "artikel": "section",
    "unit": "section", "module": "section", "lesson": "section", "artículo": "section", "articolo": "section",
    "titre": "part", "título": "part", "capitolo": "chapter", "allegato": "appendix",
    "item": "item", "note": "note",
}  # fmt: skip
"""General knowledge: the names of the parts of a work in the languages of Europe."""
_SPELLED = re.compile(rf"(?P<number>{CARDINAL.upper()})\s+(?P<title>(?!HUNDRED|THOUSAND)\S.*)", re.DOTALL)
# General knowledge: the punctuation between a number and a title, and Roman numerals.
_WORD = re.compile(
    rf"(?P<word>{'|'.join(_WORDS)})\s+(?P<number>\d{{1,3}}[A-Z]?|[IVXLC]+|[A-Z])(?P<end>\s*[.:)–—-]+|\s+|$)(?P<title>.*)",
    re.IGNORECASE | re.DOTALL,
)
_PARAGRAPH = re.compile(r"§\s*(?P<number>\d{1,4})[a-z]?(?:\s*[.:)–—-]+\s*|\s+)(?P<title>\S.*)", re.DOTALL)
_ARABIC = re.compile(
    r"(?P<word>الباب|الفصل|المبحث|القسم|المادة|الملحق|فصل|بخش|باب)\s+"
    r"(?:(?P<number>[0-9٠-٩۰-۹]{1,3})|(?P<ordinal>\w+))(?:\s*[:.–—-]\s*|\s+|$)(?P<title>.*)",
    re.DOTALL,
)
_ARABIC_WORDS: dict[str, Kind] = {
    "الباب": "part", "باب": "part", "بخش": "part", "الفصل": "chapter", "فصل": "chapter",
    "المبحث": "section", "القسم": "section", "المادة": "section", "الملحق": "appendix",
}  # fmt: skip
_HANGUL = re.compile(r"제\s*(?P<number>\d{1,3})\s*(?P<word>장|절|부|편|조)\s*(?P<title>.*)", re.DOTALL)
_HANGUL_WORDS: dict[str, Kind] = {"부": "part", "편": "part", "장": "chapter", "절": "section", "조": "section"}
_HAN_WORD = re.compile(
    rf"第\s*(?P<number>[{HAN_DIGITS}\d]{{1,8}})\s*(?P<word>章|节|節|编|編|部分|部)\s*(?P<title>.*)", re.DOTALL
)
_HAN_WORDS: dict[str, Kind] = {
    "编": "part", "編": "part", "部分": "part", "部": "part", "章": "chapter", "节": "section", "節": "section",
}  # fmt: skip
_HAN = re.compile(rf"(?P<number>[{HAN_DIGITS}]+)[、．.]\s*(?P<title>.*)", re.DOTALL)
_HAN_BRACKET = re.compile(rf"[（(](?P<number>[{HAN_DIGITS}]+)[)）]\s*(?P<title>.*)", re.DOTALL)
_SPACED = re.compile(r"\d{1,2}(?: \. ?\d{1,2})+(?=\D)")
"""A number whose full stops are set with room around them, as in ``4 . 1``."""
_DECIMAL = re.compile(
    r"(?P<number>(?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d{1,3})*)(?P<dot>[.、．])?(?P<gap>\s*)(?P<title>.*)", re.DOTALL
)
# General knowledge: Roman numerals.
_ROMAN = re.compile(r"(?P<number>[IVXLC]+)[.)]\s+(?P<title>.*)", re.DOTALL)
# General knowledge: counters in brackets are letters, digits or Roman numerals.
_BRACKET = re.compile(
    r"\((?:(?P<letter>[a-z])|(?P<number>\d{1,2})|(?P<roman>[ivx]{1,5}))\)\s+(?P<title>\S.*)", re.DOTALL
)
_LETTER = re.compile(r"(?P<number>[A-Z])[.)]\s+(?P<title>.*)", re.DOTALL)


@dataclass(frozen=True)
class Numbering:
    """A heading's number. ``values`` has one entry a component (``A.1`` is 1, 1), ``title`` is the rest."""

    kind: Kind
    values: tuple[int, ...]
    title: str
    dotted: bool = False
    """Whether a full stop follows the number."""

    @property
    def depth(self) -> int:
        """Number of components, at least 1."""
        return len(self.values)


def parse_numbering(text: str) -> Numbering | None:
    """The number that ``text`` starts with, None when there is none.

    A bare number without a title (``12``) is none, neither is a quantity (``5 million``, ``3.5 %``).
    """
    text = text.strip()
    spaced = _SPACED.match(text)
    if spaced is not None:
        text = spaced[0].replace(" ", "") + text[spaced.end() :]
    return _word(text) or _spelled(text) or _han(text) or _other_script(text) or _decimal(text) or _letters(text)


def _word(text: str) -> Numbering | None:
    match = _WORD.fullmatch(text)
    if match is None:
        return None
    title, number = match["title"].strip(), match["number"]
    if not match["word"][0].isupper() or (title[:1].islower() and not match["end"].strip()):
        return None  # "Section 3 describes ..." is a sentence
    digits = re.sub(r"\D", "", number)
    value = int(digits) if digits else roman_value(number) or ord(number[0].upper()) - 64
    return Numbering(_WORDS[match["word"].lower()], (value,), title)


def _spelled(text: str) -> Numbering | None:
    match = _SPELLED.fullmatch(text)
    if match is None:
        return None
    return Numbering("chapter", (cardinal_value(match["number"]) or 0,), match["title"])


def _han(text: str) -> Numbering | None:
    if match := _HAN_WORD.fullmatch(text):
        return Numbering(_HAN_WORDS[match["word"]], (han_value(match["number"]),), match["title"])
    if match := _HAN.fullmatch(text):
        return Numbering("han", (han_value(match["number"]),), match["title"])
    if match := _HAN_BRACKET.fullmatch(text):
        return Numbering("han_bracket", (han_value(match["number"]),), match["title"])
    return None


def _other_script(text: str) -> Numbering | None:
    """``§ 3``, Arabic and Persian ``الفصل الأول``, Korean ``제1장``."""
    if match := _PARAGRAPH.fullmatch(text):
        return Numbering("section", (int(match["number"]),), match["title"]) if match["title"][0].isupper() else None
    if match := _HANGUL.fullmatch(text):
        return Numbering(_HANGUL_WORDS[match["word"]], (int(match["number"]),), match["title"])
    match = _ARABIC.fullmatch(text)
    if match is None:
        return None
    value = int(match["number"]) if match["number"] else ARABIC_ORDINALS.get(match["ordinal"])
    return None if value is None else Numbering(_ARABIC_WORDS[match["word"]], (value,), match["title"])


def _decimal(text: str) -> Numbering | None:
    match = _DECIMAL.fullmatch(text)
    if match is None or not match["title"]:
        return None
    title, parts = match["title"], match["number"].split(".")
    first = title[0]
    if not (first.isalpha() or first in "\"'“‘«([¿「『（【<") or (first.islower() and len(parts) < 2):
        return None
    if not match["gap"] and (first.isascii() or first.isdigit()) and not (match["dot"] or len(parts) > 1):
        return None  # "3D models", "4K"
    if any(len(part) > 1 and part[0] == "0" for part in parts):
        return None
    values = tuple(int(part) if part.isdigit() else ord(part) - 64 for part in parts)
    return Numbering("decimal", values, title, bool(match["dot"]))


def _letters(text: str) -> Numbering | None:
    if match := _ROMAN.fullmatch(text):
        value = roman_value(match["number"])
        # A lone C, D, L ... is a letter; I, V and X are far more often numerals.
        if value is not None and (len(match["number"]) > 1 or match["number"] in "IVX"):
            return Numbering("roman", (value,), match["title"], True)
    if (match := _BRACKET.fullmatch(text)) and match["title"][:1].isupper():
        letter, number, roman = match.group("letter", "number", "roman")
        value = ord(letter) - 96 if letter else int(number) if number else roman_value(roman)
        return Numbering("bracket", (value or 1,), match["title"])
    if (match := _LETTER.fullmatch(text)) and match["title"][:1].isupper():
        return Numbering("letter", (ord(match["number"]) - 64,), match["title"], True)
    return None
