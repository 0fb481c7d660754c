"""Glyphs that a font draws without ink and gives no letter for: they are spaces.

A font that lacks the wide space between a number and its title draws an empty box of that width in its place, and its
table of letters says NUL or nothing; MuPDF then gives U+FFFD, as for a sign with ink that has no letter. Only the
page's pixels tell the two apart.
"""

from __future__ import annotations

from typing import Any

from cosee.parse.pdf.paper import Paper
from cosee.parse.pdf.turning import seen_box

UNKNOWN = "\ufffd"
INK = 24
"""Levels (of 255) by which a pixel with ink differs from the middle of its box."""
_MARGIN = 0.12
"""Share of a glyph's box at each side that its neighbours' strokes may reach into."""


def open_blanks(paper: Paper, matrix: Any, text_page: Any, content: Any, words: list[Any]) -> list[Any]:
    """Make such glyphs spaces in the spans of ``content``; returns the words, parted where a blank parts them."""
    spans = [
        span for block in content["blocks"] if block["type"] == 0 for line in block["lines"] for span in line["spans"]
    ]
    if not any(UNKNOWN in span["text"] for span in spans):
        return words
    whole = text_page.extractRAWDICT()["blocks"]
    drawn = [span for block in whole if block["type"] == 0 for line in block["lines"] for span in line["spans"]]
    blanks: list[tuple[float, float, float, float]] = []
    for span, raw in zip(spans, drawn, strict=True):
        if UNKNOWN not in span["text"] or len(raw["chars"]) != len(span["text"]):
            continue
        letters = list(span["text"])
        for number, (letter, char) in enumerate(zip(letters, raw["chars"], strict=True)):
            if letter == UNKNOWN and _is_blank(paper, char["bbox"], matrix):
                letters[number] = " "
                blanks.append(char["bbox"])
        span["text"] = "".join(letters)
    return [part for word in words for part in _parted(word, blanks)] if blanks else words


def _parted(word: Any, blanks: list[tuple[float, float, float, float]]) -> list[Any]:
    """A word ``(x0, y0, x1, y1, text, ...)`` as the words between its blanks; the blanks lie in reading order."""
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


def _is_blank(paper: Paper, box: Any, matrix: Any) -> bool:
    """Whether nothing is drawn in the middle of a glyph's box; False where that cannot be seen."""
    import numpy as np

    x0, y0, x1, y1 = seen_box(box, matrix)
    side = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
    part = paper.part((x0 + side[0], y0 + side[1], x1 - side[0], y1 - side[1]))
    if part is None or part.shape[0] < 2 or part.shape[1] < 2:
        return False
    gray = part.mean(axis=2)
    return bool(np.abs(gray - np.median(gray)).max() < INK)
