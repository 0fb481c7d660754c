"""Slide decks: pages flagged ``slide``, each page's title its one heading."""

from __future__ import annotations

from statistics import median

from cosee.artifacts.documents.content import ContentItem
from cosee.geometry import width
from cosee.structure.draft import TEXT_ROLES, Draft, body_size, is_visible, short_texts
from cosee.structure.headings import thresholds
from cosee.structure.roles import is_bullet
from cosee.text.numbering import parse_numbering
from cosee.text.words import letter_count

SLIDE = "slide"


def mark_slides(draft: Draft, known: bool = False) -> bool:
    """Flag every page ``slide`` when the document is a deck: wide pages with little text, or ``known`` to be one."""
    if not known and not _is_deck(draft):
        return False
    for page in draft.pages:
        page.flags = list(dict.fromkeys([*page.flags, SLIDE]))
    return True


def _is_deck(draft: Draft) -> bool:
    wide = [page for page in draft.pages if page.width >= thresholds.MIN_SLIDE_WIDTH * page.height]
    if len(draft.pages) < 2 or len(wide) < thresholds.MIN_SHARE_WIDE * len(draft.pages):
        return False
    prose, characters = 0, dict.fromkeys((page.page_idx for page in draft.pages), 0)
    for item in draft.items:
        if item.role in TEXT_ROLES | {"caption", "footnote"} and is_visible(item):
            characters[item.page_idx] = characters.get(item.page_idx, 0) + len(item.text)
            prose += len(item.text) if _is_prose(item, draft.pages[item.page_idx].height) else 0
    if median(characters.values()) > thresholds.MAX_SLIDE_CHARACTERS or 2 * prose > sum(characters.values()):
        return False
    return not _has_numbered_sections(draft)


def _is_prose(item: ContentItem, height: float) -> bool:
    """Whether the text runs in small type over most of the page, as in a report and hardly ever on a slide."""
    small = item.size is not None and item.size <= thresholds.MAX_SMALL_TYPE * height
    return small and width(item.bbox) > thresholds.MIN_PROSE_WIDTH and len(item.text) >= thresholds.MIN_PROSE_CHARACTERS


def _has_numbered_sections(draft: Draft) -> bool:
    """Whether set off lines are numbered through the document, two of them on one page: a report printed across."""
    body = body_size(draft.items)
    found: list[tuple[tuple[int, ...], int]] = []
    for item in short_texts(draft.items, thresholds.MAX_HEADING_CHARACTERS):
        if item.size is None:
            continue
        numbering = parse_numbering(item.text)
        set_off = item.bold or item.size >= thresholds.SET_OFF_SIZE * body
        if set_off and numbering is not None and numbering.kind == "decimal" and letter_count(numbering.title) >= 2:
            found.append((numbering.values, item.page_idx))
    numbers, pages = [values for values, _ in found], [page_idx for _, page_idx in found]
    rising = all(a < b for a, b in zip(numbers, numbers[1:], strict=False))
    return rising and len(found) >= thresholds.MIN_NUMBERED_SECTIONS and 1 < len(set(pages)) < len(pages)


def slide_titles(draft: Draft) -> list[ContentItem]:
    """The title of each slide that has one: the large text at its top, else its largest text."""
    titles: list[ContentItem] = []
    for items in draft.on_pages().values():
        texts = [item for item in short_texts(items, thresholds.MAX_HEADING_CHARACTERS) if letter_count(item.text) >= 2]
        if texts:
            titles.append(_title(texts))
    return titles


def _title(texts: list[ContentItem]) -> ContentItem:
    """A heading of the source, else text at the top of nearly the largest size, else the largest; bullets last."""
    texts = [item for item in texts if not is_bullet(item.text)] or texts
    headings = [item for item in texts if item.role == "heading" and item.bbox[1] <= 0.5]
    largest = max(item.size or 0.0 for item in texts)
    top = [
        item
        for item in texts
        if item.bbox[1] <= thresholds.SLIDE_TITLE_BOTTOM and (item.size or 0.0) >= thresholds.NEARLY_LARGEST * largest
    ]
    return max(headings or top or texts, key=lambda item: (round(item.size or 0.0), -item.bbox[1]))
