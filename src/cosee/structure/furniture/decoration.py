"""Pictures and text that are set at one place of many pages: logos, frames and watermarks, not content."""

from __future__ import annotations

from collections import defaultdict

from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.draft import Draft, is_running_text, lies_across_text
from cosee.structure.furniture import thresholds
from cosee.structure.furniture.furniture_forms import looks_like_title
from cosee.text.folding import title_key


def repeated_images(draft: Draft) -> dict[str, str]:
    """The same picture at the same place on most pages: a logo, a frame or a banner, not content.

    M0 keeps one of several placements of a picture and drops the others as duplicates; these count too, and one that
    was kept goes with them where it stands in the page's margins.
    """
    places: dict[tuple[str, tuple[int, ...]], list[ContentItem]] = defaultdict(list)
    copies: dict[tuple[int, ...], set[int]] = defaultdict(set)
    for gone in draft.dropped:
        if gone.reason == "duplicate" and gone.bbox is not None:
            copies[_place(gone.bbox)].add(gone.page_idx)
    for item in draft.items:
        if item.role == "image" and item.image_path and item.caption is None:
            places[item.image_path, _place(item.bbox)].append(item)
    reasons: dict[str, str] = {}
    for (_, place), items in places.items():
        pages = {item.page_idx for item in items}
        if all(item.bbox[3] <= thresholds.HEADER_BOTTOM or item.bbox[1] >= thresholds.FOOTER_TOP for item in items):
            pages |= copies[place]
        if len(pages) >= thresholds.MIN_IMAGE_REPEATS and len(pages) >= thresholds.MIN_SHARE_REPEATED * (
            max(pages) - min(pages) + 1
        ):
            reasons.update((item.id, "decoration") for item in items)
    return reasons


def watermarks(draft: Draft) -> dict[str, str]:
    """Text set large across the running text at one place of half of the pages or more: a stamp, not content."""
    places: dict[tuple[str, tuple[int, ...]], list[ContentItem]] = defaultdict(list)
    for items in draft.on_pages().values():
        for item in items:
            large = is_running_text(item) and looks_like_title(item, draft)
            short = len(item.text) <= thresholds.MAX_CHARACTERS
            if large and short and ("rotated" in item.flags or lies_across_text(item, items)):
                places[title_key(item.text), _place(item.bbox)].append(item)
    least = max(thresholds.MIN_WATERMARK_REPEATS, len(draft.pages) / 2)
    return {item.id: "decoration" for same in places.values() if len(same) >= least for item in same}


def _place(box: BBox) -> tuple[int, ...]:
    """A box in coarse steps, equal for boxes at about the same place."""
    return tuple(round(value * thresholds.PLACES_A_SIDE) for value in box)
