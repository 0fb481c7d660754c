"""Paragraphs that a page or column break cuts in two are joined; line-end hyphens go as the document's words say."""

from __future__ import annotations

import re
from functools import cached_property

from cosee.artifacts.documents.content import ContentItem
from cosee.geometry import height
from cosee.structure import thresholds
from cosee.structure.draft import Draft, is_visible, regions_of
from cosee.text.scripts import has_cjk
from cosee.text.words import SENTENCE_ENDS

_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]++(?:-[^\W\d_]++)+")
_WORD = re.compile(r"[^\W\d_]+")
_TRANSPARENT = frozenset({"footnote", "caption", "image", "table", "equation"})
"""Roles that may stand between the two halves."""
_MID_SENTENCE = re.compile(r"[^\W\d_A-Z]{2,}|[^\W\d_A-Z]\s+[^\W\d_]{3,}.*[.;]$")


class Vocabulary:
    """The document's words, for deciding about hyphens at a line end."""

    def __init__(self, texts: list[str]) -> None:
        self._texts = texts

    @cached_property
    def _words(self) -> set[str]:
        return {word.casefold() for text in self._texts for word in _WORD.findall(text)}

    @cached_property
    def _hyphenated(self) -> set[str]:
        return {word.casefold() for text in self._texts for word in _HYPHENATED.findall(text)}

    def join(self, first: str, second: str) -> str:
        """The two halves as one text: with a space, without one (CJK), or over a hyphen."""
        first, second = first.rstrip(), second.lstrip()
        if has_cjk(first[-1:]) and has_cjk(second[:1]):
            return first + second
        end, start = _half_word(first), _WORD.match(second)
        if not end or start is None or not second[:1].islower():
            return f"{first} {second}"
        joined, hyphenated = f"{end}{start[0]}".casefold(), f"{end}-{start[0]}".casefold()
        if joined not in self._words and hyphenated in self._hyphenated:
            return first + second
        return first[:-1] + second


def _half_word(text: str) -> str:
    """The letters before a hyphen at the end; read backwards, since a paragraph may be one word of megabytes."""
    found = _WORD.match(text[-2::-1]) if text.endswith("-") and len(text) > 1 else None
    return found[0][::-1] if found else ""


def join_paragraphs(draft: Draft) -> None:
    """Join each paragraph that stops in mid-sentence at a page's end with its other half on the next page."""
    vocabulary = Vocabulary([item.text for item in draft.items if item.role != "table"])
    open_half: ContentItem | None = None
    last_page = 0
    for item in draft.items:
        if item.role in _TRANSPARENT or not is_visible(item):
            continue
        if open_half is not None and _continues(open_half, last_page, item):
            draft.absorb(open_half, [item], vocabulary.join(open_half.text, item.text))
        else:
            open_half = item if item.role in ("paragraph", "list") else None
        last_page = item.page_idx
    draft.sweep()


def join_footnotes(draft: Draft) -> None:
    """Join the last footnote of a page, where it stops in mid-sentence, with its rest in the notes of the next page."""
    vocabulary = Vocabulary([item.text for item in draft.items if item.role != "table"])
    open_note: ContentItem | None = None
    for items in draft.on_pages().values():
        notes = [item for item in items if item.role == "footnote" and item.size is not None and is_visible(item)]
        if not notes:
            continue
        first, last = notes[0], notes[-1]
        if open_note is not None and _is_rest(open_note, first):
            draft.absorb(open_note, [first], vocabulary.join(open_note.text, first.text))
            last = open_note if last is first else last
        ended = last.text.rstrip().endswith((*SENTENCE_ENDS, ".)", '."', ".”"))
        open_note = None if ended else last
    draft.sweep()


def _is_rest(note: ContentItem, item: ContentItem) -> bool:
    """Whether a note goes on on the next page: the same size, in mid-sentence, without a mark of its own."""
    follows = item.page_idx == regions_of(note)[-1].page_idx + 1
    same_size = abs((note.size or 0.0) - (item.size or 0.0)) <= thresholds.SAME_SIZE_OF_NOTES
    return follows and same_size and _MID_SENTENCE.match(item.text.lstrip()) is not None


def join_split_lines(draft: Draft) -> None:
    """Join lines of Chinese and Japanese paragraphs that wide line spacing has made into paragraphs of their own."""
    previous: ContentItem | None = None
    for item in draft.items:
        if previous is not None and _next_line(previous, item):
            draft.absorb(previous, [item], previous.text.rstrip() + item.text.lstrip())
            continue
        previous = item if item.role == "paragraph" and is_visible(item) else None
    draft.sweep()


def _next_line(first: ContentItem, second: ContentItem) -> bool:
    """Whether ``second`` is the next line of ``first``, which is full and ends in mid-sentence."""
    if second.role != "paragraph" or second.page_idx != first.page_idx or first.bold != second.bold:
        return False
    text, rest = first.text.rstrip(), second.text.lstrip()
    if (
        not text
        or not rest
        or not has_cjk(text[-1])
        or not has_cjk(rest[0])
        or text.endswith((*SENTENCE_ENDS, "：", ":"))
    ):
        return False
    if first.size is None or second.size is None or abs(first.size - second.size) > thresholds.SAME_SIZE_OF_NOTES:
        return False
    last = regions_of(first)[-1].bbox
    full = last[2] >= second.bbox[2] - thresholds.SAME_RIGHT_EDGE and last[2] >= thresholds.FULL_LINE_END
    not_indented = second.bbox[0] <= last[0] + thresholds.LINE_OVERLAP
    most = thresholds.MAX_LINE_GAP * min(height(last), height(second.bbox))
    return full and not_indented and 0 <= second.bbox[1] - last[3] <= most


def _continues(first: ContentItem, last_page: int, second: ContentItem) -> bool:
    """Whether ``second`` opens its page or column with the rest of ``first``'s sentence."""
    text, rest = first.text.rstrip(), second.text.lstrip()
    if second.role != "paragraph" or not text or not rest or second.page_idx > last_page + 1:
        return False
    if text.endswith((*SENTENCE_ENDS, ":", "：", '."', ".”", ".)")) or first.bold != second.bold:
        return False
    if (
        first.size is not None
        and second.size is not None
        and abs(first.size - second.size) > thresholds.SAME_SIZE_OF_HALVES
    ):
        return False
    ends = regions_of(first)[-1].bbox
    higher = second.bbox[1] < ends[3] - thresholds.NEXT_COLUMN_RISE
    next_column = higher and second.bbox[0] > ends[2] - thresholds.COLUMN_OVERLAP
    broken = second.page_idx == last_page + 1 or next_column
    if not broken or len(text) < thresholds.MIN_HALF_CHARACTERS:
        return False
    if has_cjk(text[-1]):
        over_page = ends[3] > thresholds.PAGE_END and second.bbox[1] < thresholds.PAGE_START
        return second.page_idx == last_page + 1 and over_page and has_cjk(rest[0])
    return rest[0].islower() or (text.endswith("-") and rest[0].isalpha()) or text.endswith(",")
