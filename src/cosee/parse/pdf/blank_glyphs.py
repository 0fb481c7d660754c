"""Glyphs that the file gives no letter for, told by their name or ink: those without any are spaces, a bar is a minus.

A font that lacks the wide space between a number and its title draws an empty box of that width in its place, and its
table of letters says NUL or nothing; another one calls its minus by a control character. MuPDF then gives U+FFFD, as
for a sign with ink that has no letter. Only the page's pixels tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.glyph_names import UNKNOWN, named_glyphs, place_of_glyph
from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.text_lines import Place, letter_by_letter, place_of, text_lines
from cosee.parse.pdf.turning import seen_box, seen_direction

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MINUS = "-"
_NO_LETTER = re.compile(f"[{UNKNOWN}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
# General knowledge: the encodings T1 (Cork) and OT1 of TeX's fonts.
_LIGATURES = {
    "\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi", "\x1f": "ffl",
    "\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl",
}  # fmt: skip
_PUNCTUATION = {
    "\x10": "“", "\x11": "”", "\x12": "„", "\x13": "«", "\x14": "»", "\x15": "–", "\x16": "—",
}  # fmt: skip


class _Sign(NamedTuple):
    """What a glyph stands for, with its box and, where its name tells, that of its ink."""

    box: BBox
    text: str
    ink: BBox | None = None


def name_glyphs(page: Any, paper: Paper, matrix: Any, text_page: Any, content: Any, words: list[Any]) -> list[Any]:
    """Give such glyphs of a page their sign in the spans of ``content``, a control character with other ink U+FFFD;
    returns the words with the same signs, parted where a blank parts them. A span or word of glyphs that are known by
    name alone gets the box of their ink."""
    whole = "".join(span["text"] for *_, span in _spans(content))
    count = len(_NO_LETTER.findall(whole))
    if not count or (count > thresholds.MAX_GLYPHS and 2 * count > len(whole)):
        return words
    apart = letter_by_letter(text_page)
    if apart is None:
        return words
    blanks: dict[Place, list[BBox]] = {}
    signs: dict[Place, list[_Sign]] = {}
    by_name = named_glyphs(page) if UNKNOWN in whole else {}
    named = 0
    for (place, line, span), (*_, raw) in zip(_spans(content), _spans(apart), strict=True):
        if len(raw["chars"]) != len(span["text"]) or not _lacks_letters(span["text"]):
            continue
        letters = list(span["text"])
        glyphs = [by_name.get(place_of_glyph(char["origin"])) for char in raw["chars"]] if by_name else []
        if glyphs and all(glyphs):
            span["bbox"] = geometry.union(glyph.box for glyph in glyphs if glyph is not None)
        for number, (letter, char) in enumerate(zip(letters, raw["chars"], strict=True)):
            if not _lacks_letters(letter):
                continue
            if letter == UNKNOWN and glyphs and (glyph := glyphs[number]) is not None:
                letters[number] = glyph.sign
                signs.setdefault(place, []).append(_Sign(char["bbox"], glyph.sign, glyph.box))
                continue
            sign: str | None = None
            if letter == UNKNOWN or not _is_overlaid(raw["chars"], number):
                sign = _sign(paper, char["bbox"], line["dir"], matrix, finely=named < thresholds.MAX_GLYPHS)
            if sign == " " and letter == UNKNOWN:
                blanks.setdefault(place, []).append(char["bbox"])
            if sign == UNKNOWN:
                sign = tex_sign(letter, span["text"][number - 1 : number], span["text"][number + 1 : number + 2])
            # Without ink that can be seen a control character says nothing.
            letters[number] = letter if sign is None or (sign == " " and letter != UNKNOWN) else sign
            signs.setdefault(place, []).append(_Sign(char["bbox"], letters[number]))
            named += 1
        span["text"] = "".join(letters)
    signed = [_signed(word, signs.get(place_of(word), [])) for word in words]
    return [part for word in signed for part in _parted(word, blanks.get(place_of(word), []))]


def tex_sign(letter: str, before: str, after: str) -> str:
    """What a control character stands for in TeX's encodings: a ligature beside a letter, else quotes and dashes."""
    if before.isalpha() or after.isalpha():
        ligature = _LIGATURES.get(letter)
        if ligature is not None:
            return ligature
    return _PUNCTUATION.get(letter, UNKNOWN) if not (before.isalpha() and after.isalpha()) else UNKNOWN


def _spans(content: Any) -> Iterator[tuple[Place, Any, Any]]:
    """The place, the line and the span of every span of text."""
    return ((place, line, span) for place, line in text_lines(content) for span in line["spans"])


def _is_overlaid(chars: Any, number: int) -> bool:
    """Whether a character shares most of its place with the one before or after it: it is a control character of the
    program that set the text, and the ink there is its neighbour's."""
    around = [chars[each]["bbox"] for each in (number - 1, number + 1) if 0 <= each < len(chars)]
    return any(geometry.share_inside(chars[number]["bbox"], box) > thresholds.OVERLAID_SHARE for box in around)


def _lacks_letters(text: str) -> bool:
    return _NO_LETTER.search(text) is not None


def _signed(word: Any, signs: list[_Sign]) -> Any:
    """The word with the signs that stand in it, in the box of their ink where it has no others; as it is where their
    number differs."""
    x0, y0, x1, y1, text, *place = word
    if not signs or not _lacks_letters(text):
        return word
    unknown = [number for number, char in enumerate(text) if _lacks_letters(char)]
    inside = [sign for sign in signs if geometry.center_inside(sign.box, (x0, y0, x1, y1))]
    if len(inside) != len(unknown):
        return word
    letters = list(text)
    for number, sign in zip(unknown, inside, strict=True):
        letters[number] = sign.text if sign.text != " " else letters[number]
    if len(inside) == len(text) and (inks := [sign.ink for sign in inside if sign.ink]):
        x0, y0, x1, y1 = geometry.union(inks)
    return (x0, y0, x1, y1, "".join(letters), *place)


def _parted(word: Any, blanks: list[BBox]) -> list[Any]:
    """A word ``(x0, y0, x1, y1, text, ...)`` as the words between its blanks; the blanks lie in reading order."""
    if not blanks:
        return [word]
    x0, y0, x1, y1, text, *place = word
    left, right = x0 - thresholds.BLANK_OVERHANG, x1 + thresholds.BLANK_OVERHANG
    inside = [b for b in blanks if left <= b[0] and b[2] <= right and b[1] < (y0 + y1) / 2 < b[3]]
    pieces = text.split(UNKNOWN)
    if len(pieces) != len(inside) + 1:
        return [word]
    starts, ends = [x0, *(b[2] for b in inside)], [*(b[0] for b in inside), x1]
    return [
        (start, y0, end, y1, piece, *place)
        for start, end, piece in zip(starts, ends, pieces, strict=True)
        if piece.strip()
    ]


def _sign(paper: Paper, box: Any, direction: tuple[float, float], matrix: Any, *, finely: bool) -> str | None:
    """A space where nothing is drawn in the middle of a glyph's box, a minus for a bar (told only where it may be drawn
    ``finely``), else U+FFFD; None where it cannot be seen. ``direction`` is that of its line."""
    x0, y0, x1, y1 = seen_box(box, matrix)
    dx, dy = seen_direction(direction, matrix)
    side, end = thresholds.GLYPH_MARGIN * (x1 - x0), thresholds.GLYPH_MARGIN * (y1 - y0)
    inner = (x0 + side, y0 + end, x1 - side, y1 - end)
    part = paper.part(inner)
    if part is None or part.shape[0] < 2 or part.shape[1] < 2:
        return None
    ink = _upright(_ink(part), dx, dy)
    if not ink.any():
        return " "
    high = max(thresholds.MINUS_COARSE_ROWS, thresholds.MINUS_MAX_HEIGHT * ink.shape[0])
    if not finely or ink.any(axis=1).sum() > high:
        return UNKNOWN
    fine = paper.fine_part(inner)
    return MINUS if fine is not None and _is_minus(_upright(_ink(fine), dx, dy)) else UNKNOWN


def _ink(part: Any) -> NDArray[np.bool_]:
    import numpy as np

    levels = part.sum(axis=2, dtype=np.int32)
    ordered = np.sort(levels, axis=None)
    twice_middle = ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]
    found: NDArray[np.bool_] = np.abs(2 * levels - twice_middle) >= 2 * part.shape[2] * thresholds.GLYPH_INK
    return found


def _upright(ink: NDArray[np.bool_], dx: float, dy: float) -> NDArray[np.bool_]:
    """Ink of a glyph turned so that its line runs to the right."""
    if abs(dx) >= abs(dy):
        return ink if dx >= 0 else ink[::-1, ::-1]
    return ink.T[:, ::-1] if dy < 0 else ink.T[::-1]


def _is_minus(ink: NDArray[np.bool_]) -> bool:
    """Whether ink is one flat stroke in the middle of the height of a glyph's box."""
    import numpy as np

    if not ink.any():
        return False
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    high, wide, middle = bottom - top, right - left, (top + bottom) / 2 / ink.shape[0]
    lowest, highest = thresholds.MINUS_ZONE
    return (
        high <= thresholds.MINUS_MAX_HEIGHT * ink.shape[0]
        and wide >= max(thresholds.MINUS_MIN_WIDTH * ink.shape[1], thresholds.MINUS_ELONGATION * high)
        and float(ink[top:bottom, left:right].mean()) >= thresholds.MINUS_FILLED
        and lowest <= middle <= highest
    )
