"""Directions of text: right to left, its words as they are read, pages laid out from the right or held sideways."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cosee.adapter.page_model import FigureFound, RawPage, Word
from cosee.artifacts.base import BBox
from cosee.artifacts.layout import LayoutBlock, Span

MIN_SIDEWAYS = 40
"""Characters that a page needs for its text to tell how it is held."""


def has_rtl(text: str) -> bool:
    """Whether a letter of a script written from right to left occurs (Hebrew, Arabic and their kin)."""
    return not text.isascii() and any(_is_rtl(character) for character in text)


def is_rtl(text: str) -> bool:
    """Whether more letters run from right to left than from left to right."""
    if text.isascii():
        return False
    right = sum(map(_is_rtl, text))
    return 2 * right > sum(map(str.isalpha, text))


def _is_rtl(character: str) -> bool:
    return "\u0590" <= character <= "\u08ff" or "\ufb1d" <= character <= "\ufdff" or "\ufe70" <= character <= "\ufeff"


def reading_words(words: list[Word]) -> list[Word]:
    """The words of one right-to-left line as they are read: from the right, words in Latin letters from the left."""
    ordered: list[Word] = []
    latin: list[Word] = []
    for word in sorted(words, key=lambda word: -word.bbox[2]):
        if any(map(str.isalpha, word.text)) and not has_rtl(word.text):
            latin.insert(0, word)
            continue
        ordered += [*latin, word]
        latin = []
    return ordered + latin


def is_rtl_page(page: RawPage) -> bool:
    """Whether most visible text of a page runs from right to left."""
    texts = [fragment.text for fragment in page.fragments if not fragment.hidden]
    return any(map(has_rtl, texts)) and is_rtl("".join(texts))


def mirror(page: RawPage) -> None:
    """Turn every box of a page over its vertical middle, in place: then it can be laid out from left to right."""
    for fragment in page.fragments:
        fragment.bbox = _turned(fragment.bbox, page.width)
        for word in fragment.words:
            word.bbox = _turned(word.bbox, page.width)
    for span in {id(span): span for fragment in page.fragments for span in fragment.spans}.values():
        span.bbox = _turned(span.bbox, page.width)
    for vector in page.vectors:
        vector.bbox = _turned(vector.bbox, page.width)
    for picture in page.pictures:
        picture.bbox = _turned(picture.bbox, page.width)


def mirror_back(page: RawPage, blocks: list[LayoutBlock], figures: list[FigureFound]) -> None:
    """Turn the boxes of a page laid out after ``mirror`` back to where they are."""
    _move(page, blocks, figures, lambda box: _turned(box, page.width))


def _move(page: RawPage, blocks: list[LayoutBlock], figures: list[FigureFound], moved: Callable[[BBox], BBox]) -> None:
    spans: dict[int, Span] = {id(span): span for fragment in page.fragments for span in fragment.spans}
    for block in blocks:
        block.bbox = moved(block.bbox)
        for line in block.lines:
            line.bbox = moved(line.bbox)
            spans.update((id(span), span) for span in line.spans)
    for span in spans.values():
        span.bbox = moved(span.bbox)
    for figure in figures:
        figure.bbox = moved(figure.bbox)


def _turned(box: BBox, width: float) -> BBox:
    return round(width - box[2], 2), box[1], round(width - box[0], 2), box[3]


def sideways(blocks: list[Any], matrix: Any) -> int:
    """Quarter turns clockwise after which nearly all text of a page runs to the right: 1, 2 or 3; 0 for other pages.

    Text set vertically (Chinese, Japanese) is left as it is.
    """
    letters = [0, 0, 0, 0]
    for block in blocks:
        for line in block.get("lines", ()):
            dx, dy = line["dir"]
            if matrix is not None:
                dx, dy = matrix[0] * dx + matrix[2] * dy, matrix[1] * dx + matrix[3] * dy
            turned = 2 if dx < -0.9 else 1 if dy < -0.9 else 3 if dy > 0.9 else 0
            letters[0 if line.get("wmode") else turned] += sum(len(span["text"].strip()) for span in line["spans"])
    turn = max((1, 2, 3), key=lambda n: letters[n])
    return turn if letters[turn] >= MIN_SIDEWAYS and letters[turn] >= 0.8 * sum(letters) else 0


def turning(turn: int, width: float, height: float) -> tuple[float, float, float, float, float, float]:
    """The matrix of 1, 2 or 3 quarter turns clockwise of a page of this size."""
    return ((0, 1, -1, 0, height, 0), (-1, 0, 0, -1, width, height), (0, -1, 1, 0, 0, width))[turn - 1]


def turn_back(page: RawPage, blocks: list[LayoutBlock], figures: list[FigureFound]) -> None:
    """Turn the boxes of a page that was read turned back to where they are on the page as seen."""
    width, height = page.width, page.height

    def moved(box: BBox) -> BBox:
        x0, y0, x1, y1 = box
        left, up = (round(width - x1, 2), round(width - x0, 2)), (round(height - y1, 2), round(height - y0, 2))
        across, down = {1: ((y0, y1), left), 2: (left, up), 3: (up, (x0, x1))}[page.turn]
        return across[0], down[0], across[1], down[1]

    _move(page, blocks, figures, moved)
