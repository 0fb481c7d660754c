"""Glyphs that a font draws without ink and gives no letter for: they are spaces.

A font that lacks the wide space between a number and its title draws an empty box of that width in its place, and its
table of letters says NUL or nothing; MuPDF then gives U+FFFD, as for a sign with ink that has no letter. Only the
page's pixels tell the two apart.
"""

from __future__ import annotations

from typing import Any

from cosee.parse.pdf.turning import seen_box

UNKNOWN = "\ufffd"
PROOF_DPI, PROOF_PIXELS = 100, 4_000_000
INK = 24
"""Levels (of 255) by which a pixel with ink differs from the middle of its box."""
_MARGIN = 0.12
"""Share of a glyph's box at each side that its neighbours' strokes may reach into."""


def open_blanks(page: Any, text_page: Any, content: Any, words: list[Any]) -> list[Any]:
    """Make such glyphs spaces in the spans of ``content``; returns the words, parted where a blank parts them."""
    spans = [
        span for block in content["blocks"] if block["type"] == 0 for line in block["lines"] for span in line["spans"]
    ]
    if not any(UNKNOWN in span["text"] for span in spans):
        return words
    whole = text_page.extractRAWDICT()["blocks"]
    drawn = [span for block in whole if block["type"] == 0 for line in block["lines"] for span in line["spans"]]
    paper = _Paper(page)
    blanks: list[tuple[float, float, float, float]] = []
    for span, raw in zip(spans, drawn, strict=True):
        if UNKNOWN not in span["text"] or len(raw["chars"]) != len(span["text"]):
            continue
        letters = list(span["text"])
        for number, (letter, char) in enumerate(zip(letters, raw["chars"], strict=True)):
            if letter == UNKNOWN and paper.is_blank(char["bbox"]):
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


class _Paper:
    """The rendered page, made when it is first looked at."""

    def __init__(self, page: Any) -> None:
        self._page = page
        self._matrix = page.rotation_matrix if page.rotation else None
        self._pixels: Any = None
        self._zoom = min(PROOF_DPI / 72, (PROOF_PIXELS / max(page.rect.width * page.rect.height, 1.0)) ** 0.5)

    def is_blank(self, box: Any) -> bool:
        """Whether nothing is drawn in the middle of a glyph's box; False where that cannot be seen."""
        import numpy as np
        import pymupdf

        if self._pixels is None:
            zoom = pymupdf.Matrix(self._zoom, self._zoom)
            pixmap = self._page.get_pixmap(matrix=zoom, alpha=False, colorspace=pymupdf.csGRAY)
            self._pixels = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width)
        x0, y0, x1, y1 = seen_box(box, self._matrix)
        side = _MARGIN * (x1 - x0), _MARGIN * (y1 - y0)
        left, right = round((x0 + side[0]) * self._zoom), round((x1 - side[0]) * self._zoom)
        top, bottom = round((y0 + side[1]) * self._zoom), round((y1 - side[1]) * self._zoom)
        part = self._pixels[max(top, 0) : bottom, max(left, 0) : right]
        if part.shape[0] < 2 or part.shape[1] < 2:
            return False
        return bool(np.abs(part.astype(np.int16) - int(np.median(part))).max() < INK)
