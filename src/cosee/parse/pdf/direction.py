"""Text that runs from right to left: its words in the order they are read, and pages laid out from the right."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.layout import LayoutBlock, Span
from cosee.parse.pdf import thresholds
from cosee.parse.pdf.page_model import FigureFound, RawPage, Word
from cosee.parse.pdf.text_lines import Place, letter_by_letter, place_of, text_lines
from cosee.parse.pdf.turned_page import turn_boxes

_RTL = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]")
_LATIN = re.compile(r"[A-Za-z]")
_TURNED = str.maketrans("()[]{}", ")(][}{")
_ARABIC = re.compile("[\u0600-\u06ff]")


def has_rtl(text: str) -> bool:
    """Whether a letter of a script written from right to left occurs (Hebrew, Arabic and their kin)."""
    return not text.isascii() and _RTL.search(text) is not None


def is_rtl(text: str) -> bool:
    """Whether more letters run from right to left than from left to right."""
    if text.isascii():
        return False
    right = len(_RTL.findall(text))
    return right > 0 and 2 * right > sum(map(str.isalpha, text))


def mend_ligatures(content: Any, text_page: Any, words: list[Any]) -> list[Any]:
    """Set letters of Arabic ligatures in order in ``content`` (MuPDF's dict); returns the words with them in order, and
    parted where their letters stand apart.

    MuPDF opens a ligature from left to right also where the text runs the other way: the letter without width, which
    comes first, has to follow the one that has the ligature's. A number at the right of a title it puts behind the
    title's last letter, without a space.
    """
    apart = letter_by_letter(text_page) if any(_has_arabic(word[4]) for word in words) else None
    if apart is None:
        return words
    ordered: dict[Place, str] = {}
    boxes: dict[Place, list[BBox]] = {}
    for (place, line), (_, raw_line) in zip(text_lines(content), text_lines(apart), strict=True):
        for span, raw_span in zip(line["spans"], raw_line["spans"], strict=True):
            if _has_arabic(span["text"]):
                span["text"] = _ordered_letters(raw_span["chars"])
        ordered[place] = "".join("".join(span["text"] for span in line["spans"]).split())
        letters = [each for raw_span in raw_line["spans"] for each in raw_span["chars"]]
        boxes[place] = [each["bbox"] for each in letters if not each["c"].isspace()]
    mended = []
    for word in words:
        place = place_of(word)
        rest = ordered.get(place, "")
        text, ordered[place] = rest[: len(word[4])], rest[len(word[4]) :]
        own, boxes[place] = boxes.get(place, [])[: len(word[4])], boxes.get(place, [])[len(word[4]) :]
        whole = (*word[:4], text, *word[5:]) if sorted(text) == sorted(word[4]) else word
        mended += _parted(whole, own)
    return mended


def _parted(word: Any, boxes: list[BBox]) -> list[Any]:
    """A word, in parts where the next letter stands neither left nor right of the one before it."""
    if len(boxes) != len(word[4]):
        return [word]
    reach = thresholds.LETTER_REACH * (word[3] - word[1])
    cuts = [
        number for number, (one, other) in enumerate(pairwise(boxes), start=1) if geometry.gap_x(one, other) > reach
    ]
    ends = pairwise([0, *cuts, len(boxes)])
    return (
        [(*geometry.union(boxes[start:end]), word[4][start:end], *word[5:]) for start, end in ends] if cuts else [word]
    )


def _has_arabic(text: str) -> bool:
    return not text.isascii() and _ARABIC.search(text) is not None


def _ordered_letters(characters: list[Any]) -> str:
    letters = [character["c"] for character in characters]
    n = 0
    while n + 1 < len(letters):
        box, after = characters[n]["bbox"], characters[n + 1]["bbox"]
        narrow = box[2] - box[0] < thresholds.LIGATURE_NO_WIDTH < after[2] - after[0]
        opened = narrow and abs(box[0] - after[2]) < thresholds.LIGATURE_OFFSET
        if opened and letters[n].isalpha() and letters[n + 1].isalpha() and has_rtl(letters[n]):
            letters[n], letters[n + 1] = letters[n + 1], letters[n]
            n += 1
        n += 1
    return "".join(letters)


def reading_words(words: list[Word]) -> list[Word]:
    """The words of one right-to-left line as they are read: from the right, words in Latin letters from the left.

    Some files say of a bracket how it looks, which is the other one where text runs from right to left: where more
    brackets close than open, each is turned.
    """
    ordered: list[Word] = []
    latin: list[Word] = []
    for word in sorted(words, key=lambda word: -word.bbox[2]):
        if any(map(str.isalpha, word.text)) and not has_rtl(word.text):
            latin.insert(0, word)
            continue
        ordered += [*latin, word]
        latin = []
    ordered += latin
    own = {id(word) for word in ordered if not _LATIN.search(word.text)}
    text = "".join(word.text for word in ordered if id(word) in own)
    if _pairs(text.translate(_TURNED)) > _pairs(text):
        return [replace(word, text=word.text.translate(_TURNED)) if id(word) in own else word for word in ordered]
    return ordered


def _pairs(text: str) -> int:
    """How many brackets open and then close."""
    pairs = depth = 0
    for char in text:
        if char in "([{":
            depth += 1
        elif char in ")]}" and depth:
            depth, pairs = depth - 1, pairs + 1
    return pairs


def is_rtl_page(page: RawPage) -> bool:
    """Whether most visible text of a page runs from right to left."""
    texts = [fragment.text for fragment in page.fragments if not fragment.hidden]
    return any(map(has_rtl, texts)) and is_rtl("".join(texts))


def mirror(page: RawPage) -> None:
    """Turn every box of a page over its vertical middle, in place: then it can be laid out from left to right."""
    turn_boxes(page, partial(_mirrored, width=page.width), (page.width, page.height))
    page.mirrored = True


def mirror_back(page: RawPage, blocks: list[LayoutBlock], figures: list[FigureFound]) -> None:
    """Turn the boxes of a page laid out after ``mirror`` back to where they are."""
    spans: dict[int, Span] = {id(span): span for fragment in page.fragments for span in fragment.spans}
    for block in blocks:
        block.bbox = _mirrored(block.bbox, page.width)
        for line in block.lines:
            line.bbox = _mirrored(line.bbox, page.width)
            spans.update((id(span), span) for span in line.spans)
    for span in spans.values():
        span.bbox = _mirrored(span.bbox, page.width)
    for figure in figures:
        figure.bbox = _mirrored(figure.bbox, page.width)


def _mirrored(box: BBox, width: float) -> BBox:
    return round(width - box[2], 2), box[1], round(width - box[0], 2), box[3]
