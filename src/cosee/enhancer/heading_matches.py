"""Candidates that bookmarks or the printed contents name."""

from __future__ import annotations

import re
from collections import defaultdict

from cosee.artifacts.layout import OutlineEntry
from cosee.enhancer.contents_page import ContentsEntry
from cosee.enhancer.heading_candidate import Candidate
from cosee.enhancer.numbering import parse_numbering
from cosee.enhancer.words import fold, one_line

_ANY_NUMBER = re.compile(r"^(?:[A-Z]|(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*)[.):]?\s+")


def match_outline(candidates: list[Candidate], outline: list[OutlineEntry]) -> None:
    """Give candidates the level of the bookmark that names them on their page (or the next).

    Bookmarks that match nothing are ignored: they may point anywhere and say anything.
    """
    by_page: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_page[candidate.item.page_idx].append(candidate)
    for entry in outline:
        if entry.page_idx is None:
            continue
        wanted = _titles(entry.title)
        for page_idx in (entry.page_idx, entry.page_idx + 1):
            found = [one for one in by_page[page_idx] if one.outline_level is None and wanted & _titles(one.text)]
            if found:
                best = max(found, key=lambda one: (one.style.size or 0, one.style.bold))
                best.outline_level = entry.level
                break


def _titles(text: str) -> set[str]:
    """Folded forms of a title: whole, and without its number."""
    numbering = parse_numbering(one_line(text))
    bare = _ANY_NUMBER.sub("", one_line(text))
    forms = {fold(text), fold(bare), fold(_ANY_NUMBER.sub("", bare)), fold(numbering.title) if numbering else ""}
    return {form for form in forms if form}


def match_contents(candidates: list[Candidate], entries: list[ContentsEntry], page_of: dict[str | None, int]) -> None:
    """Tie each contents entry to the heading that it announces: on the page it names, else the most prominent."""
    by_title: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        for title in _titles(candidate.text):
            by_title[title].append(candidate)
    for entry in entries:
        found = [one for title in sorted(_titles(entry.title)) for one in by_title[title] if one.contents is None]
        if not found:
            continue
        page_idx = page_of.get(entry.page)
        near = [one for one in found if page_idx is not None and abs(one.item.page_idx - page_idx) <= 1]
        best = max(near or found, key=lambda one: (one.style.size or 0, one.style.bold, -one.item.page_idx))
        if near or (best.style.size or 0) > 0 and (best.style.bold or len(found) == 1):
            best.contents = entry
