"""Candidates that bookmarks or the printed contents name."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache

from cosee.artifacts.documents.layout import OutlineEntry
from cosee.structure.headings import thresholds
from cosee.structure.headings.candidate import Candidate
from cosee.structure.headings.contents_depth import ContentsEntry
from cosee.text.folding import title_key
from cosee.text.numbering import parse_numbering
from cosee.text.words import one_line

# General knowledge: how sections are numbered.
_ANY_NUMBER = re.compile(r"^(?:[A-Z]|(?:[A-Z]\.)?\d{1,3}(?:\.\d{1,3})*)[.):]?\s+")
_RANGE = re.compile(r"\s?[-–]\s?\d+$")
"""The end of a range of pages."""


def match_outline(candidates: Sequence[Candidate], outline: Sequence[OutlineEntry]) -> None:
    """Give candidates the level of the bookmark that names them on their page (or the next).

    Bookmarks that match nothing are ignored: they may point anywhere and say anything.
    """
    by_page: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_page[candidate.item.page_idx].append(candidate)
    for entry in outline:
        if entry.page_idx is None:
            continue
        near = [by_page[entry.page_idx], by_page[entry.page_idx + 1]]
        for found in _searches(titles_of(entry.title), near):
            free = [one for one in found if one.outline_level is None]
            if free:
                max(free, key=lambda one: one.style.prominence).outline_level = entry.level
                break


def match_contents(
    candidates: Sequence[Candidate], entries: Sequence[ContentsEntry], page_of: Mapping[str | None, int]
) -> None:
    """Tie each contents entry to the heading that it announces: near the page it names, else the most prominent.

    Where no printed numbers are known, the pages of titles that occur once tell how far the count is off.
    """
    by_title: dict[str, list[Candidate]] = defaultdict(list)
    by_page: dict[int, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        by_page[candidate.item.page_idx].append(candidate)
        for title in titles_of(candidate.text):
            by_title[title].append(candidate)
    found_of = [
        [one for title in sorted(titles_of(entry.title)) for one in by_title.get(title, [])] for entry in entries
    ]
    page_at = _page_finder(entries, found_of, page_of)
    for entry, found in zip(entries, found_of, strict=True):
        free = [one for one in found if one.contents is None]
        page_idx = page_at(entry)
        best = _nearest(free, page_idx) if page_idx is not None else None
        if best is None and page_idx is not None and not found:
            around = [one for near in (page_idx, page_idx + 1, page_idx - 1) for one in by_page.get(near, [])]
            best = _nearest(
                [one for one in _prefixed(titles_of(entry.title), around) if one.contents is None], page_idx
            )
        if best is None and free:
            best = max(free, key=lambda one: (*one.style.prominence, -one.item.page_idx))
            sure = page_idx is None or title_key(best.text) == title_key(entry.title)
            if not sure or not best.style.size or not (best.style.bold or len(free) == 1):
                best = None
        if best is not None:
            best.contents = entry


def _nearest(candidates: Sequence[Candidate], page_idx: int) -> Candidate | None:
    """The candidate on the page or one beside it, the most prominent of those at equal distance."""
    near = [one for one in candidates if abs(one.item.page_idx - page_idx) <= 1]
    return max(near, key=lambda one: (-abs(one.item.page_idx - page_idx), *one.style.prominence), default=None)


def _page_finder(
    entries: Sequence[ContentsEntry], found_of: Sequence[list[Candidate]], page_of: Mapping[str | None, int]
) -> Callable[[ContentsEntry], int | None]:
    """The 0-based page of an entry by its printed number: by page labels, else by the usual distance."""
    offsets: Counter[int] = Counter()
    for entry, found in zip(entries, found_of, strict=True):
        pages = {one.item.page_idx for one in found}
        if entry.page is not None and entry.page.isdigit() and len(pages) == 1:
            offsets[pages.pop() - int(entry.page)] += 1
    usual = max(offsets, key=lambda offset: (offsets[offset], -abs(offset)), default=None)

    def page_at(entry: ContentsEntry) -> int | None:
        first = _RANGE.sub("", entry.page) if entry.page is not None else None
        for page in (entry.page, first):
            if page in page_of:
                return page_of[page]
        if usual is None or first is None or not first.isdigit() or offsets[usual] < 2:
            return None
        return int(first) + usual

    return page_at


def _searches(wanted: frozenset[str], pages: Sequence[list[Candidate]]) -> Iterator[list[Candidate]]:
    """Candidates that carry the title, the surest search first: equal on the page, on the next one, longer, shorter."""
    for page in pages:
        yield [one for one in page if wanted & titles_of(one.text)]
    for page in pages:
        yield _prefixed(wanted, page)


def _prefixed(wanted: frozenset[str], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Candidates that go on after the title (``(unaudited)``), or that the title goes on after."""
    return [
        one
        for one in candidates
        if any(_begins(title, own) or _begins(own, title) for title in wanted for own in titles_of(one.text))
    ]


def _begins(title: str, longer: str) -> bool:
    """Whether a folded title of a few letters at least is the beginning of one that is not much longer."""
    most = thresholds.MAX_LONGER_TITLE * len(title) + thresholds.LONGER_TITLE_CHARACTERS
    return len(title) >= thresholds.MIN_PREFIX_CHARACTERS and len(longer) <= most and longer.startswith(f"{title} ")


@lru_cache(maxsize=4096)
def titles_of(text: str) -> frozenset[str]:
    """Folded forms of a title: whole, and without its number; also without spaces, which bookmarks set as they like."""
    line = one_line(text)
    numbering = parse_numbering(line)
    bare = _ANY_NUMBER.sub("", line)
    forms = {
        title_key(line),
        title_key(bare),
        title_key(_ANY_NUMBER.sub("", bare)),
        title_key(numbering.title) if numbering else "",
    }
    return frozenset(form for spaced in forms for form in (spaced, spaced.replace(" ", "")) if form)
