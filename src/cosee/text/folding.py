"""Text in one form, so that spellings of the same word compare equal."""

from __future__ import annotations

import re
import unicodedata

_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]")
_DASHES = re.compile("[\u2010-\u2015\u2212\ufe58\ufe63\uff0d]")
_APOSTROPHES = re.compile("[\u2018\u2019\u201b\u02bc\u0060\u00b4]")
_QUOTES = re.compile("[\u201c-\u201f]")
_NOT_WORD = re.compile(r"[\W_]+")


def fold(text: str) -> str:
    """Text in one form: compatibility characters, case, accents of Latin, Greek and Cyrillic, dashes, quotes."""
    if text.isascii():
        return text.casefold().replace("`", "'")
    text = unicodedata.normalize("NFKC", text).casefold()
    text = _DROPPED.sub("", unicodedata.normalize("NFKD", text))
    text = unicodedata.normalize("NFC", text)
    return _QUOTES.sub('"', _APOSTROPHES.sub("'", _DASHES.sub("-", text)))


def title_key(text: str) -> str:
    """Folded text for comparing titles: everything but letters and digits is one space."""
    return _NOT_WORD.sub(" ", fold(text)).strip()
