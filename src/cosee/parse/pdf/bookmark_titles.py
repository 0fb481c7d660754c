"""Titles known from bookmarks or the printed contents: text is cut where they begin and end, in a paragraph, a line of
several parts or the rows of a table. Nothing is added: a title that is not printed cuts nothing."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence, Set

from cosee import geometry
from cosee.artifacts.documents.layout import Line, OutlineEntry, Span
from cosee.parse.pdf.thresholds import MAX_TITLE_LINES, MIN_LISTED_LETTERS, PARTED_SPACE

_LEADER_PAGE = re.compile(r"[\s.…·_]*(?:\d{1,4}|[ivxlc]{1,6})\s*$")
# General knowledge: how sections are numbered.
_NUMBER = re.compile(r"^\W*(?:[A-Z]|\d{1,3})(?:\.\d{1,3})*[.):]?\s+(?=\w)")


def bookmark_titles(outline: Sequence[OutlineEntry]) -> dict[int, set[str]]:
    """0-based page -> the bookmarks' titles on it, as ``_folded`` gives them."""
    titles: dict[int, set[str]] = defaultdict(set)
    for entry in outline:
        title = _folded(entry.title)
        if entry.page_idx is not None and title:
            titles[entry.page_idx].add(title)
    return titles


def contents_titles(lines: Sequence[Line]) -> set[str]:
    """The titles of contents lines, as ``_folded`` gives them: their words before leaders and page."""
    titles = (_folded(_LEADER_PAGE.sub("", line.text)) for line in lines)
    return {title for title in titles if sum(map(str.isalpha, title)) >= MIN_LISTED_LETTERS}


def title_cuts(texts: Sequence[str], titles: Set[str]) -> set[int]:
    """Indexes of lines before which a paragraph is cut, because a few lines together are a title."""
    cuts: set[int] = set()
    for start in range(len(texts) if titles else 0):
        for end in range(start + 1, min(start + MAX_TITLE_LINES, len(texts)) + 1):
            if is_title(texts[start:end], titles):
                cuts |= {start, end}
    return cuts


def is_title(texts: Sequence[str], titles: Set[str]) -> bool:
    """Whether the texts together are one of the titles."""
    return _folded(" ".join(texts)) in titles


def cut_lines(lines: Sequence[Line], titles: Set[str]) -> list[Line]:
    """The lines, those in parts where a title shares the line with something else.

    That is a page number, a line number or another title, well apart from it, or text that it runs into in another
    look.
    """
    return [part for line in lines for part in _cut_line(line, titles)] if titles else list(lines)


def _cut_line(line: Line, titles: Set[str]) -> list[Line]:
    spans = line.spans
    last = len(spans)
    far = {n for n in range(1, last) if spans[n].bbox[0] - spans[n - 1].bbox[2] > PARTED_SPACE * spans[n].size}
    changed = {n for n in range(1, last) if _look(spans[n - 1]) != _look(spans[n])}
    if not far | changed or is_title([line.text], titles):
        return [line]
    cuts = {0, last}
    for start in sorted({0} | far):
        for end in sorted({last} | far | (changed if start == 0 else set())):
            if start < end and is_title(["".join(span.text for span in spans[start:end])], titles):
                cuts |= {start, end}
    places = sorted(cuts)
    parts = [spans[start:end] for start, end in zip(places, places[1:], strict=False)]
    return [Line(bbox=geometry.union(span.bbox for span in part), spans=part) for part in parts]


def _look(span: Span) -> tuple[float, str, bool, str | None]:
    return span.size, span.font, span.bold, span.color


def _folded(text: str) -> str:
    """Letters and digits of a title without its number, case folded."""
    return "".join(filter(str.isalnum, _NUMBER.sub("", text))).casefold()
