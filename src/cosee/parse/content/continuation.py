"""Paragraphs that go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from cosee.artifacts.documents.content import ContentItem, Region
from cosee.parse.content import thresholds
from cosee.text.cleaning import join_lines
from cosee.text.scripts import is_cjk

_NUMBER = re.compile(r"\d{1,4}")
_NUMBERED_TITLE = re.compile(
    r"第\s?[一二三四五六七八九十百\d]{1,4}\s?[章节節部编編条條回]|"
    r"[（(]?[一二三四五六七八九十]{1,3}[、）)．.]"
)


def join_continued(items: Sequence[ContentItem], open_ends: set[int], known: set[str]) -> list[ContentItem]:
    """Items with paragraphs joined over column and page breaks.

    ``open_ends`` holds positions in ``items`` whose last line does not end a sentence. The next
    paragraph of the same size that starts in lower case is its continuation; figures, footnotes and page furniture
    between them keep their places. A joined item has one region for each part.
    """
    joined: list[ContentItem] = []
    opened: list[bool] = []
    feet = _page_feet(items)
    largest = thresholds.TITLE_SIZE * _usual_size(items)
    for position, item in enumerate(items):
        open_now = position in open_ends
        title = item.size is not None and item.size >= largest
        target = None if title or id(item) in feet else _target(joined, opened, item, feet)
        if target is None:
            joined.append(item)
            opened.append(open_now)
            continue
        host = joined[target]
        host.text = join_lines([host.text, item.text], known)
        if not host.regions:
            host.regions = [Region(page_idx=host.page_idx, bbox=host.bbox)]
        begins = len(host.text) - len(item.text)
        host.regions.append(Region(page_idx=item.page_idx, bbox=item.bbox, begins=begins))
        host.source_blocks += [block for block in item.source_blocks if block not in host.source_blocks]
        opened[target] = open_now
    return joined


def _usual_size(items: Iterable[ContentItem]) -> float:
    """The size that most characters are set in, in points; infinite where none is known."""
    weight: Counter[float] = Counter()
    for item in items:
        if item.size is not None:
            weight[item.size] += len(item.text)
    return max(weight, key=lambda size: (weight[size], size), default=float("inf"))


def _page_feet(items: Sequence[ContentItem]) -> set[int]:
    """``id`` of the items that end their page, at whatever height, and hold a number that counts the pages."""
    counts: dict[tuple[str, int], list[int]] = defaultdict(list)
    for foot in last_lines(items):
        for number in _NUMBER.finditer(foot.text):
            masked = f"{foot.text[: number.start()]}#{foot.text[number.end() :]}"
            counts[masked, int(number.group()) - foot.page_idx].append(id(foot))
    return {foot for feet in counts.values() if len(feet) >= thresholds.COUNTED_PAGES for foot in feet}


def last_lines(items: Iterable[ContentItem]) -> list[ContentItem]:
    """The short text that ends each page, where there is one: everything else on it ends above its middle."""
    pages: dict[int, list[ContentItem]] = defaultdict(list)
    for item in items:
        pages[item.page_idx].append(item)
    found = []
    for members in pages.values():
        lowest = max(members, key=lambda item: item.bbox[3])
        middle = (lowest.bbox[1] + lowest.bbox[3]) / 2
        apart = all(item is lowest or item.bbox[3] <= middle for item in members)
        if apart and len(lowest.text) <= thresholds.MAX_FOOT and "no_bbox" not in lowest.flags:
            found.append(lowest)
    return found


def _target(joined: list[ContentItem], opened: list[bool], item: ContentItem, feet: set[int]) -> int | None:
    """Index of the item that a paragraph continues."""
    if item.role != "paragraph" or not _goes_on(item.text) or item.bold or _is_furniture(item):
        return None
    for back in range(1, min(thresholds.LOOK_BACK, len(joined)) + 1):
        host = joined[-back]
        last = host.regions[-1] if host.regions else Region(page_idx=host.page_idx, bbox=host.bbox)
        if host.role in ("image", "table") or id(host) in feet or _is_passed_over(host, item):
            continue
        if item.page_idx - last.page_idx > 1:
            return None
        alike = abs((host.size or 0) - (item.size or 0)) <= thresholds.CONTINUED_SIZE
        same = host.role == "paragraph" and alike and not host.bold
        moved = last.page_idx != item.page_idx or item.bbox[1] < last.bbox[3]
        if same and moved and opened[-back] and not _is_title(host, last, item):
            return len(joined) - back
        return None
    return None


def _is_title(host: ContentItem, last: Region, item: ContentItem) -> bool:
    """Whether a text before or after a break is a title in Chinese or Japanese, which no capital letter shows."""
    if not is_cjk(item.text[0]):
        return False
    narrow = last.bbox[2] - last.bbox[0] < thresholds.NARROW and len(host.text) < thresholds.NARROW_LENGTH
    return (narrow and not host.regions) or bool(_NUMBERED_TITLE.match(item.text))


def _goes_on(text: str) -> bool:
    first = text[:1]
    return first.islower() or (bool(first) and is_cjk(first))


def _is_furniture(item: ContentItem) -> bool:
    """Whether a short text at the edge of a page is a running header rather than the end of a sentence."""
    return _at_edge(item) and (is_cjk(item.text[0]) or item.text.count(" ") < thresholds.FURNITURE_SPACES)


def _at_edge(item: ContentItem) -> bool:
    middle = (item.bbox[1] + item.bbox[3]) / 2
    low = item.bbox[3] - item.bbox[1] < thresholds.EDGE_HEIGHT
    return low and (middle < thresholds.EDGE or middle > 1 - thresholds.EDGE)


def _is_passed_over(host: ContentItem, item: ContentItem) -> bool:
    """Footnotes, captions and furniture: smaller than the paragraph, or short at the edge of the page."""
    return (host.size or 0) < (item.size or 0) - thresholds.SMALLER_SIZE or _at_edge(host)
