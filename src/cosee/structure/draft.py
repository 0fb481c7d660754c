"""The content list while it is being enhanced, and the two ways an item may leave it: dropped or absorbed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from cosee.artifacts.documents.content import ContentItem, ContentList, DroppedItem, PageInfo, Region
from cosee.artifacts.documents.layout import OutlineEntry
from cosee.geometry import area, intersection, union
from cosee.structure import thresholds

TEXT_ROLES = frozenset({"heading", "paragraph", "list"})
"""Roles of running text that a step may still turn into something else."""


class Draft:
    """Working copy of an adapted content list. Steps change its items in place; the source stays as it was."""

    def __init__(self, source: ContentList) -> None:
        self._source = source
        self.outline: list[OutlineEntry] = source.outline
        self.pages: list[PageInfo] = [page.model_copy(update={"flags": list(page.flags)}) for page in source.pages]
        self.items: list[ContentItem] = [copy_item(item) for item in source.items]
        self.dropped: list[DroppedItem] = list(source.dropped)
        self.body_size = body_size(self.items)
        self._absorbed: set[str] = set()

    def drop(self, reasons: Mapping[str, str]) -> None:
        """Move items (id -> reason) to the drop list, in reading order; what they had absorbed gets the same reason."""
        if not reasons:
            return
        followers: dict[str, str] = {}
        for item in self.items:
            if item.id in reasons:
                self.dropped.append(dropped_item(item, reasons[item.id]))
                followers.update(dict.fromkeys(item.members, reasons[item.id]))
        for index, entry in enumerate(self.dropped):
            if entry.id in followers:
                # Its text is in the entry of the item that had absorbed it.
                self.dropped[index] = entry.model_copy(update={"reason": followers[entry.id], "text": ""})
        self.items = [item for item in self.items if item.id not in reasons]

    def absorb(self, target: ContentItem, others: Sequence[ContentItem], text: str) -> None:
        """Merge ``others`` into ``target``: its text becomes ``text``, every region and id is kept.

        The others stay in ``items`` until ``sweep``, so that a step may absorb while it goes through them.
        """
        parts = [target, *others]
        shifts = [0, *_begins(text, [other.text for other in others])]
        target.regions = [
            region.model_copy(update={"begins": region.begins + shift})
            for part, shift in zip(parts, shifts, strict=True)
            for region in regions_of(part)
        ]
        target.bbox = union([region.bbox for region in target.regions if region.page_idx == target.page_idx])
        target.members += [member for other in others for member in (other.id, *other.members)]
        target.caption_ids += [caption for other in others for caption in other.caption_ids]
        target.footnote_ids += [note for other in others for note in other.footnote_ids]
        target.source_blocks = list(dict.fromkeys(block for part in parts for block in part.source_blocks))
        target.flags = list(dict.fromkeys(flag for part in parts for flag in part.flags))
        target.text = text
        self.dropped += [dropped_item(other, "merged") for other in others]
        self._absorbed.update(other.id for other in others)

    def sweep(self) -> None:
        """Take the absorbed items out of ``items``; each step that absorbs ends with it."""
        if self._absorbed:
            self.items = [item for item in self.items if item.id not in self._absorbed]
            self._absorbed.clear()

    def on_pages(self) -> dict[int, list[ContentItem]]:
        """0-based page -> its items in reading order, for pages that have any."""
        view: dict[int, list[ContentItem]] = {}
        for item in self.items:
            view.setdefault(item.page_idx, []).append(item)
        return view

    def to_content_list(self) -> ContentList:
        """The enhanced content list."""
        changed = {"stage": "enhanced", "pages": self.pages, "items": self.items, "dropped": self.dropped}
        return self._source.model_copy(update=changed)


def copy_item(item: ContentItem) -> ContentItem:
    """A copy whose lists can be changed without touching the original."""
    lists = ("regions", "caption_ids", "footnote_ids", "members", "flags", "source_blocks")
    return item.model_copy(update={name: list(getattr(item, name)) for name in lists})


def dropped_item(item: ContentItem, reason: str) -> DroppedItem:
    """The drop-list entry of an item; a table's cells and an image's caption are kept as its text."""
    text = item.text
    if item.table is not None and not text:
        text = "\n".join(" | ".join(row) for row in item.table.rows)
    return DroppedItem(
        id=item.id,
        reason=reason,
        page_idx=item.page_idx,
        bbox=item.bbox,
        text=text,
        source_blocks=list(item.source_blocks),
    )


def regions_of(item: ContentItem) -> list[Region]:
    """The item's regions, its own box when it has no list of them."""
    return item.regions or [Region(page_idx=item.page_idx, bbox=item.bbox)]


def _begins(text: str, parts: Sequence[str]) -> list[int]:
    """Where in a joined text each of its last parts begins; 0 from the last one back to one that was altered."""
    found: list[int] = []
    rest = text
    for part in reversed([part.strip() for part in parts]):
        rest = rest.rstrip()
        if not part or not rest.endswith(part):
            break
        rest = rest[: -len(part)]
        found.append(len(rest))
    return [0] * (len(parts) - len(found)) + found[::-1]


def is_running_text(item: ContentItem) -> bool:
    """Whether the item is visible running text, which may be a heading, a paragraph or a list."""
    return item.role in TEXT_ROLES and is_visible(item)


def half_points(size: float) -> float:
    """A font size to half a point: smaller differences are noise of the file."""
    return round(size * 2) / 2


def is_visible(item: ContentItem) -> bool:
    """Whether a reader of the page sees the item's text as text (neither hidden nor garbage)."""
    return "hidden" not in item.flags and "garbage_text" not in item.flags


def lies_across_text(item: ContentItem, items: Iterable[ContentItem]) -> bool:
    """Whether the item is set over other running text among ``items``, those of its page, as a watermark is."""
    _, top, _, bottom = item.bbox
    others = (
        o for o in items
        if o.bbox[1] < bottom and o.bbox[3] > top and o is not item and is_running_text(o)
    )  # fmt: skip
    return sum(intersection(item.bbox, other.bbox) for other in others) > thresholds.MIN_SHARE_ACROSS * area(item.bbox)


def short_texts(items: Iterable[ContentItem], most: int) -> list[ContentItem]:
    """Visible running text of at most ``most`` characters each."""
    return [item for item in items if is_running_text(item) and len(item.text) <= most]


def body_size(items: Iterable[ContentItem]) -> float:
    """Font size in points that most characters of running text are set in (a usual one where no size is known)."""
    weight: Counter[float] = Counter()
    for item in items:
        if item.size is not None and is_running_text(item):
            weight[half_points(item.size)] += len(item.text)
    if not weight:
        return thresholds.USUAL_BODY_SIZE
    return max(weight, key=lambda size: (weight[size], -size))
