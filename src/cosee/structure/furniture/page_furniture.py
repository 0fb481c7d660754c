"""Running headers, footers, page numbers, stamps and watermarks: found by repetition over pages, dropped with a reason.

An item is furniture when the same text stands at the same height in the margins of enough near pages. A number
that grows with the page is masked, so that ``Page 3 of 9`` repeats as well. What looks like a title has to
repeat more often, so that each chapter's "Summary" stays. The last line of a page is furniture at any height when it
counts the pages: pages made from a web page or a roll end where their text ends.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import TEXT_ROLES, Draft, half_points, is_visible
from cosee.structure.furniture import thresholds
from cosee.structure.furniture.decoration import repeated_images, watermarks
from cosee.structure.furniture.furniture_forms import is_running_head, looks_like_furniture, looks_like_title
from cosee.structure.furniture.page_labels import LAST_LINE, NUMBER, PrintedNumber, is_page_number, printed_numbers
from cosee.structure.furniture.slots import FURNITURE_ROLES, Slot, margin_items
from cosee.text.folding import title_key
from cosee.text.number_words import roman_value
from cosee.text.words import one_line

_OF_PAGES = re.compile(r"\s?(?:/|of|von|sur|de|di)\s?\d{1,4}\b")
"""What follows a number that counts pages up to their total. General knowledge: "of" in the languages of Europe."""
_COUNTS_PAGES = re.compile(r"(?:page|p\.|pg\.?|seite|第|[|•·–—])\s*$")


def remove_furniture(draft: Draft) -> list[PrintedNumber]:
    """Drop the furniture of every page; returns the page numbers that were printed in it."""
    slots = margin_items(draft)
    found = _repeated(slots, draft)
    found.update((slot.item.id, "margin") for slot in slots if slot.zone == "margin")
    zones = [(slot.item, slot.zone) for slot in slots if slot.zone != LAST_LINE]
    numbers, number_ids = printed_numbers(zones + [(slot.item, LAST_LINE) for slot in slots if slot.last])
    found.update(dict.fromkeys(number_ids, "page_number"))
    found.update(_same_slot(slots, found, draft))
    found.update(_by_form(slots, found, draft))
    found.update(_beside_furniture(slots, found, draft))
    found.update(_running_titles(slots, found, draft))
    for kept in _real_titles(slots, found, draft):
        del found[kept]
    for kept in _all_of_their_pages(found, draft):
        del found[kept]
    found.update(watermarks(draft))
    found.update({item.id: item.role for item in draft.items if item.role in FURNITURE_ROLES and item.id not in found})
    found.update(repeated_images(draft))
    draft.drop(found)
    return numbers


def _keys(slot: Slot) -> list[tuple[str, str, int | None]]:
    """What the item may repeat as: its text, and its text with one number masked that grows with the page."""
    text = one_line(slot.item.text).casefold()
    zones = [slot.zone] if slot.zone == LAST_LINE or not slot.last else [slot.zone, LAST_LINE]
    keys: list[tuple[str, str, int | None]] = [] if slot.zone == LAST_LINE else [(slot.zone, text, None)]
    for match in NUMBER.finditer(text):
        of_all = _OF_PAGES.match(text, match.end()) is not None
        inside = match.start() and match.end() < len(text)
        if inside and not of_all and not _COUNTS_PAGES.search(text[: match.start()]):
            continue
        value = int(match[0]) if match[0].isdigit() else roman_value(match[0]) or 0
        masked = f"{text[: match.start()]}#{text[match.end() :]}"
        if of_all:
            keys += [(zone, masked, None) for zone in zones]
            continue
        page_idx = slot.item.page_idx
        keys += [(zone, masked, value - page_idx) for zone in zones]
        # A page that holds two of the print's counts in steps of two.
        keys += [(zone, f"{masked} of two", value - 2 * page_idx) for zone in zones]
    return keys


def _repeated(slots: list[Slot], draft: Draft) -> dict[str, str]:
    """Id -> zone of the items whose text repeats on enough near pages."""
    places: dict[tuple[str, str, int | None], list[tuple[int, float]]] = defaultdict(list)
    keys = [_keys(slot) for slot in slots]
    for slot, own in zip(slots, keys, strict=True):
        for key in own:
            places[key].append((slot.item.page_idx, _height(slot, key[0])))
    found: dict[str, str] = {}
    for slot, own in zip(slots, keys, strict=True):
        if any(_enough(slot, _height(slot, key[0]), places[key], draft, masked=key[2] is not None) for key in own):
            found[slot.item.id] = "footer" if slot.zone == LAST_LINE else slot.zone
    return found


def _height(slot: Slot, zone: str) -> float:
    """The height at which the item has to repeat; that of a last line says nothing."""
    return 1.0 if zone == LAST_LINE else slot.height


def _enough(slot: Slot, at: float, places: list[tuple[int, float]], draft: Draft, masked: bool) -> bool:
    """Whether the places (page, height; ascending) of one text make this occurrence furniture."""
    page, page_count = slot.item.page_idx, len(draft.pages)
    first = bisect.bisect_left(places, (page - thresholds.NEAR_PAGES, -1.0))
    behind = bisect.bisect_left(places, (page + thresholds.NEAR_PAGES + 1, -1.0))
    near = sorted({other for other, height in places[first:behind] if abs(height - at) <= thresholds.SAME_HEIGHT})
    if len(near) < 2:
        return False
    span = near[-1] - near[0] + 1
    if looks_like_title(slot.item, draft):
        least = thresholds.MIN_REPEATS if page_count <= thresholds.FEW_PAGES else thresholds.MIN_REPEATS_TITLE
        return len(near) >= least and len(near) >= thresholds.MIN_SHARE_TITLE * span and not masked
    if page_count <= thresholds.FEW_PAGES:
        return True
    share = thresholds.MIN_SHARE_COUNTED if masked else thresholds.MIN_SHARE_REPEATED
    return len(near) >= thresholds.MIN_REPEATS and len(near) >= share * span


_SlotKey = tuple[str, int, float | None, bool]
"""Zone, height, size and weight: what the furniture of one kind has in common."""


def _same_slot(slots: list[Slot], found: dict[str, str], draft: Draft) -> dict[str, str]:
    """Items that repeat nowhere but stand, in the same size, where other pages carry furniture (one-page chapters).

    Either pages near by do, or some of the document do and all pages near by have a line at just this place, well
    apart from the text.
    """
    filled: dict[_SlotKey, set[int]] = defaultdict(set)
    lines: dict[_SlotKey, set[int]] = defaultdict(set)
    on_pages = draft.on_pages()
    for slot in slots:
        if slot.item.id in found and slot.zone not in ("margin", LAST_LINE):
            filled[_slot_key(slot)].add(slot.item.page_idx)
        if _is_outer_line(slot, draft) and _has_room(slot.item, on_pages[slot.item.page_idx], thresholds.ROOM_REPEATED):
            lines[_slot_key(slot)].add(slot.item.page_idx)
    more: dict[str, str] = {}
    for slot in slots:
        page, pages = slot.item.page_idx, filled.get(_slot_key(slot), set())
        if slot.item.id in found or page in pages or not _is_outer_line(slot, draft):
            continue
        if len(pages) < thresholds.MIN_PAGES_FILLED:
            continue
        around = [
            other
            for other in range(page - thresholds.NEAR_PAGES, page + thresholds.NEAR_PAGES + 1)
            if other in on_pages
        ]
        placed = sum(other in lines[_slot_key(slot)] for other in around)
        every_page = len(around) >= thresholds.NEAR_PAGES and placed >= thresholds.MIN_SHARE_FILLED * len(around)
        if every_page or sum(other in pages for other in around) >= thresholds.MIN_PAGES_FILLED:
            more[slot.item.id] = slot.zone
    return more


def _beside_furniture(slots: list[Slot], found: dict[str, str], draft: Draft) -> dict[str, str]:
    """Small text at the very edge of the page, whatever it says: on the line of a page number, or on that of a running
    title where other pages have one at its place."""
    numbers: dict[int, list[ContentItem]] = defaultdict(list)
    titles: dict[int, list[ContentItem]] = defaultdict(list)
    filled: set[_SlotKey] = set()
    for slot in slots:
        if found.get(slot.item.id) == "page_number":
            numbers[slot.item.page_idx].append(slot.item)
        elif slot.item.id in found and slot.zone not in ("margin", LAST_LINE):
            titles[slot.item.page_idx].append(slot.item)
            filled.add(_slot_key(slot))
    return {
        slot.item.id: slot.zone
        for slot in slots
        if slot.item.id not in found
        and slot.zone not in ("margin", LAST_LINE)
        and _is_outer_line(slot, draft)
        and any(
            geometry.overlap_share_y(slot.item.bbox, other.bbox) > 0.5
            for other in numbers[slot.item.page_idx] + (titles[slot.item.page_idx] if _slot_key(slot) in filled else [])
        )
    }


def _running_titles(slots: list[Slot], found: dict[str, str], draft: Draft) -> dict[str, str]:
    """First and last lines of their pages that say once more, in smaller type, a title of this or an earlier page.

    They change with the section, so that in a short document none repeats often enough.
    """
    titles: dict[str, list[ContentItem]] = defaultdict(list)
    for item in draft.items:
        if item.role in TEXT_ROLES and item.size is not None and len(item.text) <= thresholds.MAX_OUTER_CHARACTERS:
            titles[title_key(item.text)].append(item)
    on_pages = draft.on_pages()
    more: dict[str, str] = {}
    for slot in slots:
        item = slot.item
        if slot.zone not in ("header", "footer") or item.id in found or looks_like_title(item, draft):
            continue
        words = title_key(item.text).split(" ")
        if not any(word.isalpha() and len(word) > 1 for word in words):
            continue
        ends = ((words[0], words[1:]), (words[-1], words[:-1]))
        without_number = {" ".join(rest) for number, rest in ends if NUMBER.fullmatch(number)}
        again = any(
            other.page_idx <= item.page_idx and (other.size or 0) >= thresholds.LARGER_THAN_BODY * (item.size or 1)
            for key in (without_number if item.bold else {" ".join(words), *without_number})
            for other in titles[key]
        )
        if again and not any(
            other.id not in found and is_visible(other) and _is_further_out(other, slot)
            for other in on_pages[item.page_idx]
        ):
            more[item.id] = slot.zone
    return more


def _is_further_out(other: ContentItem, slot: Slot) -> bool:
    """Whether an item stands above a header, or below a footer."""
    return other.bbox[3] <= slot.item.bbox[1] if slot.zone == "header" else other.bbox[1] >= slot.item.bbox[3]


def _by_form(slots: list[Slot], found: dict[str, str], draft: Draft) -> dict[str, str]:
    """Furniture of a document too short for anything to repeat: small lines at the outer edge that look like it."""
    if len(draft.pages) > thresholds.SHORT_DOCUMENT:
        return {}
    on_pages = draft.on_pages()
    return {
        slot.item.id: slot.zone if slot.zone != LAST_LINE else "page_number"
        for slot in slots
        if slot.item.id not in found
        and slot.zone != "margin"
        and (
            _is_running_head(slot, slots)
            or (
                not looks_like_title(slot.item, draft)
                and _has_furniture_form(slot)
                and _has_room(slot.item, on_pages[slot.item.page_idx], thresholds.ROOM_BY_FORM)
            )
        )
    }


def _is_running_head(slot: Slot, slots: list[Slot]) -> bool:
    """Whether the row of a text is a title in capitals beside a page number, as books have it above their text."""
    if slot.zone != "header":
        return False
    page, height = slot.item.page_idx, slot.item.bbox[3] - slot.item.bbox[1]
    row = [o for o in slots if o.item.page_idx == page and abs(o.height - slot.height) < 0.5 * height]
    row.sort(key=lambda other: other.item.bbox[0])
    return is_running_head(one_line(" ".join(other.item.text for other in row)))


def _has_furniture_form(slot: Slot) -> bool:
    """Whether a text has the form of furniture at the outer edge, or is a page number in the middle below all else."""
    box, text = slot.item.bbox, one_line(slot.item.text)
    if _is_outermost(box):
        return looks_like_furniture(text)
    return slot.last and abs((box[0] + box[2]) / 2 - 0.5) < thresholds.OFF_CENTRE and is_page_number(text)


def _has_room(item: ContentItem, items: list[ContentItem], share: float) -> bool:
    """Whether white space of a share of its height stands between a line at the edge and the inside of its page."""
    least = share * (item.bbox[3] - item.bbox[1])
    inside = (
        other.bbox
        for other in items
        if other is not item and is_visible(other) and not _is_outermost(other.bbox) and not _beside(other, item)
    )
    if item.bbox[1] > 0.5:
        return all(item.bbox[1] - box[3] >= least for box in inside)
    return all(box[1] - item.bbox[3] >= least for box in inside)


def _is_outermost(box: BBox) -> bool:
    """Whether a box lies at the very edge of the page, above or below everything else."""
    return box[3] <= thresholds.OUTER_MARGIN or box[1] >= 1 - thresholds.OUTER_MARGIN


def _is_outer_line(slot: Slot, draft: Draft) -> bool:
    """A short text at the very edge of the page that is not set as a title."""
    return (
        _is_outermost(slot.item.bbox)
        and len(slot.item.text) <= thresholds.MAX_OUTER_CHARACTERS
        and not looks_like_title(slot.item, draft)
    )


def _beside(one: ContentItem, other: ContentItem) -> bool:
    """Whether two items share a line: the parts of a header at the left and at the right."""
    middle = (one.bbox[1] + one.bbox[3]) / 2
    return other.bbox[1] <= middle <= other.bbox[3]


def _slot_key(slot: Slot) -> _SlotKey:
    size = None if slot.item.size is None else half_points(slot.item.size)
    return slot.zone, round(slot.height / thresholds.SAME_HEIGHT), size, slot.item.bold


def _real_titles(slots: list[Slot], found: dict[str, str], draft: Draft) -> list[str]:
    """First occurrences of running titles that may be the heading itself: set larger than the rest, set as a title and
    running over a part of the document only, or named by a bookmark. All of those that stand below a running header,
    and each that a bookmark names on its page, where nothing else has its title.

    Whether it is one is decided where headings are. Nothing is kept where the document has the title a second time,
    outside the margins.
    """
    groups: dict[str, list[ContentItem]] = defaultdict(list)
    for slot in slots:
        if found.get(slot.item.id) in ("header", "footer"):
            groups[title_key(slot.item.text)].append(slot.item)
    elsewhere = {
        title_key(item.text)
        for item in draft.items
        if item.id not in found and len(item.text) <= thresholds.MAX_CHARACTERS
    }
    marked = {(title_key(entry.title), entry.page_idx) for entry in draft.outline}
    on_pages = draft.on_pages()
    kept: list[str] = []
    for title, items in groups.items():
        for item in items:
            if (title, item.page_idx) in marked and not any(
                other.id not in found and title_key(other.text).endswith(title) for other in on_pages[item.page_idx]
            ):
                kept.append(item.id)
        if all(looks_like_title(item, draft) and _is_below_header(item, slots, found, draft) for item in items):
            kept += [item.id for item in items]
            continue
        if len(items) < 2 or not re.search(r"[^\W\d_]{3}", title) or title in elsewhere:
            continue
        first, rest = items[0], items[1:]
        larger = first.size is not None and all(
            first.size >= thresholds.LARGER_THAN_BODY * (item.size or first.size) for item in rest
        )
        of_section = looks_like_title(first, draft) and 2 * len(items) <= len(draft.pages)
        if larger or of_section:
            kept.append(first.id)
    return list(dict.fromkeys(kept))


def _is_below_header(item: ContentItem, slots: list[Slot], found: dict[str, str], draft: Draft) -> bool:
    """Whether the page has a running header of its own, in small type, above the item."""
    return any(
        slot.item.page_idx == item.page_idx
        and slot.item.bbox[3] <= item.bbox[1]
        and found.get(slot.item.id) == "header"
        and not looks_like_title(slot.item, draft)
        for slot in slots
    )


def _all_of_their_pages(found: dict[str, str], draft: Draft) -> list[str]:
    """Furniture that is all there is on its page, where this is so on most pages: then it is the content.

    A few pages with nothing but a number are blank ones.
    """
    pages = draft.on_pages()
    bare = [items for items in pages.values() if all(item.id in found for item in items)]
    if 2 * len(bare) <= len(pages):
        return []
    return [item.id for items in bare for item in items if found[item.id] != "margin"]
