"""Slide decks: pages flagged ``slide``, each page's title its one heading."""

from __future__ import annotations

from statistics import median

from cosee.artifacts.content import ContentItem
from cosee.enhancer.draft import TEXT_ROLES, Draft, is_visible
from cosee.enhancer.words import letter_count

SLIDE = "slide"
MAX_CHARACTERS = 1000
"""A page of a deck holds fewer than this (median); text documents printed across hold more."""
MAX_TITLE = 200


def mark_slides(draft: Draft) -> bool:
    """Flag every page ``slide`` when the document is a deck: wide pages with little text on them."""
    wide = [page for page in draft.pages if page.width >= 1.2 * page.height]
    if len(draft.pages) < 2 or len(wide) < 0.8 * len(draft.pages):
        return False
    characters = dict.fromkeys((page.page_idx for page in draft.pages), 0)
    for item in draft.items:
        if item.role in TEXT_ROLES | {"caption", "footnote"} and is_visible(item):
            characters[item.page_idx] = characters.get(item.page_idx, 0) + len(item.text)
    if median(characters.values()) > MAX_CHARACTERS:
        return False
    for page in draft.pages:
        page.flags = list(dict.fromkeys([*page.flags, SLIDE]))
    return True


def slide_titles(draft: Draft) -> list[ContentItem]:
    """The title of each slide that has one: its largest text, the topmost of several."""
    titles: list[ContentItem] = []
    for page_idx, items in draft.on_pages().items():
        texts = [
            item
            for item in items
            if item.role in TEXT_ROLES
            and is_visible(item)
            and len(item.text) <= MAX_TITLE
            and letter_count(item.text) >= 2
        ]
        if texts:
            titles.append(max(texts, key=lambda item: _rank(item, page_idx)))
    return titles


def _rank(item: ContentItem, page_idx: int) -> tuple[bool, float, float]:
    """Headings of the source first, then size, then height; text low on the page counts as smaller."""
    size = item.size or 0.0
    low = item.bbox[1] > 0.5 and page_idx > 0
    return item.role == "heading" and not low, round(size * (0.6 if low else 1.0), 1), -item.bbox[1]
