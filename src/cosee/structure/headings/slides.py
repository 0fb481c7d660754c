"""Slide decks: pages flagged ``slide``, each page's title its one heading."""

from __future__ import annotations

from statistics import median

from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import TEXT_ROLES, Draft, body_size, is_visible, short_texts
from cosee.structure.roles import is_bullet
from cosee.text.numbering import parse_numbering
from cosee.text.words import letter_count

SLIDE = "slide"
MAX_CHARACTERS = 1000
"""A page of a deck holds fewer than this (median); text documents printed across hold more."""
MAX_TITLE = 200
MIN_SECTIONS = 3
SMALL = 0.0225
"""Type of at most this share of the page's height is too small for a slide."""
TOP = 0.3
"""Titles stand above this height as a rule."""


def mark_slides(draft: Draft, known: bool = False) -> bool:
    """Flag every page ``slide`` when the document is a deck: wide pages with little text, or ``known`` to be one."""
    if not known and not _is_deck(draft):
        return False
    for page in draft.pages:
        page.flags = list(dict.fromkeys([*page.flags, SLIDE]))
    return True


def _is_deck(draft: Draft) -> bool:
    wide = [page for page in draft.pages if page.width >= 1.2 * page.height]
    if len(draft.pages) < 2 or len(wide) < 0.8 * len(draft.pages):
        return False
    prose, characters = 0, dict.fromkeys((page.page_idx for page in draft.pages), 0)
    for item in draft.items:
        if item.role in TEXT_ROLES | {"caption", "footnote"} and is_visible(item):
            characters[item.page_idx] = characters.get(item.page_idx, 0) + len(item.text)
            prose += len(item.text) if _is_prose(item, draft.pages[item.page_idx].height) else 0
    if median(characters.values()) > MAX_CHARACTERS or 2 * prose > sum(characters.values()):
        return False
    return not _has_numbered_sections(draft)


def _is_prose(item: ContentItem, height: float) -> bool:
    """Whether the text runs in small type over most of the page, as in a report and hardly ever on a slide."""
    small = item.size is not None and item.size <= SMALL * height
    return small and item.bbox[2] - item.bbox[0] > 0.6 and len(item.text) >= 80


def _has_numbered_sections(draft: Draft) -> bool:
    """Whether set off lines are numbered through the document, two of them on one page: a report printed across."""
    body = body_size(draft.items)
    found: list[tuple[tuple[int, ...], int]] = []
    for item in short_texts(draft.items, MAX_TITLE):
        if item.size is None:
            continue
        numbering = parse_numbering(item.text)
        set_off = item.bold or item.size >= 1.1 * body
        if set_off and numbering is not None and numbering.kind == "decimal" and letter_count(numbering.title) >= 2:
            found.append((numbering.values, item.page_idx))
    numbers, pages = [values for values, _ in found], [page_idx for _, page_idx in found]
    rising = all(a < b for a, b in zip(numbers, numbers[1:], strict=False))
    return rising and len(found) >= MIN_SECTIONS and 1 < len(set(pages)) < len(pages)


def slide_titles(draft: Draft) -> list[ContentItem]:
    """The title of each slide that has one: the large text at its top, else its largest text."""
    titles: list[ContentItem] = []
    for items in draft.on_pages().values():
        texts = [item for item in short_texts(items, MAX_TITLE) if letter_count(item.text) >= 2]
        if texts:
            titles.append(_title(texts))
    return titles


def _title(texts: list[ContentItem]) -> ContentItem:
    """A heading of the source, else text at the top of nearly the largest size, else the largest; bullets last."""
    texts = [item for item in texts if not is_bullet(item.text)] or texts
    headings = [item for item in texts if item.role == "heading" and item.bbox[1] <= 0.5]
    largest = max(item.size or 0.0 for item in texts)
    top = [item for item in texts if item.bbox[1] <= TOP and (item.size or 0.0) >= 0.75 * largest]
    return max(headings or top or texts, key=lambda item: (round(item.size or 0.0), -item.bbox[1]))
