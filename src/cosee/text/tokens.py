"""The one analyzer: text to search terms, the same for index and query.

Case, accents, ligatures, full-width forms and dash kinds are folded; numbers lose their grouping (``3 400`` and
``3,400`` give ``3400``) and their glued suffix (``3.4M`` gives ``3.4 million``); identifiers and compounds are kept
whole and in parts (``PX-104/B``, ``short-range``), those that begin with a prefix without their hyphen, since they are
as often written so (``e-mail``, ``co-operate``); percent words become ``%``; scripts without spaces give pairs of
characters; words in plain Latin letters are stemmed. Everything that is a letter, mark or digit of any script is
searchable.
"""

from __future__ import annotations

import re
from functools import lru_cache

from cosee.text.folding import fold
from cosee.text.scripts import INDIC_MARKS, UNSPACED
from cosee.text.stemming import stem
from cosee.text.stop_words import STOP_WORDS
from cosee.text.thresholds import MOST_PARTS_OF_A_NAME

ANALYZER_VERSION = 4
"""Written into every sparse index; an index made by another version is refused."""

_LETTER = rf"(?:[^\W_]|[{INDIC_MARKS}{UNSPACED}])"
_JOINERS = "-_/.,@&'+:"
"""Characters that join the parts of an identifier or a compound."""
_TERM = re.compile(
    rf"(?<!\w)\.net\b|c\+\+|[cf]#|{_LETTER}+(?:[{_JOINERS}]{_LETTER}+)*|[%\u2030$\u20ac\u00a3\u00a5\u20b9\u00b0]"
)
_SPACED_NUMBER = re.compile(r"(?<![\d.,\w])\d{1,3}(?: \d{3})+(?![\d\w])")
_SPACED_DIGITS = re.compile(r"\d \d{3}")
"""In every spaced number, and found much faster."""
_UNSPACED_RUN = re.compile(rf"([{UNSPACED}]+)")
_NUMBER = re.compile(r"\d+(?:[.,']\d+)*")
_NUMBER_AND_SUFFIX = re.compile(r"(\d+(?:[.,']\d+)*)([^\W\d_]{1,12})")
_SEPARATORS = re.compile(rf"[{_JOINERS}]+")
_BOUNDARY = re.compile(r"(?<=[^\W\d_])(?=\d)|(?<=\d)(?=[^\W\d_])")

_MAGNITUDES = {
    "k": "thousand", "m": "million", "mn": "million", "mm": "million", "mio": "million", "b": "billion",
    "bn": "billion", "mrd": "billion", "tn": "trillion",
}  # fmt: skip
_CLITICS = frozenset(("s", "t", "re", "ve", "ll", "d", "m"))
# General knowledge: the prefixes of English, as dictionaries list them.
_PREFIXES = (
    "anti auto bi bio co counter cross de dis extra fore hyper in infra inter intra macro mega meta micro mid mini "
    "mono multi nano neo non off on out over para poly post pre pro proto pseudo quasi re retro semi sub super supra "
    "tele trans tri ultra un under uni up"
)
_JOINING_PREFIXES = frozenset(_PREFIXES.split())
# General knowledge: "percent" in English and German.
_PERCENT_WORDS = {"percent": "%", "percents": "%", "pct": "%", "percentage": "%", "prozent": "%"}


def analyze(text: str) -> list[str]:
    """Search terms of ``text`` in order, repeated as often as they occur."""
    return list(_analyzed(text))


@lru_cache(maxsize=8192)
def _analyzed(text: str) -> tuple[str, ...]:
    text = _prepared(text)
    terms = _grouped_numbers(text)
    for word in _TERM.findall(text):
        terms.extend(_terms_of(word))
    return tuple(terms)


def _prepared(text: str) -> str:
    return fold(text).replace("per cent", "percent")


def _grouped_numbers(text: str) -> list[str]:
    """``3 400`` as ``3400``; its parts are found as well, since neighbouring table cells look the same."""
    if not _SPACED_DIGITS.search(text):
        return []
    return [number.replace(" ", "") for number in _SPACED_NUMBER.findall(text)]


def query_weights(text: str) -> dict[str, float]:
    """The terms of a question with their weights, stop words left out (unless nothing else is left), in order.

    The terms of one written word share its weight, so that ``Amazon.com`` does not count three times; pairs of
    characters of a script without spaces count fully.
    """
    weights: dict[str, float] = {}
    for match in _TERM.finditer(_prepared(text)):
        terms = dict.fromkeys(_terms_of(match.group()))
        share = 1.0 if _UNSPACED_RUN.search(match.group()) else 1.0 / len(terms)
        for term in terms:
            weights[term] = max(share, weights.get(term, 0.0))
    for number in _grouped_numbers(_prepared(text)):
        weights[number] = 1.0
    return {term: weight for term, weight in weights.items() if term not in STOP_TERMS} or weights


@lru_cache(maxsize=200_000)
def _terms_of(word: str) -> tuple[str, ...]:
    """Terms of one unbroken piece of folded text."""
    if _UNSPACED_RUN.search(word):
        return tuple(
            term for piece in _UNSPACED_RUN.split(word) if piece.strip(_JOINERS) for term in _piece_terms(piece)
        )
    if not word[:1].isalnum() or word in ("c++", "c#", "f#"):
        return (word,)
    return tuple(_piece_terms(word))


def _piece_terms(piece: str) -> list[str]:
    piece = piece.strip(_JOINERS)
    if _UNSPACED_RUN.fullmatch(piece):
        return [piece[start : start + 2] for start in range(len(piece) - 1)] or [piece]
    if _NUMBER.fullmatch(piece):
        return _number_terms(piece)
    if match := _NUMBER_AND_SUFFIX.fullmatch(piece):
        return _suffixed_number_terms(match.group(1), match.group(2))
    parts = [part for part in _SEPARATORS.split(piece) if part]
    if len(parts) == 1:
        return _word_terms(parts[0])
    return _compound_terms(piece, parts)


def _compound_terms(piece: str, parts: list[str]) -> list[str]:
    """``piece`` of several ``parts``: the whole where it may be a name, then its parts."""
    if "'" in piece and len(parts) == 2:
        return _word_terms(parts[0]) if parts[1] in _CLITICS else [stem("".join(parts)), *_word_terms(parts[1])]
    if "," in piece or ":" in piece:
        return [term for part in re.split("[,:]", piece) if part for term in _piece_terms(part)]
    words = all(part.isalpha() for part in parts) and set(_SEPARATORS.findall(piece)) == {"-"}
    initials = all(len(part) == 1 and part.isalpha() for part in parts) and "/" not in piece
    prefixed = words and (len(parts[0]) == 1 or parts[0] in _JOINING_PREFIXES)
    whole = stem("".join(parts)) if prefixed else "".join(parts) if initials else piece
    terms = [whole] if len(parts) <= MOST_PARTS_OF_A_NAME else []
    for part in parts:
        if len(part) > 1 or part.isdigit():
            terms.extend(_word_terms(part))
    return terms or [whole]


def _word_terms(word: str) -> list[str]:
    if word.isdigit():
        return _number_terms(word)
    if word.isalpha() or len(word) == 1:
        return [_PERCENT_WORDS.get(word) or stem(word)]
    if match := _NUMBER_AND_SUFFIX.fullmatch(word):
        return _suffixed_number_terms(match.group(1), match.group(2))
    parts = [part for part in _BOUNDARY.split(word) if len(part) > 1]
    return [word, *(part for part in parts if part != word)] if len(parts) <= MOST_PARTS_OF_A_NAME else [word]


def _suffixed_number_terms(number: str, suffix: str) -> list[str]:
    """``3.4M`` and ``12kg``: the number, the suffix, and the magnitude that it may stand for."""
    # General knowledge: the endings of English ordinals.
    if suffix in ("st", "nd", "rd", "th"):
        return [number + suffix, *_number_terms(number)]
    magnitude = [_MAGNITUDES[suffix]] if suffix in _MAGNITUDES else []
    return [*_number_terms(number), _PERCENT_WORDS.get(suffix) or stem(suffix), *magnitude]


def _number_terms(number: str) -> list[str]:
    """A number without grouping: ``1,234.5`` and ``1.234,5`` give ``1234.5``; ``1.2.3`` stays, with its parts."""
    plain = number.replace("'", "")
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", plain):
        plain = plain.replace(",", "")
    elif re.fullmatch(r"\d{1,3}(?:\.\d{3})+,\d+", plain):
        plain = plain.replace(".", "").replace(",", ".")
    elif "," in plain:
        parts = plain.split(",")
        if len(parts) > 2:
            return [term for part in parts for term in _number_terms(part)]
        plain = ".".join(parts)
    if plain.count(".") > 1:
        return [plain, *plain.split(".")]
    if "." in plain:
        whole, _, fraction = plain.partition(".")
        return [f"{whole}.{fraction.rstrip('0')}" if fraction.strip("0") else whole]
    return [plain]


STOP_TERMS = frozenset(stem(word) for word in STOP_WORDS) | STOP_WORDS
"""The stop words and their stems: what a query leaves out."""
