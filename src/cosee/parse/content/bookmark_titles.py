"""Lines that bookmarks name: a paragraph is cut where one of its lines is the title of a section."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from cosee.artifacts.documents.layout import OutlineEntry

MAX_LINES = 3
# General knowledge: how sections are numbered.
_NUMBER = re.compile(r"^\W*(?:[A-Z]|\d{1,3})(?:\.\d{1,3})*[.):]?\s+(?=\w)")


def bookmark_titles(outline: Sequence[OutlineEntry]) -> dict[int, set[str]]:
    """0-based page -> the bookmarks' titles on it, as ``_key`` folds them."""
    titles: dict[int, set[str]] = defaultdict(set)
    for entry in outline:
        key = _key(entry.title)
        if entry.page_idx is not None and key:
            titles[entry.page_idx].add(key)
    return titles


def title_cuts(texts: Sequence[str], titles: set[str] | None) -> set[int]:
    """Indexes of lines before which a paragraph is cut, because one to three lines together are a title."""
    cuts: set[int] = set()
    for start in range(len(texts) if titles else 0):
        for end in range(start + 1, min(start + MAX_LINES, len(texts)) + 1):
            if _key(" ".join(texts[start:end])) in (titles or ()):
                cuts |= {start, end}
    return cuts


def _key(text: str) -> str:
    """Letters and digits of a title without its number, case folded."""
    return "".join(filter(str.isalnum, _NUMBER.sub("", text))).casefold()
