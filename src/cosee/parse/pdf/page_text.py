"""The text of a page as arrays, for questions about many fragments at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import Fragment, RawPage
from cosee.text.caption_words import CAPTION
from cosee.text.scripts import count_cjk

Indexes = NDArray[np.intp]


@dataclass(frozen=True)
class PageText:
    """Boxes (n, 4) in points, word counts and sizes of a page's fragments; masks over them.

    ``shown`` excludes hidden text; ``rotated`` marks turned text, ``prose`` lines of running text, ``captions`` the
    first lines of captions. ``body`` is the size of running text.
    """

    boxes: NDArray[np.float64]
    words: NDArray[np.int64]
    sizes: NDArray[np.float64]
    shown: NDArray[np.bool_]
    rotated: NDArray[np.bool_]
    prose: NDArray[np.bool_]
    captions: NDArray[np.bool_]
    body: float

    def inside(self, box: BBox, margin: float = 0.0) -> Indexes:
        """Fragments that are shown and whose centre lies in ``box`` grown by ``margin``."""
        x = (self.boxes[:, 0] + self.boxes[:, 2]) / 2
        y = (self.boxes[:, 1] + self.boxes[:, 3]) / 2
        within = (x >= box[0] - margin) & (x <= box[2] + margin) & (y >= box[1] - margin) & (y <= box[3] + margin)
        return np.flatnonzero(within & self.shown)

    def touches(self, box: BBox, mask: NDArray[np.bool_]) -> bool:
        """Whether a fragment of ``mask`` lies at least in part in ``box``."""
        b = self.boxes
        hit = (b[:, 0] < box[2]) & (b[:, 2] > box[0]) & (b[:, 1] < box[3]) & (b[:, 3] > box[1])
        return bool((hit & mask).any())

    def gaps(self, box: BBox) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Horizontal and vertical distance of every fragment from ``box``; negative where the extents overlap."""
        b = self.boxes
        return (
            np.maximum(box[0] - b[:, 2], b[:, 0] - box[2]),
            np.maximum(box[1] - b[:, 3], b[:, 1] - box[3]),
        )


def page_text(page: RawPage) -> PageText:
    """The arrays of a page."""
    fragments = page.fragments
    texts = [fragment.text for fragment in fragments]
    shown = np.array([not f.hidden for f in fragments], dtype=bool)
    words = np.array([word_count(text) for text in texts], dtype=np.int64)
    sizes = np.array([f.size for f in fragments], dtype=np.float64)
    least = thresholds.MIN_BODY_CHARACTERS
    long = [size for size, text, seen in zip(sizes, texts, shown, strict=True) if seen and len(text) > least]
    return PageText(
        boxes=np.array([f.bbox for f in fragments], dtype=np.float64).reshape(-1, 4),
        words=words,
        sizes=sizes,
        shown=shown,
        rotated=np.array([f.rotated for f in fragments], dtype=bool),
        prose=shown & _prose(fragments, words),
        captions=shown & np.array([bool(CAPTION.match(text)) for text in texts], dtype=bool),
        body=float(np.median(long)) if long else thresholds.DEFAULT_SIZE,
    )


def word_count(text: str) -> int:
    """Words of a text; two characters of a script without spaces count as one."""
    return max(text.count(" ") + 1, count_cjk(text) // 2)


def _prose(fragments: list[Fragment], words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Lines of running text: long ones, and short ones that go on with such a line or stand in a narrow column."""
    long = thresholds.PROSE_LINE_WORDS
    prose = np.array([count >= long and not f.rotated for count, f in zip(words, fragments, strict=True)], bool)
    columns: dict[int, list[int]] = {}
    for n, fragment in enumerate(fragments):
        if not fragment.hidden and not fragment.rotated:
            columns.setdefault(round(fragment.bbox[0] / thresholds.STACK_GRID), []).append(n)
    for at in sorted(columns):
        members = sorted(columns[at] + columns.get(at + 1, []), key=lambda n: fragments[n].bbox[1])
        for stack in _stacks(fragments, members):
            counts = [int(words[n]) for n in stack]
            enough_words = sum(counts) >= thresholds.MIN_STACK_WORDS * len(stack)
            narrow = len(stack) >= thresholds.MIN_STACK_LINES and enough_words
            if len(stack) > 1 and (narrow or max(counts) >= long):
                prose[stack] = True
    return prose


def _stacks(fragments: list[Fragment], members: list[int]) -> list[list[int]]:
    """Runs of lines of one size and left edge, each right below the one before."""
    stacks: list[list[int]] = []
    least, most = thresholds.STACK_PITCH
    for n in members:
        box, size = fragments[n].bbox, fragments[n].size
        for stack in stacks[-2:]:
            last = fragments[stack[-1]]
            alike = abs(last.size - size) <= thresholds.STACK_SIZE
            follows = alike and least * size <= box[1] - last.bbox[1] <= most * size
            if follows and abs(last.bbox[0] - box[0]) <= thresholds.STACK_EDGE:
                stack.append(n)
                break
        else:
            stacks.append([n])
    return stacks


def shown_area(text: PageText, indexes: Indexes) -> float:
    """Area that fragments cover."""
    return sum(geometry.area((b[0], b[1], b[2], b[3])) for b in text.boxes[indexes])
