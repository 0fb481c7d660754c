"""What a file says beside its pages: the names of its sheets, the notes of its speaker, and comments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem, ContentList
from cosee.artifacts.documents.layout import OutlineEntry
from cosee.artifacts.documents.original import Original
from cosee.text.cleaning import one_line

UNPRINTED = "unprinted"
WHOLE_PAGE: BBox = (0.0, 0.0, 1.0, 1.0)


def add_unprinted(content: ContentList, original: Original) -> None:
    """Add an item with the flag ``unprinted`` for each sheet's name, before what is on its first page, and for the
    notes of each slide, sheet or document, after what is on its last. Their box is the whole page."""
    names = [block.text for block in original.blocks if block.kind == "sheet"]
    places = sheet_pages(names, content.outline, len(content.pages))
    first = {pages.start: name for name, pages in places if pages}
    notes: dict[int, str] = {}
    sheets, last = iter(places), len(content.pages) - 1
    for block in original.blocks:
        if block.kind == "sheet":
            pages = next(sheets)[1]
            last = pages[-1] if pages else len(content.pages) - 1
        elif block.kind == "notes":
            page_idx = last if block.page_idx is None else block.page_idx
            notes[page_idx] = f"{notes[page_idx]}\n{block.text}" if page_idx in notes else block.text
    if not first and not notes:
        return
    number = len(content.items) + len(content.dropped)
    items: list[ContentItem] = []
    by_page: dict[int, list[ContentItem]] = {}
    for item in content.items:
        by_page.setdefault(item.page_idx, []).append(item)
    for page in content.pages:
        before, after = first.get(page.page_idx), notes.get(page.page_idx)
        for text, held in ((before, []), (None, by_page.get(page.page_idx, [])), (after, [])):
            items += held
            if text:
                items.append(_item(f"t_{number}", text, page.page_idx))
                number += 1
    content.items = items


def _item(item_id: str, text: str, page_idx: int) -> ContentItem:
    return ContentItem(id=item_id, role="paragraph", text=text, page_idx=page_idx, bbox=WHOLE_PAGE, flags=[UNPRINTED])


def sheet_pages(
    names: Sequence[str], outline: Iterable[OutlineEntry], page_count: int
) -> list[tuple[str, range | None]]:
    """Each sheet with its 0-based pages, by the bookmarks of the PDF; None where no bookmark names it."""
    bookmarks = [(one_line(entry.title), entry.page_idx) for entry in outline if entry.page_idx is not None]
    starts: list[int | None] = []
    at = 0
    for name in names:
        found = next((n for n in range(at, len(bookmarks)) if bookmarks[n][0] == one_line(name)), None)
        starts.append(None if found is None else bookmarks[found][1])
        at = at if found is None else found + 1
    ends = [page for _, page in bookmarks] + [page_count]
    result: list[tuple[str, range | None]] = []
    for name, start in zip(names, starts, strict=True):
        end = None if start is None else min((page for page in ends if page > start), default=page_count)
        result.append((name, None if start is None or end is None else range(start, end)))
    return result
