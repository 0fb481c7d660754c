"""Words, sentences and numbers of a text, the same way for questions and evidence."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_STOPWORDS_WORDS = """
    a about above according after all also among an and any are as at based be been before being between both but
    by can could did do does during each for from give given had has have having her his how if in include
    included into is it its itself just me more most my no not of on only or other our please provide same shall
    should shown so some such than that the their them then there these they this those through to under up upon
    us use using very was we were what when where which while who whom whose why will with would you your document
    report paper page pages slide slides section following mention mentioned many much answer list write format
    number total
"""
STOPWORDS = frozenset(_STOPWORDS_WORDS.split())
"""Words that say little about what is asked; ``total`` and ``number`` stand almost everywhere in tables."""

_CJK = re.compile(r"[぀-ヿ㐀-鿿豈-﫿가-힯]")
_WORD = re.compile(r"[぀-ヿ㐀-鿿豈-﫿가-힯]+|[^\W_]+(?:[.'’&/-][^\W_]+)*%?|%")
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"”’)\]]*\s+(?=[\"“‘(\[]?[A-Z0-9•\-])|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[•▪●◦·\-–*]|\d{1,2}[.)]|"
    r"\([a-z0-9]\))\s)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Fig|Figs|Eq|Sec|Inc|Ltd|Co|Corp|vs|etc|al|e\.g|i\.e|approx|U\.S|Jr|Sr|"
    r"Jan|Feb|Mar|"
    r"Apr|Jun|Jul|Aug|Sep|Sept|Oct|Nov|Dec)|\b[A-Z])\.$"
)
_SUFFIXES = (
    "ization",
    "ations",
    "ation",
    "ingly",
    "ments",
    "ment",
    "ness",
    "ings",
    "ing",
    "edly",
    "ies",
    "ied",
    "ed",
    "ers",
    "er",
    "es",
    "s",
    "ly",
    "e",
)


def fold(text: str) -> str:
    """NFKC, lower case, typographic quotes and dashes made plain, soft hyphens gone."""
    text = unicodedata.normalize("NFKC", text).lower().replace("\u00ad", "")
    return re.sub(r"[‐‑‒–—−]", "-", re.sub(r"[‘’]", "'", re.sub(r"[“”]", '"', text)))


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A light stem: common English endings off words of more than four letters (``operated`` -> ``operat``)."""
    if len(word) <= 3 or not word.isascii() or any(character.isdigit() for character in word):
        return word
    if word.endswith("'s"):
        word = word[:-2]
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            word = word[: -len(suffix)]
            if suffix in ("ies", "ied"):
                word += "y"
            break
    if len(word) > 4 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


def words(text: str) -> list[str]:
    """Folded words in order; runs of Chinese, Japanese or Korean characters as overlapping pairs."""
    found: list[str] = []
    for match in _WORD.finditer(fold(text)):
        token = match.group()
        if not token.isascii() and _CJK.match(token):
            found.extend(token[at : at + 2] for at in range(max(1, len(token) - 1)))
        else:
            found.append(token)
            if "-" in token or "/" in token:
                found.extend(part for part in token.replace("/", "-").split("-") if len(part) > 1)
    return found


@lru_cache(maxsize=16_384)
def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(words(text))


@lru_cache(maxsize=16_384)
def terms(text: str) -> tuple[str, ...]:
    """Stems of the words that are not stopwords, in order."""
    return tuple(stem(word) for word in words(text) if word not in STOPWORDS and (len(word) > 1 or word.isdigit()))


_SMALL_WORDS = """
    a an and are as at by for from in is of on or our the this to was were with
"""
_SMALL = frozenset(_SMALL_WORDS.split())


def label_terms(text: str) -> list[str]:
    """Stems for comparing table labels, where words like ``total`` and ``other`` tell rows apart."""
    return [stem(word) for word in words(text) if word not in _SMALL]


def sentences(text: str) -> list[str]:
    """Sentences and bullet items in order, line breaks inside them made spaces."""
    pieces: list[str] = []
    for piece in _SENTENCE_END.split(text):
        piece = " ".join((piece or "").split())
        if not piece:
            continue
        if pieces and _ABBREVIATION.search(pieces[-1]):
            pieces[-1] = f"{pieces[-1]} {piece}"
        else:
            pieces.append(piece)
    return pieces


SCALES = {"thousand": 1e3, "thousands": 1e3, "million": 1e6, "millions": 1e6, "mn": 1e6, "billion": 1e9,
    "billions": 1e9,
          "bn": 1e9, "trillion": 1e12, "万": 1e4, "億": 1e8, "亿": 1e8, "crore": 1e7, "lakh": 1e5}  # fmt: skip
_COUNTING_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty"
)
NUMBER_WORDS = {word: number for number, word in enumerate(_COUNTING_WORDS.split())}
_NUMBER = re.compile(
    r"(?P<open>\()?\s*(?P<money>US\$|[$€£¥₹]|(?<![A-Za-z])(?:Rs\.?|RMB|USD|EUR))?\s*(?P<sign>[-−–](?=[\d$.]))?\s*(?P<money2>[$€£¥])?(?P<open2>\()?"
    r"(?P<digits>\d{1,3}(?:,\d{2,3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)(?![\d])"
    r"\s*(?P<close>\))?\s*(?P<percent>%|percent\b|per cent\b|percentage points?\b|pts?\b)?"
    r"\s*(?P<scale>thousands?\b|millions?\b|mn\b|billions?\b|bn\b|trillion\b|crore\b|lakh\b|万|億|亿)?",
    re.IGNORECASE,
)


_YEAR_BEFORE = re.compile(r"(?<!\d)(?:19|20)\d\d[-–/]$")


@dataclass(frozen=True)
class Number:
    """A number in a text: ``value`` signed and unscaled, ``text`` as written, ``scale`` 1 where no word says more."""

    value: float
    text: str
    start: int
    end: int
    percent: bool = False
    money: bool = False
    scale: float = 1.0

    @property
    def year(self) -> bool:
        """Whether it reads like a calendar year."""
        return self.text.isdigit() and len(self.text) == 4 and 1700 <= self.value <= 2100


def numbers(text: str) -> list[Number]:
    """The numbers of a text in order; parts of words and identifiers (``A4``, ``3.2.1``, ``12-34``) are left out."""
    found = []
    for match in _NUMBER.finditer(text):
        start, end = match.start("digits"), match.end("digits")
        before, after = text[start - 1 : start], text[end : end + 1]
        if (before and (before.isalnum() and not _CJK.match(before) or before in "_#.")) or (
            after and (after.isalpha() and not match["scale"] and not _CJK.match(after))
        ):
            continue
        if _YEAR_BEFORE.search(text[max(0, start - 6) : start]) and end - start == 2:
            continue  # 1999-00
        if after == "." and text[end + 1 : end + 2].isdigit():
            continue
        value = float(match["digits"].replace(",", ""))
        ahead = text[: match.start("sign")] if match["sign"] else ""
        negative = bool(match["sign"]) and not ahead[-1:].isalnum() and not ahead.rstrip()[-1:].isdigit()
        if negative or ((match["open"] or match["open2"]) and match["close"]):
            value = -value
        first = match.start("money") if match["money"] else match.start("money2") if match["money2"] else start
        last = max(match.end(name) for name in ("digits", "percent", "scale"))
        found.append(
            Number(
                value, text[first:last].strip(), start, last, bool(match["percent"]),
                bool(match["money"] or match["money2"]), SCALES.get((match["scale"] or "").lower(), 1.0),
            )
        )  # fmt: skip
    return found


_MONTH = re.compile(r"\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*\d", re.IGNORECASE)
_SPACED_GROUPS = re.compile(r"(?<![\d.,])\d{1,3}(?:[ \u00a0\u2009\u202f]\d{3})+(?![\d])")
"""``3 400``: in a cell the groups are one number; in a sentence they may be two."""
_DASH = re.compile(r"[$€£¥]?\s*[—–-]+\s*[$€£¥%]?")


def cell_number(cell: str) -> Number | None:
    """The number that a table cell is, with a short unit at most; a dash is 0; None for dates and text."""
    if cell and _DASH.fullmatch(cell.strip()):
        return Number(0.0, cell.strip(), 0, len(cell))
    cell = _SPACED_GROUPS.sub(lambda match: re.sub(r"\D", "", match[0]), cell)
    found = numbers(cell)
    if not found or _MONTH.search(cell):
        return None
    rest = re.sub(r"[\s$€£¥%().,*†‡+<>~≤≥-]|US|RMB", "", cell.replace(found[0].text, "", 1))
    return found[0] if len(rest) <= 3 or len(found) == 1 and len(rest) <= 8 else None


def plain_number(value: float, digits: int | None = None) -> str:
    """A number as text: without grouping, rounded to ``digits`` (6 where None), whole numbers without a point."""
    if digits is not None:
        return f"{value:.{digits}f}" if digits > 0 else str(round(value))
    rounded = round(value, 6)
    return (
        str(int(rounded))
        if rounded == int(rounded) and abs(rounded) < 1e15
        else f"{rounded:.6f}".rstrip("0").rstrip(".")
    )


def without_grouping(text: str) -> str:
    """``1,358,000`` as ``1358000``; commas that do not group digits stay."""
    return re.sub(r"(?<![\d.])\d{1,3}(?:,\d{2,3})+(?![\d,])", lambda match: match.group().replace(",", ""), text)
