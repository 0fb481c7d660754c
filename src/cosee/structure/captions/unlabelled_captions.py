"""Captions without a label: the title over a chart, small text right below a picture."""

from __future__ import annotations

from cosee import geometry
from cosee.artifacts.base import BBox
from cosee.artifacts.documents.content import ContentItem
from cosee.structure.captions import thresholds
from cosee.structure.captions.labelled_captions import tie
from cosee.structure.captions.labels import sub_label
from cosee.structure.draft import TEXT_ROLES, Draft, short_texts
from cosee.structure.roles import is_note
from cosee.structure.thresholds import SMALL_TYPE
from cosee.text.numbering import parse_numbering


def tie_unlabelled(draft: Draft) -> None:
    """Tie unlabelled captions to images that have none. Not for slides, which set any text small."""
    for items in draft.on_pages().values():
        texts = [item for item in short_texts(items, thresholds.MAX_UNLABELLED_CHARACTERS) if item.size is not None]
        if not texts:
            continue
        for medium in items:
            if medium.role == "image" and not medium.caption_ids and medium.caption is None:
                _tie_texts(medium, [text for text in texts if text.role in TEXT_ROLES], draft.body_size)


def _tie_texts(medium: ContentItem, texts: list[ContentItem], body: float) -> None:
    above = _titles(medium, texts, body)
    for text in above:
        tie(medium, text, None)
    bottom = medium.bbox[3]
    for text in texts:
        if len(medium.caption_ids) >= thresholds.MAX_LINES_BELOW or not _is_below(text, medium, bottom, body):
            continue
        if above or is_note(text.text):
            text.role, text.level = "footnote", None
            medium.footnote_ids.append(text.id)
        else:
            tie(medium, text, None)
        bottom = text.bbox[3]


def _titles(medium: ContentItem, texts: list[ContentItem], body: float) -> list[ContentItem]:
    """Title and subtitle over a chart, top first.

    A small subtitle ("% of all adults") shows that the line over it is the figure's title, not a section's heading.
    """
    small = [text for text in texts if _is_over(text, medium.bbox, medium, SMALL_TYPE * body)]
    subtitle = max(small, key=lambda text: text.bbox[1], default=None)
    if subtitle is None and medium.kind != "statistical":
        return []
    below = (subtitle or medium).bbox
    largest = thresholds.LARGEST_CHART_TITLE if subtitle is None else thresholds.LARGEST_CHART_TITLE_WITH_SUBTITLE
    above = (text for text in texts if text is not subtitle and _is_over(text, below, medium, largest * body))
    title = next(above, None)
    return [] if title is None else [text for text in (title, subtitle) if text is not None]


def _is_over(text: ContentItem, below: BBox, medium: ContentItem, largest: float) -> bool:
    """Whether the text may be a title over ``below``: near, not wider than the medium, not numbered, not large."""
    if (
        not -thresholds.OVERLAP_ALLOWED <= below[1] - text.bbox[3] <= thresholds.MAX_GAP_CHART_TITLE
        or geometry.overlap_share_x(text.bbox, medium.bbox) <= 0.5
    ):
        return False
    short = (text.size or 0.0) <= largest and len(text.text) <= thresholds.MAX_CHART_TITLE_CHARACTERS
    ends = text.text.rstrip().endswith(".") and not text.text.rstrip().endswith("...")
    return short and parse_numbering(text.text) is None and _within_width(text, medium) and not ends


def _within_width(text: ContentItem, medium: ContentItem) -> bool:
    left, right = medium.bbox[0] - thresholds.OVERHANG_ALLOWED, medium.bbox[2] + thresholds.OVERHANG_ALLOWED
    return text.bbox[0] >= left and text.bbox[2] <= right


def _is_below(text: ContentItem, medium: ContentItem, bottom: float, body: float) -> bool:
    small = (text.size or body) <= SMALL_TYPE * body and text.role in TEXT_ROLES
    near = -thresholds.OVERLAP_ALLOWED <= text.bbox[1] - bottom <= thresholds.MAX_GAP_BELOW
    names_nothing_else = sub_label(text.text) is None and "://" not in text.text
    return small and names_nothing_else and near and _within_width(text, medium)
