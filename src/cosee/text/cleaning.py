"""Cleaning the characters of a PDF, and joining lines into running text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from cosee.text.scripts import is_cjk
from cosee.text.thresholds import CLEANED_LENGTH, CLEANED_TEXTS

SOFT_HYPHEN = "\u00ad"
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_SPACES = dict.fromkeys([0x09, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_HYPHENS = {0x2010: "-", 0x2011: "-"}
_INVISIBLE = dict.fromkeys(
    [0x200B, 0x2060, 0xFEFF, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xFE00, 0xFE10)]
)
_CONTROLS = dict.fromkeys([*range(0x00, 0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0)])
_SURROGATES = dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
_JOINERS = {"\u200c", "\u200d"}
_TABLE = {**_LIGATURES, **_SPACES, **_HYPHENS, **_INVISIBLE, **_CONTROLS, **_SURROGATES}
_ACCENTS = dict(zip("`´¨ˆ˜ˇ˘˙¯˚˝", "\u0300\u0301\u0308\u0302\u0303\u030c\u0306\u0307\u0304\u030a\u030b", strict=True))
_LOOSE_ACCENT = re.compile(r"(?<![^\W\d_])([´¨ˆ˜ˇ˘˙¯˚˝])([^\W\d_])|(?<=[^\W\d_])([`´¨ˆ˜ˇ˘˙¯˚˝])([^\W\d_])")
_ELISION = re.compile(r"(?:^|[^\w´])(?:[cdjlmnst]|qu)´$")
_LOOSE_CEDILLA = re.compile(r"([cCsStT])¸|¸([cCsStT])")
_PLAIN = re.compile(r"[\n\x20-\x7e]*")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LEADERS = re.compile(r"[^\S\n]?(?:[.…·][^\S\n]?){5,}")
_HYPHENATED = re.compile(r"([^\W\d_]+)(?:-|\u00ad)$")
_LINE_END_HYPHENS = ("-", SOFT_HYPHEN)


def clean(text: str) -> str:
    """Readable characters only: ligatures opened, zero-width and control characters gone, odd spaces and hyphens
    made plain, lone surrogates replaced, doubled quotes made one, accents drawn before their letter (as TeX does) set
    upon it. Soft hyphens stay for ``join_lines``; joiners stay between letters that need them (Arabic, Indic)."""
    if text.isascii() and (text.isprintable() or _PLAIN.fullmatch(text)) and "`" not in text:
        return text
    return _kept(text) if len(text) <= CLEANED_LENGTH else _cleaned(text)


def _cleaned(text: str) -> str:
    text = _LOOSE_ACCENT.sub(_accented, text.translate(_TABLE))
    text = _LOOSE_CEDILLA.sub(lambda match: f"{match[1] or match[2]}\u0327", text)
    if any(joiner in text for joiner in _JOINERS):
        text = "".join(c for i, c in enumerate(text) if c not in _JOINERS or _needs_joiner(text, i))
    return unicodedata.normalize("NFC", text.replace("‘‘", "“").replace("’’", "”"))


_kept = lru_cache(maxsize=CLEANED_TEXTS)(_cleaned)


def _accented(match: re.Match[str]) -> str:
    """An accent and its letter as one character where there is such a letter; ``l´eau`` has an apostrophe."""
    accent, letter = match[1] or match[3], match[2] or match[4]
    whole = unicodedata.normalize("NFC", {"ı": "i", "ȷ": "j"}.get(letter, letter) + _ACCENTS[accent])
    before = match.string[: match.start() + 1]
    if len(whole) > 1 or accent == "´" and _ELISION.search(before):
        return match[0]
    return whole


def _needs_joiner(text: str, index: int) -> bool:
    before = text[index - 1] if index else ""
    return bool(before) and "\u0600" <= before <= "\u0dff"


def without_leaders(text: str) -> str:
    """Text in which a row of dots, which leads the eye to a figure, is three dots."""
    return _LEADERS.sub(" ... ", text)


def one_line(text: str) -> str:
    """Cleaned text on one line with single spaces, soft hyphens shown as hyphens between words."""
    text = clean(text).rstrip(SOFT_HYPHEN).replace(SOFT_HYPHEN, "-")
    return " ".join(text.split())


def vocabulary(lines: Iterable[str]) -> set[str]:
    """Lower-case words and hyphenated compounds that stand whole inside the given lines.

    The last word of a line that ends in a hyphen is left out: it is what ``join_lines`` has to decide about.
    """
    words: set[str] = set()
    for line in lines:
        stripped = line.rstrip()
        if stripped.endswith(("-", SOFT_HYPHEN)):
            stripped = stripped.rpartition(" ")[0]
        stripped = stripped.replace(SOFT_HYPHEN, "-")  # fonts whose one hyphen is mapped to the soft one
        words.update(word.lower() for word in _WORD.findall(stripped))
    return words


def join_lines(lines: Iterable[str], known: set[str]) -> str:
    """Lines of one paragraph as running text.

    A hyphen at a line end is taken out unless the document has the hyphenated form elsewhere and not the joined one. It
    stays before a capital or a digit, where no syllable breaks; a soft hyphen goes there, too.
    Lines that meet at Chinese or Japanese characters are joined without a space.
    """
    joined = ""
    for line in lines:
        line = line.strip()
        if line:
            joined = _join_two(joined, line, known) if joined else line
    if joined.endswith(SOFT_HYPHEN):
        joined = f"{joined[:-1]}-"  # a word goes on in another paragraph
    return one_line(joined)


def _join_two(before: str, after: str, known: set[str]) -> str:
    match = _HYPHENATED.search(before.rsplit(None, 1)[-1]) if before[-1] in _LINE_END_HYPHENS else None
    if match:
        rest = re.match(r"[^\W\d_]+", after)
        if not rest or after[0].isupper():
            return before[:-1] + after if before.endswith(SOFT_HYPHEN) else before + after
        first, second = match.group(1).lower(), rest.group().lower()
        keep = first + second not in known and f"{first}-{second}" in known
        return before + after if keep else before[:-1] + after
    if is_cjk(before[-1]) and is_cjk(after[0]):
        return before + after
    return f"{before} {after}"
