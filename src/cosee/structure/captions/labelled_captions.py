"""Captions: text that names a figure or table becomes a caption and is tied to it; headings stay headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.captions import thresholds
from cosee.structure.captions.labels import CaptionLabel, caption_label
from cosee.structure.draft import Draft, is_visible
from cosee.text.words import one_line

_CONTINUED = re.compile(
    r"[\s:.–—-]*[(\[]?(?:continued|cont[’']?d|cont\.|concluded|Fortsetzung|Forts\.|suite|continuación|segue|продолжение|"
    r"接上|续|續|続き)",
    re.IGNORECASE,
)
"""What a caption says after its label when its figure or table began on an earlier page. General knowledge:
"continued" in the languages of captions."""


@dataclass(frozen=True)
class _Caption:
    item: ContentItem
    label: CaptionLabel


def tie_captions(draft: Draft) -> None:
    """Give captions their role, label and medium, and media their caption, label and ``caption_ids``."""
    by_id = {item.id: item for item in draft.items}
    captions: dict[int, list[_Caption]] = {}
    for item in draft.items:
        if item.caption_of is not None and item.caption_of in by_id:
            tie(by_id[item.caption_of], item, caption_label(item.text))
        elif item.role in ("heading", "paragraph", "caption", "list") and is_visible(item):
            label = caption_label(item.text)
            if label is not None:
                captions.setdefault(item.page_idx, []).append(_Caption(item, label))
    media: dict[int, list[ContentItem]] = {}
    for item in draft.items:
        if item.role in ("image", "table") and not item.caption_ids:
            media.setdefault(item.page_idx, []).append(item)
    sides = _usual_sides(captions, media)
    for page_idx, own in captions.items():
        _tie_page(own, media.get(page_idx, []), sides)
    _label_by_own_caption(draft)
    _join_title_lines(draft)


def _pairing_cost(caption: _Caption, medium: ContentItem, sides: dict[str, str]) -> float | None:
    """How badly a caption fits a medium; None when it cannot be its caption."""
    box, other = caption.item.bbox, medium.bbox
    if geometry.overlap_share_x(box, other) > thresholds.MIN_OVERLAP_STACKED:
        cost = geometry.gap_y(box, other)
        if cost > (thresholds.MAX_GAP if caption.label.separated else thresholds.MAX_GAP_UNSEPARATED):
            return None
    elif (
        geometry.overlap_share_y(box, other) > thresholds.MIN_OVERLAP_BESIDE
        and geometry.gap_x(box, other) < thresholds.MAX_GAP_BESIDE
    ):
        cost = geometry.gap_x(box, other) + thresholds.COST_BESIDE
    else:
        return None
    side = _side(box, other)
    if sides.get(caption.label.medium, side) != side:
        cost += thresholds.COST_WRONG_SIDE
    if caption.label.medium != medium.role:
        cost += thresholds.COST_OTHER_MEDIUM
    off_centre = abs((box[0] + box[2]) - (other[0] + other[2])) / 2
    return cost + thresholds.COST_OFF_CENTRE * off_centre


def _side(caption: BBox, medium: BBox) -> str:
    """``above`` or ``below``: where the middle of a caption stands to that of a medium."""
    return "below" if caption[1] + caption[3] > medium[1] + medium[3] else "above"


def _usual_sides(captions: dict[int, list[_Caption]], media: dict[int, list[ContentItem]]) -> dict[str, str]:
    """``image`` and ``table`` -> ``above`` or ``below``, by the captions that fit on one side only."""
    votes: dict[str, Counter[str]] = {"image": Counter(), "table": Counter()}
    for page_idx, own in captions.items():
        for caption in own:
            sides = {
                _side(caption.item.bbox, medium.bbox)
                for medium in media.get(page_idx, [])
                if medium.role == caption.label.medium and _pairing_cost(caption, medium, {}) is not None
            }
            if len(sides) == 1:
                votes[caption.label.medium].update(sides)
    usual = {"image": "below", "table": "above"}
    for medium, count in votes.items():
        if count:
            default = usual[medium]
            usual[medium] = max(count, key=lambda side: (count[side], side == default))
    return usual


def _tie_page(captions: list[_Caption], media: list[ContentItem], sides: dict[str, str]) -> None:
    costs = [
        {
            index: cost
            for index, medium in enumerate(media)
            if (cost := _pairing_cost(caption, medium, sides)) is not None
        }
        for caption in captions
    ]
    for caption, index in zip(captions, best_pairs(costs), strict=True):
        if index is not None:
            tie(media[index], caption.item, caption.label)
        elif len(caption.item.text) <= thresholds.MAX_CAPTION_CHARACTERS and (
            caption.label.separated or one_line(caption.item.text) == caption.label.label
        ):
            _make_caption(caption.item, caption.label)


def best_pairs(costs: Sequence[dict[int, float]]) -> list[int | None]:
    """Column for each row (None when unpaired), each column at most once, with the least total cost.

    Exact for up to ``MAX_ROWS_EXACT`` rows, by growing cost for more; an unpaired row costs ``COST_UNPAIRED``.
    """
    if len(costs) > thresholds.MAX_ROWS_EXACT:
        taken: set[int] = set()
        pairs: list[int | None] = [None] * len(costs)
        for _, row, column in sorted(
            (cost, row, column) for row, own in enumerate(costs) for column, cost in own.items()
        ):
            if pairs[row] is None and column not in taken:
                pairs[row] = column
                taken.add(column)
        return pairs

    @cache
    def solve(row: int, used: frozenset[int]) -> tuple[float, tuple[int | None, ...]]:
        if row == len(costs):
            return 0.0, ()
        rest, tail = solve(row + 1, used)
        best: tuple[float, tuple[int | None, ...]] = (rest + thresholds.COST_UNPAIRED, (None, *tail))
        nearest = sorted(costs[row].items(), key=lambda pair: (pair[1], pair[0]))
        for column, cost in [pair for pair in nearest if pair[0] not in used][: thresholds.MAX_COLUMNS_TRIED]:
            rest, tail = solve(row + 1, used | {column})
            if rest + cost < best[0]:
                best = (rest + cost, (column, *tail))
        return best

    return list(solve(0, frozenset())[1])


def _make_caption(item: ContentItem, label: CaptionLabel | None) -> None:
    item.role, item.level = "caption", None
    if label is not None:
        item.label = label.label


def tie(medium: ContentItem, item: ContentItem, label: CaptionLabel | None) -> None:
    """Make ``item`` a caption of ``medium``; further captions add to the first one's text."""
    _make_caption(item, label)
    item.caption_of = medium.id
    if item.id not in medium.caption_ids:
        medium.caption_ids.append(item.id)
        medium.caption = one_line(f"{medium.caption} {item.text}") if medium.caption else one_line(item.text)
    if label is not None and medium.label is None:
        medium.label = label.label
        if _CONTINUED.match(one_line(item.text)[label.end :]) and "continued" not in medium.flags:
            medium.flags.append("continued")


def _label_by_own_caption(draft: Draft) -> None:
    """Label media by the caption that came with them from the source."""
    for item in draft.items:
        if item.role in ("image", "table") and item.label is None and item.caption:
            label = caption_label(item.caption)
            if label is not None:
                item.label = label.label


def _join_title_lines(draft: Draft) -> None:
    """A caption that is a bare label ("Table 4") takes the line right below it as its title."""
    by_id = {item.id: item for item in draft.items}
    for item, following in zip(draft.items, draft.items[1:], strict=False):
        if item.role != "caption" or one_line(item.text).rstrip(".:") != (item.label or "") or item.caption_of is None:
            continue
        near = (
            following.page_idx == item.page_idx
            and geometry.gap_y(item.bbox, following.bbox) < thresholds.MAX_GAP_LABEL_TO_TITLE
        )
        if (
            following.role in ("paragraph", "heading")
            and near
            and len(following.text) <= thresholds.MAX_TITLE_LINE_CHARACTERS
        ):
            medium = by_id[item.caption_of]
            if (
                geometry.gap_y(following.bbox, medium.bbox) < thresholds.MAX_GAP_TITLE_TO_MEDIUM
                and geometry.overlap_share_x(item.bbox, following.bbox) > 0.5
            ):
                tie(medium, following, None)
                following.label = item.label
