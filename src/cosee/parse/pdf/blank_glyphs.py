"""Glyphs that the file gives no letter for, told by their ink: those without any are spaces, a bar is a minus.

A font that lacks the wide space between a number and its title draws an empty box of that width in its place, and its
table of letters says NUL or nothing; another one calls its minus by a control character. MuPDF then gives U+FFFD, as
for a sign with ink that has no letter. Only the page's pixels tell them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cosee import geometry
from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.turning import seen_box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN, BAR = "\ufffd", "-"
_NO_LETTER = re.compile(f"[{UNKNOWN}\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
INK = 24
"""Levels (of 255) by which a pixel with ink differs from the middle of its box."""
_MARGIN = 0.12
"""Share of a glyph's box at each side that its neighbours' strokes may reach into."""
_BAR_HEIGHT, _BAR_WIDTH, _BAR_ZONE = 0.22, 0.6, (0.35, 0.8)
"""A bar's height at most and width at least, as shares of its glyph's box, and where its middle lies in its height."""
_BAR_FILLED = 0.85
"""Share of the box around a bar that its ink fills."""
# General knowledge: the encodings T1 (Cork) and OT1 of TeX's fonts.
_LIGATURES = {
    "\x1b": "ff", "\x1c": "fi", "\x1d": "fl", "\x1e": "ffi", "\x1f": "ffl",
    "\x0b": "ff", "\x0c": "fi", "\x0e": "ffi", "\x0f": "ffl",
}  # fmt: skip
_PUNCTUATION = {
    "\x10": "“", "\x11": "”", "\x12": "„", "\x13": "«", "\x14": "»", "\x15": "–", "\x16": "—",
}  # fmt: skip
_MOST_SIGNS = 400
"""Glyphs of a page that are drawn finely. Where more have no letter, and most of a page has none, it is no text."""
Box = tuple[float, float, float, float]
Place = tuple[int, int]
"""A line's block among those of text, and its number there: MuPDF's words name both."""


def open_blanks(paper: Paper, matrix: Any, text_page: Any, content: Any, words: list[Any]) -> list[Any]:
    """Give such glyphs their sign in the spans of ``content``, a control character with other ink U+FFFD; returns the
    words with the same signs, parted where a blank parts them."""
    texts = [span["text"] for *_, span in _spans(content)]
    count = sum(len(_NO_LETTER.findall(text)) for text in texts)
    if not count or (count > _MOST_SIGNS and 2 * count > sum(map(len, texts))):
        return words
    blanks: dict[Place, list[Box]] = {}
    signs: dict[Place, list[tuple[Box, str]]] = {}
    told = 0
    for (place, line, span), (*_, raw) in zip(_spans(content), _spans(text_page.extractRAWDICT()), strict=True):
        if len(raw["chars"]) != len(span["text"]) or not _lacks_letters(span["text"]):
            continue
        letters = list(span["text"])
        for number, (letter, char) in enumerate(zip(letters, raw["chars"], strict=True)):
            if not _lacks_letters(letter):
                continue
            sign: str | None = None
            if letter == UNKNOWN or not _is_overlaid(raw["chars"], number):
                sign = _sign(paper, char["bbox"], line["dir"], matrix, finely=told < _MOST_SIGNS)
            if sign == " " and letter == UNKNOWN:
                blanks.setdefault(place, []).append(char["bbox"])
            if sign == UNKNOWN:
                sign = tex_sign(letter, span["text"][number - 1 : number], span["text"][number + 1 : number + 2])
            # Without ink that can be seen a control character says nothing.
            letters[number] = letter if sign is None or (sign == " " and letter != UNKNOWN) else sign
            signs.setdefault(place, []).append((char["bbox"], letters[number]))
            told += 1
        span["text"] = "".join(letters)
    signed = [_signed(word, signs.get((word[5], word[6]), [])) for word in words]
    return [part for word in signed for part in _parted(word, blanks.get((word[5], word[6]), []))]


def tex_sign(letter: str, before: str, after: str) -> str:
    """What a control character stands for in TeX's encodings: a ligature beside a letter, else quotes and dashes."""
    if before.isalpha() or after.isalpha():
        ligature = _LIGATURES.get(letter)
        if ligature is not None:
            return ligature
    return _PUNCTUATION.get(letter, UNKNOWN) if not (before.isalpha() and after.isalpha()) else UNKNOWN


def _spans(content: Any) -> Iterator[tuple[Place, Any, Any]]:
    """The place, the line and the span of every span of text."""
    for number, block in enumerate(block for block in content["blocks"] if block["type"] == 0):
        for line_number, line in enumerate(block["lines"]):
            for span in line["spans"]:
                yield (number, line_number), line, span


def _is_overlaid(chars: Any, number: int) -> bool:
    """Whether a character shares most of its place with the one before or after it: it is a mark for the program that
    set the text, and the ink there is its neighbour's."""
    around = [chars[each]["bbox"] for each in (number - 1, number + 1) if 0 <= each < len(chars)]
    return any(geometry.share_inside(chars[number]["bbox"], box) > 0.5 for box in around)


def _lacks_letters(text: str) -> bool:
    return _NO_LETTER.search(text) is not None


def _signed(word: Any, signs: list[tuple[Box, str]]) -> Any:
    """The word with the signs that stand in it; as it is where their number differs."""
    x0, y0, x1, y1, text, *place = word
    if not signs or not _lacks_letters(text):
        return word
    unknown = [number for number, char in enumerate(text) if _lacks_letters(char)]
    inside = [s for b, s in signs if x0 <= (b[0] + b[2]) / 2 <= x1 and y0 <= (b[1] + b[3]) / 2 <= y1]
    if len(inside) != len(unknown):
        return word
    letters = list(text)
    for number, sign in zip(unknown, inside, strict=True):
        letters[number] = sign if sign != " " else letters[number]
    return (x0, y0, x1, y1, "".join(letters), *place)


def _parted(word: Any, blanks: list[tuple[float, float, float, float]]) -> list[Any]:
    """A word ``(x0, y0, x1, y1, text, ...)`` as the words between its blanks; the blanks lie in reading order."""
    if not blanks:
        return [word]
    x0, y0, x1, y1, text, *place = word
    inside = [b for b in blanks if x0 - 0.5 <= b[0] and b[2] <= x1 + 0.5 and b[1] < (y0 + y1) / 2 < b[3]]
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
    dx, dy = direction
    if matrix is not None:
        dx, dy = matrix[0] * dx + matrix[2] * dy, matrix[1] * dx + matrix[3] * dy
    along = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    inner = (x0 + along[0], y0 + along[1], x1 - along[0], y1 - along[1])
    part = paper.part(inner)
    if part is None or part.shape[0] < 2 or part.shape[1] < 2:
        return None
    ink = _upright(_ink(part), dx, dy)
    if not ink.any():
        return " "
    if not finely or ink.any(axis=1).sum() > max(3, _BAR_HEIGHT * ink.shape[0]):
        return UNKNOWN
    fine = paper.fine_part(inner)
    return BAR if fine is not None and _is_bar(_upright(_ink(fine), dx, dy)) else UNKNOWN


def _ink(part: Any) -> NDArray[np.bool_]:
    import numpy as np

    levels = part.sum(axis=2, dtype=np.int32)
    ordered = np.sort(levels, axis=None)
    twice_middle = ordered[(ordered.size - 1) // 2] + ordered[ordered.size // 2]
    found: NDArray[np.bool_] = np.abs(2 * levels - twice_middle) >= 2 * part.shape[2] * INK
    return found


def _upright(ink: NDArray[np.bool_], dx: float, dy: float) -> NDArray[np.bool_]:
    """Ink of a glyph turned so that its line runs to the right."""
    if abs(dx) >= abs(dy):
        return ink if dx >= 0 else ink[::-1, ::-1]
    return ink.T[:, ::-1] if dy < 0 else ink.T[::-1]


def _is_bar(ink: NDArray[np.bool_]) -> bool:
    """Whether ink is one flat stroke in the middle of the height of a glyph's box."""
    import numpy as np

    if not ink.any():
        return False
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    top, bottom, left, right = int(rows[0]), int(rows[-1]) + 1, int(columns[0]), int(columns[-1]) + 1
    high, wide, middle = bottom - top, right - left, (top + bottom) / 2 / ink.shape[0]
    return (
        high <= _BAR_HEIGHT * ink.shape[0]
        and wide >= max(_BAR_WIDTH * ink.shape[1], 1.8 * high)
        and float(ink[top:bottom, left:right].mean()) >= _BAR_FILLED
        and _BAR_ZONE[0] <= middle <= _BAR_ZONE[1]
    )
